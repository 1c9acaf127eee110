package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/internal/download"
	"bordero/storage"
)

// signing returns the variables of the key that signs the URLs of files, for all processes of
// the harness.
func (h *harness) signing() ([]string, error) {
	file := filepath.Join(h.dir, "signing.pem")
	if _, err := os.Stat(file); err != nil {
		content, err := download.NewKey()
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
	}
	key, err := download.ReadKey(file)
	return []string{"BORDERO_SIGNING_KEY_FILE=" + file, "BORDERO_SIGNING_PUBLIC_KEYS=" + download.PublicText(key)}, err
}

// newSigner starts the API and the worker that signs URLs, with attachments that have no file.
func newSigner(ctx context.Context, h *harness) (s servers, attachments string, err error) {
	s.harness = h
	l, err := h.lease(ctx)
	if err != nil {
		return s, "", err
	}
	s.lease = l
	store, err := storage.Open(l.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return s, "", err
	}
	defer store.Close()
	if s.tenant, err = newTenant(ctx, store, "0123456789abcdef"); err != nil {
		return s, "", err
	}
	_, err = l.db.ExecContext(ctx, `
		INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type, attachment_file_size)
		SELECT $1, $2, 'ab/' || n, 'nota.pdf', 'application/pdf', 1 FROM generate_series(1, 20000) n`, s.AccountID, s.EntityID)
	if err != nil {
		return s, "", err
	}
	if _, err := l.db.ExecContext(ctx, `VACUUM ANALYZE attachments`); err != nil {
		return s, "", err
	}
	s.api = freeAddr()
	if err := h.bordero(ctx, l, s.api, "api"); err != nil {
		return s, "", err
	}
	return s, fmt.Sprintf("/entities/%d/attachments/", s.EntityID), h.bordero(ctx, l, s.api, "work", "signing")
}

// measureSign measures the time to the 302 for a file whose URL is not cached.
func measureSign(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, attachments, err := newSigner(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	floor, err = barePickup(ctx, h, s.lease, 99)
	next := 0
	return h.latency(99, func(ctx context.Context, _ int) (time.Duration, error) {
		next++
		begun := time.Now()
		res, err := s.get(ctx, attachments+strconv.Itoa(next)+"/download")
		if err == nil && res.StatusCode != http.StatusFound {
			err = fmt.Errorf("download: %s", res.Status)
		}
		return time.Since(begun), err
	}), floor, err
}

// direct follows no redirect.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// get requests the path with the tenant's token and reads the answer to its end.
func (s servers) get(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.api+path, nil)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(s.token, "x")
	res, err := direct.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res, err
}

// content is the uploaded file: random, so that no disk or network can compress it.
var content = sync.OnceValue(func() []byte {
	b := make([]byte, 50_000_000)
	_, _ = rand.Read(b) // never fails
	return b
})

// form returns a body with the file, whose content comes from a reader.
func form(file io.Reader) (body io.Reader, contentType string) {
	var head bytes.Buffer
	w := multipart.NewWriter(&head)
	_, _ = w.CreateFormFile("attachment[attachment]", "a.bin") // a buffer accepts all writes
	return io.MultiReader(&head, file, strings.NewReader("\r\n--"+w.Boundary()+"--\r\n")), w.FormDataContentType()
}

func (s servers) upload(ctx context.Context, address string, body io.Reader, contentType string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(s.token, "x")
	res, err := direct.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		return nil, fmt.Errorf("%s: %s", address, res.Status)
	}
	return res, nil
}

// megabytes measures how many megabytes of the content are transferred in a second. The time of
// undo does not count.
func megabytes(transfer func(context.Context) (undo func() error, err error)) figure {
	return func(ctx context.Context, d time.Duration) (sample, error) {
		var took time.Duration
		n := 0
		for ; took < d; n++ {
			begun := time.Now()
			undo, err := transfer(ctx)
			took += time.Since(begun)
			if err == nil {
				err = undo()
			}
			if err != nil {
				return sample{}, err
			}
		}
		return sample{value: float64(n*len(content())) / 1e6 / took.Seconds()}, nil
	}
}

// bareCopy is a server of net/http that copies a request into a file, and a file into a
// response.
func bareCopy(h *harness) (address string, err error) {
	dir, err := os.MkdirTemp(h.dir, "copy")
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "file")
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			f, err := os.Open(file)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			defer f.Close()
			_, _ = io.Copy(w, f)
			return
		}
		if r.Method == http.MethodDelete {
			if err := os.Remove(file); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
			return
		}
		f, err := os.Create(file)
		if err == nil {
			_, err = io.Copy(f, r.Body)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})}
	go func() { _ = server.Serve(l) }()
	h.atEnd(func() { _ = server.Close() })
	return "http://" + l.Addr().String(), nil
}

func measureUpload(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, attachments, err := newSigner(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	bare, err := bareCopy(h)
	if err != nil {
		return nil, nil, err
	}
	// Each upload is a file of its own, removed before the next: the disk is small, and the
	// unwritten data of one side must not slow the other down.
	side := func(address string) figure {
		return megabytes(func(ctx context.Context) (undo func() error, err error) {
			body, contentType := form(bytes.NewReader(content()))
			res, err := s.upload(ctx, address, body, contentType)
			if err != nil {
				return nil, err
			}
			made := cmp.Or(res.Header.Get("Location"), address)
			return func() error { return s.forget(ctx, made) }, nil
		})
	}
	return side("http://" + s.api + strings.TrimSuffix(attachments, "/")), side(bare), nil
}

// forget deletes the uploaded file.
func (s servers) forget(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, address, nil)
	if err != nil {
		return err
	}
	req.SetBasicAuth(s.token, "x")
	res, err := direct.Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil || res.StatusCode < 300 {
		return err
	}
	return fmt.Errorf("DELETE %s: %s", address, res.Status)
}

func measureDownload(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, attachments, err := newSigner(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	bare, err := bareCopy(h)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.upload(ctx, bare, bytes.NewReader(content()), "application/octet-stream"); err != nil {
		return nil, nil, err
	}
	body, contentType := form(bytes.NewReader(content()))
	made, err := s.upload(ctx, "http://"+s.api+strings.TrimSuffix(attachments, "/"), body, contentType)
	if err != nil {
		return nil, nil, err
	}
	found, err := s.get(ctx, strings.TrimPrefix(made.Header.Get("Location"), "http://"+s.api)+"/download")
	if err != nil {
		return nil, nil, err
	}
	side := func(address string) figure {
		return megabytes(func(ctx context.Context) (undo func() error, err error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			if err != nil {
				return nil, err
			}
			res, err := direct.Do(req)
			if err != nil {
				return nil, err
			}
			defer res.Body.Close()
			if n, err := io.Copy(io.Discard, res.Body); err != nil || n != int64(len(content())) {
				return nil, fmt.Errorf("%s: %d bytes: %w", res.Status, n, err)
			}
			return func() error { return nil }, nil
		})
	}
	return side(found.Header.Get("Location")), side(bare), nil
}

// measureUploadMemory measures the growth of the API, in MiB, while 20 uploads of 100 MB run.
func measureUploadMemory(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, attachments, err := newSigner(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	pid := h.started[len(h.started)-2].pid
	if _, err := s.get(ctx, "/openapi.json"); err != nil { // the API renders it once
		return nil, nil, err
	}
	before := resident(pid) // before the first upload
	grown := func(ctx context.Context, _ time.Duration) (sample, error) {
		most := 0.0
		var uploads sync.WaitGroup
		failed := make([]error, 20)
		for i := range failed {
			uploads.Go(func() {
				body, contentType := form(io.MultiReader(bytes.NewReader(content()), bytes.NewReader(content())))
				res, err := s.upload(ctx, "http://"+s.api+strings.TrimSuffix(attachments, "/"), body, contentType)
				if err == nil {
					err = s.forget(ctx, res.Header.Get("Location"))
				}
				failed[i] = err
			})
		}
		done := make(chan struct{})
		go func() { uploads.Wait(); close(done) }()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, resident(pid)-before)
				continue
			case <-done:
			}
			for _, err := range failed {
				if err != nil {
					return sample{}, err
				}
			}
			return sample{value: max(most, 0.01)}, nil
		}
	}
	return grown, nil, nil
}

// resident returns the memory of a process in MiB.
func resident(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages*os.Getpagesize()) / (1 << 20)
}
