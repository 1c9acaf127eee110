package e2e

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/blobs/blobstest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

func TestAFileIsUploadedAndDownloaded(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Env = append(s.Env, "BORDERO_SIGNED_URL_TTL=6s")
	s.Serve()
	s.Start("work", "signing").Ready()
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	path, err := s.Attach("nota fiscal.pdf", bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	address := s.Address(t, path)
	got := e2etest.Fetch(t, address)
	if got.Status != http.StatusOK || !bytes.Equal(got.Body, content) {
		t.Fatalf("%d, %d bytes", got.Status, len(got.Body))
	}
	if name := got.Header.Get("Content-Disposition"); name != `attachment; filename="nota fiscal.pdf"` {
		t.Errorf("it is called %s", name)
	}
	begin := strings.Index(address, "/files/") + len("/files/")
	for i := begin; i < len(address); i++ {
		for _, c := range []string{"A", "0", "_", "/"} {
			changed := address[:i] + c + address[i+1:]
			if changed != address {
				if a := e2etest.Fetch(t, changed); a.Status != http.StatusForbidden {
					t.Fatalf("%s: %d", changed, a.Status)
				}
			}
		}
	}
	testkit.Eventually(t, "the address has expired", func() bool {
		return e2etest.Fetch(t, address).Status == http.StatusForbidden
	})
	if again := s.Address(t, path); e2etest.Fetch(t, again).Status != http.StatusOK {
		t.Error("another address is not good")
	}
}

// With an S3 store, the URL is the store's own. Credentials that can only read sign it; the
// API's can only write.
func TestAFileInS3IsUploadedAndDownloaded(t *testing.T) {
	t.Parallel()
	server, filesURL := blobstest.S3(t)
	s := e2etest.New(t, e2etest.Set("BORDERO_FILES_URL="+filesURL))
	as := func(key string) []string {
		return []string{"AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=" + key + "'s secret"}
	}
	s.StartWith(as("writer"), "api").Ready()
	s.StartWith(as("reader"), "work", "signing").Ready()
	content := bytes.Repeat([]byte("0123456789abcdef"), 20<<16) // in several parts
	path, err := s.Attach("nota.pdf", bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	address := s.Address(t, path)
	if !strings.HasPrefix(address, server+"/files/") || !strings.Contains(address, "X-Amz-Expires=3660&") ||
		!strings.Contains(address, "response-content-disposition=attachment") {
		t.Errorf("the address is %s", address)
	}
	if got := e2etest.Fetch(t, address); got.Status != http.StatusOK || !bytes.Equal(got.Body, content) {
		t.Errorf("%d, %d bytes", got.Status, len(got.Body))
	}
	if a, err := s.Do(http.MethodDelete, path, "", nil); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%v %v", err, e2etest.Refused{Answer: a})
	}
	testkit.Eventually(t, "the file is gone", func() bool { // S3 says that only to credentials that may list
		return e2etest.Fetch(t, address).Status == http.StatusForbidden
	})
}

// An upload to an S3 that hangs is answered, and only what needs files stands still.
func TestAnS3ThatHangs(t *testing.T) {
	t.Parallel()
	tier.NeedsLong(t, "11 s of waiting; TestAnS3ThatIsSilent tests the client on every push")
	server, filesURL := blobstest.S3(t)
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	var hangs atomic.Bool
	over := make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hangs.Load() {
			<-over
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(over); front.Close() })
	s := e2etest.New(t, e2etest.Set("BORDERO_FILES_URL="+strings.Replace(filesURL, url.QueryEscape(server),
		url.QueryEscape(front.URL), 1)),
		e2etest.Set("AWS_ACCESS_KEY_ID=a"), e2etest.Set("AWS_SECRET_ACCESS_KEY=b"))
	api := s.Start("api").Ready()
	requireLog(t, api, "files", "ok")
	hangs.Store(true)
	begun := time.Now()
	var refused e2etest.Refused
	_, err = s.Attach("a", strings.NewReader("a"))
	took := time.Since(begun)
	if !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable ||
		refused.Header.Get("Retry-After") == "" {
		t.Errorf("an upload: %v", err)
	}
	t.Logf("an upload was answered after %v", took)
	if took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	requireLog(t, api, "files", "degraded", "the file store is unavailable")
	if said := api.Out.String(); !strings.Contains(said, "file store unavailable") ||
		strings.Contains(said, "database unavailable") {
		t.Error(said)
	}
	if status, _ := e2etest.Readiness(t, api.Ops); status != http.StatusOK {
		t.Errorf("without files the API is %d", status)
	}
}

func TestTheLargestAttachment(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Start("api").Ready()
	content := make([]byte, 100<<20+1)
	var refused e2etest.Refused
	if _, err := s.Attach("a", bytes.NewReader(content)); !errors.As(err, &refused) ||
		refused.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("100 MiB and a byte: %v", err)
	}
	if left := filesOf(t, s); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if _, err := s.Attach("a", bytes.NewReader(content[1:])); err != nil {
		t.Errorf("100 MiB: %v", err)
	}
}

// bounded limits an answer of the API that does not depend on the signing worker or Redis. The API's
// own limits are 3 s in all; without them a request would hang until the client's limit, a minute.
const bounded = 30 * time.Second

// A question waits only briefly for its answer. The next one reaches the restarted worker.
func TestDownloadsWithoutTheirWorkerOrRedis(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Env = append(s.Env, "BORDERO_SIGNED_URL_TTL=1s")
	s.Serve()
	var files []string // one for each try: no URL is reused
	for range 8 {
		path, err := s.Attach("a.txt", strings.NewReader("a"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	refused := func(why string) {
		t.Helper()
		path := files[0]
		files = files[1:]
		begun := time.Now()
		a, err := s.Do(http.MethodGet, path+"/download", "", nil)
		took := time.Since(begun)
		if err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Fatalf("%s: %v %v", why, err, e2etest.Refused{Answer: a})
		}
		t.Logf("%s: told after %v", why, took.Round(time.Millisecond))
		if took > bounded {
			t.Errorf("%s: told after %v", why, took)
		}
	}
	refused("no worker")
	worker := s.Start("work", "signing").Ready()
	s.Address(t, files[0])
	files = files[1:]
	worker.Pause()
	refused("a worker that hangs")
	worker.Kill()
	s.Start("work", "signing").Ready()
	s.Address(t, files[len(files)-1])
	s.Freeze()
	refused("a Redis that hangs")
	s.Thaw()
	s.Address(t, files[len(files)-1])
	s.Redis.Kill()
	refused("no Redis")
	if err := s.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Address(t, files[len(files)-1])
}

// requestURL requests the URL of the file at path and returns the status: 302, or 503 with a
// Retry-After, both promptly.
func requestURL(t *testing.T, s *e2etest.Site, path string) int {
	t.Helper()
	begun := time.Now()
	a, err := s.Do(http.MethodGet, path+"/download", "", nil)
	took := time.Since(begun)
	switch {
	case err != nil:
		t.Errorf("%s: %v", path, err)
	case took > bounded:
		t.Errorf("%s: %d after %v", path, a.Status, took)
	case a.Status != http.StatusFound && (a.Status != http.StatusServiceUnavailable ||
		a.Header.Get("Retry-After") == ""):
		t.Errorf("%s: %v", path, e2etest.Refused{Answer: a})
	}
	return a.Status
}

// A worker is killed after it has received questions and before it has answered. The API returns
// an error promptly, and the next question is answered.
func TestASigningWorkerIsKilledInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Env = append(s.Env, "BORDERO_SIGNED_URL_TTL=1s")
	s.Serve()
	worker := s.Start("work", "signing").Ready()
	var files []string
	for range 6 {
		path, err := s.Attach("a.txt", strings.NewReader("a"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	// The worker waits here, because it searches the statements for the attachment's file. The
	// scheduler, which sometimes searches them, may wait, too.
	tx, err := s.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() // no-op after the commit
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE bank_statements IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var asked sync.WaitGroup
	for _, path := range files {
		asked.Go(func() {
			if status := requestURL(t, s, path); status != http.StatusServiceUnavailable {
				t.Errorf("%s: %d without an answer", path, status)
			}
		})
	}
	testkit.Eventually(t, "the worker is in the middle of all answers", func() bool {
		return e2etest.Value[int](t, s.DB, `
			SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
			WHERE relation = 'bank_statements'::regclass AND NOT granted AND application_name LIKE '%signing'`) == len(
			files)
	})
	worker.Kill()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	worker = s.Start("work", "signing").Ready()
	asked.Wait()
	for _, path := range files {
		if status := requestURL(t, s, path); status != http.StatusFound {
			t.Errorf("%s: %d of the worker that is there", path, status)
		}
	}

	// Then the worker is killed at random moments while downloads run, and restarted.
	end := make(chan struct{})
	var signed, refused atomic.Int64
	for i := range 4 {
		asked.Go(func() {
			for n := i; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				if requestURL(t, s, files[n%len(files)]) == http.StatusFound {
					signed.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	for range 3 {
		before := signed.Load()
		testkit.Eventually(t, "downloads run", func() bool { return signed.Load() >= before+50 })
		worker.Kill()
		worker = s.Start("work", "signing").Ready()
	}
	close(end)
	asked.Wait()
	t.Logf("%d addresses, %d told to come again", signed.Load(), refused.Load())
	for _, path := range files {
		s.Address(t, path)
	}
}

// The sweep removes the file of an upload that was killed half-way, and no file that a row
// names.
func TestFilesThatNoRowNamesAreSwept(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	api := s.Start("api").Ready()
	if _, err := s.Attach("a.txt", strings.NewReader("kept")); err != nil {
		t.Fatal(err)
	}
	slow, end := blocking(bytes.Repeat([]byte("a"), 1<<20))
	done := make(chan struct{})
	go func() { defer close(done); _, _ = s.Attach("b.txt", slow) }()
	testkit.Eventually(t, "a half of a file is there", func() bool { return len(filesOf(t, s)) == 2 })
	api.Kill()
	close(end)
	<-done
	old := time.Now().Add(-48 * time.Hour)
	for _, file := range filesOf(t, s) {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	s.Start("scheduler").Ready()
	testkit.Eventually(t, "the half is swept", func() bool { return len(filesOf(t, s)) == 1 })
	if content, err := os.ReadFile(filesOf(t, s)[0]); err != nil || string(content) != "kept" {
		t.Errorf("%q is left: %v", content, err)
	}
}

// blocking returns a reader of content, which then blocks until end is closed.
func blocking(content []byte) (r *blocked, end chan struct{}) {
	end = make(chan struct{})
	return &blocked{bytes.NewReader(content), end}, end
}

type blocked struct {
	content *bytes.Reader // not embedded: io.Copy would use its WriteTo
	end     chan struct{}
}

func (b *blocked) Read(p []byte) (int, error) {
	if b.content.Len() == 0 {
		<-b.end
	}
	return b.content.Read(p)
}

func filesOf(t *testing.T, s *e2etest.Site) (files []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Files, "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
