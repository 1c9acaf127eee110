package up

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"bordero/deploy/private"
	"bordero/internal/testkit"
)

// The test binary is also the program of the Procfile, and an `up` to be killed. These variables
// select the role.
const (
	fakeVariable  = "UP_TEST_FAKE"  // the file into which each process writes its name when it ends
	childVariable = "UP_TEST_CHILD" // the data directory of an `up`
)

const procfile = `
# comment
api: bordero api
statements: bordero work statements

monitor: bordero monitor
`

func TestMain(m *testing.M) {
	syscall.Umask(0o022) // of root may be stricter, and PostgreSQL's plain user reads these directories
	switch {
	case os.Getenv(childVariable) != "":
		c := testConfig(os.Getenv(childVariable))
		c.Out = os.Stdout
		c.Environ = append(c.Environ, fakeVariable+"="+os.DevNull)
		fmt.Println(Run(context.Background(), c))
		os.Exit(1)
	case os.Getenv(fakeVariable) != "":
		fake()
	}
	if err := private.Install(context.Background(), func(s string) { fmt.Println(s) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fake is a process that is ready at once, serves its environment and records its end.
func fake() {
	name := strings.Join(os.Args[1:], " ")
	fmt.Println("this is", name)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /env", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(os.Environ()) })
	go http.ListenAndServe(os.Getenv("BORDERO_OPS_ADDR"), mux)
	if name == "api" {
		go http.ListenAndServe(os.Getenv("BORDERO_ADDR"), mux)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	<-end
	f, err := os.OpenFile(os.Getenv(fakeVariable), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		fmt.Fprintln(f, name)
	}
	os.Exit(0)
}

func testConfig(data string) Config {
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "BORDERO_") || name == "DATABASE_URL" || name == "REDIS_URL" ||
			name == childVariable
	})
	return Config{
		Data: data, Addr: "127.0.0.1:0", Binary: os.Args[0], Procfile: []byte(procfile), Environ: environ,
		Migrate: func(context.Context, string, string) error { return nil },
		Demo:    func(context.Context, []string) (Demo, error) { return Demo{"tok", 1, 2}, nil },
	}
}

// buffer collects output that is read while it grows.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// instance is an `up` under test.
type instance struct {
	Config
	out   *buffer
	order string // file
	stop  func() error
}

// start runs `up` until stop or the end of the test.
func start(t *testing.T, c Config) *instance {
	t.Helper()
	i := &instance{Config: c, out: &buffer{}, order: filepath.Join(t.TempDir(), "order")}
	i.Out = i.out
	i.Environ = append(slices.Clone(i.Environ), fakeVariable+"="+i.order)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, i.Config) }()
	i.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := i.stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(i.out.String())
		}
	})
	return i
}

// ready waits until `up` reports that it is ready, and returns the content of demo.json.
func (i *instance) ready(t *testing.T) demoFile {
	t.Helper()
	testkit.Eventually(t, "ready", func() bool { return strings.Contains(i.out.String(), "\nbordero is ready") })
	return readDemo(i.Data)
}

func (i *instance) pid(name string) int { return readPID(runPath(i.Data, name+".pid")) }

func dataDir(t *testing.T) string {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return filepath.Join(dir, "data")
}

// envOf asks a fake process for its environment.
func envOf(t *testing.T, opsURL string) environment {
	t.Helper()
	answer, err := http.Get(opsURL + "/env")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list []string
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return newEnvironment(list)
}
