package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/e2e/e2etest"
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
	e2etest.Await(t, "the address has expired", func() bool { return e2etest.Fetch(t, address).Status == http.StatusForbidden })
	if again := s.Address(t, path); e2etest.Fetch(t, again).Status != http.StatusOK {
		t.Error("another address is not good")
	}
}

// A question waits for its answer, but not for long, and the next one finds the
// worker that is back.
func TestDownloadsWithoutTheirWorkerOrRedis(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Env = append(s.Env, "BORDERO_SIGNED_URL_TTL=1s")
	s.Serve()
	var files []string // one for each try: no address is reused
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
		if took > 3*time.Second {
			t.Errorf("%s: told after %v", why, took)
		}
	}
	refused("no worker")
	worker := s.Start("work", "signing").Ready()
	s.Address(t, files[0])
	files = files[1:]
	worker.Signal(syscall.SIGSTOP)
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

// What an upload left behind that was killed half-way is swept; a file that a row
// names stays.
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
	e2etest.Await(t, "a half of a file is there", func() bool { return len(filesOf(t, s)) == 2 })
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
	e2etest.Await(t, "the half is swept", func() bool { return len(filesOf(t, s)) == 1 })
	if content, err := os.ReadFile(filesOf(t, s)[0]); err != nil || string(content) != "kept" {
		t.Errorf("%q is left: %v", content, err)
	}
}

// blocking gives content and then nothing, until end is closed.
func blocking(content []byte) (r *blocked, end chan struct{}) {
	end = make(chan struct{})
	return &blocked{bytes.NewReader(content), end}, end
}

type blocked struct {
	content *bytes.Reader // not embedded: it would be copied at once
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
	files, err := filepath.Glob(filepath.Join(s.Files, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
