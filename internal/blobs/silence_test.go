package blobs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/blobs/blobstest"
)

// An S3 that answers nothing is given up, and one that is slow is not.
func TestAnS3ThatIsSilent(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	server, filesURL := blobstest.S3(t)
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	const silence = 500 * time.Millisecond
	var frozen atomic.Bool
	over := make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if frozen.Load() {
			<-over
			return
		}
		if r.ContentLength > 1<<20 { // it takes longer than the silence, though never silent for long
			body := new(bytes.Buffer)
			for range r.ContentLength / (256 << 10) {
				_, _ = io.CopyN(body, r.Body, 256<<10)
				time.Sleep(silence / 20)
			}
			r.Body = io.NopCloser(io.MultiReader(body, r.Body))
		}
		proxy.ServeHTTP(w, r)
	}))
	front.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetReadBuffer(64 << 10) // as if it were far away
		return ctx
	}
	front.Start()
	t.Cleanup(func() { close(over); front.Close() })
	files, err := blobs.OpenPatient(t.Context(), strings.Replace(filesURL, url.QueryEscape(server),
		url.QueryEscape(front.URL), 1), silence)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	files.BelongTo(of("ours"))
	if err := files.Mark(t.Context(), "ours"); err != nil {
		t.Fatal(err)
	}
	key, size, err := files.Put(t.Context(), 1, io.LimitReader(zeros{}, 8<<20))
	if err != nil || size != 8<<20 {
		t.Fatalf("a slow upload: %d bytes, %v", size, err)
	}
	r, err := files.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, r, 1000); err != nil {
		t.Error(err)
	}
	time.Sleep(2 * silence) // the reader has other work
	if n, err := io.Copy(io.Discard, r); err != nil || n != 8<<20-1000 {
		t.Errorf("a slow reader has read %d bytes: %v", n, err)
	}
	_ = r.Close()

	frozen.Store(true)
	for name, do := range map[string]func(context.Context) error{
		"put": func(ctx context.Context) error {
			_, _, err := files.Put(ctx, 1, strings.NewReader("x"))
			return err
		},
		"open":   func(ctx context.Context) error { _, err := files.Open(ctx, key); return err },
		"delete": func(ctx context.Context) error { return files.Delete(ctx, key) },
	} {
		begun := time.Now()
		if err := do(t.Context()); !errors.Is(err, blobs.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(begun); took > 10*silence {
			t.Errorf("%s took %v", name, took)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
