package up

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestProcfile(t *testing.T) {
	t.Parallel()
	all, err := parseProcfile([]byte("# one\n\napi: bordero api\n  work-2:bordero  work   statements \n"))
	if err != nil || len(all) != 2 || all[0].name != "api" || all[1].name != "work-2" ||
		strings.Join(all[1].words, ",") != "bordero,work,statements" {
		t.Errorf("%v %v", all, err)
	}
	for _, bad := range []string{"api", "api:", "a b: c", "api: x\napi: y", "postgres: x", ": x"} {
		if _, err := parseProcfile([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestLinesAreNotInterleaved(t *testing.T) {
	t.Parallel()
	var b buffer
	o := newOutput(&b)
	api, worker := o.process("api"), o.process("worker")
	err := o.step("waiting", func() error {
		api.Write([]byte("one\ntw"))
		worker.Write([]byte("other\n"))
		api.Write([]byte("o\nthree"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	api.flush()
	api.flush()
	want := "waiting ...\napi        | one\nworker     | other\napi        | two\nwaiting ... 0.0s\napi        | " +
		"three\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
	if err := o.step("failing", func() error { return errors.New("x") }); err == nil ||
		!strings.HasSuffix(b.String(), "failing ... failed\n") {
		t.Errorf("%v %q", err, b.String())
	}
	long := strings.Repeat("x", 3*longest)
	api.Write([]byte(long))
	if got := strings.Count(b.String(), "x"); got < 3*longest {
		t.Errorf("%d of %d", got, len(long))
	}
}

// stubborn is a child that ends only when it is killed.
type stubborn struct{ done chan struct{} }

func (s stubborn) Start(context.Context) error { return nil }
func (s stubborn) Done() <-chan struct{}       { return s.done }
func (s stubborn) Err() error                  { return nil }
func (s stubborn) PID() int                    { return 1 }
func (s stubborn) Stop(ctx context.Context) error {
	<-ctx.Done()
	close(s.done)
	return errors.New("killed")
}

func TestStoppingIsBounded(t *testing.T) {
	t.Parallel()
	u := &up{Config: Config{Data: t.TempDir()}, out: newOutput(&buffer{})}
	u.supervise("one", stubborn{make(chan struct{})})
	u.supervise("two", stubborn{make(chan struct{})})
	if err := stopAll(u.running, time.Millisecond); err == nil || strings.Count(err.Error(), "killed") != 2 {
		t.Error(err)
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":8080": "127.0.0.1:8080", "0.0.0.0:1": "127.0.0.1:1", "[::]:1": "127.0.0.1:1", "localhost:1": "localhost:1",
		"127.0.0.1:9": "127.0.0.1:9",
	} {
		if got := reachable(addr); got != want {
			t.Errorf("%s: %s", addr, got)
		}
	}
}

func TestLocalWebhooksNeedLoopback(t *testing.T) {
	t.Parallel()
	const name = "BORDERO_WEBHOOK_ALLOW_CIDRS"
	for _, c := range []struct{ addr, monitor, allowed, want string }{
		{"127.0.0.1:8080", "localhost:8081", "", "127.0.0.0/8,::1/128"},
		{"[::1]:8080", "127.0.0.1:8081", "10.0.0.0/8", "10.0.0.0/8,127.0.0.0/8,::1/128"},
		{":8080", "127.0.0.1:8081", "", ""},
		{"192.0.2.1:8080", "127.0.0.1:8081", "", ""},
		{"127.0.0.1:8080", "0.0.0.0:8081", "", ""},
	} {
		u := &up{Config: Config{Addr: c.addr}, env: environment{"BORDERO_MONITOR_ADDR": c.monitor, name: c.allowed}}
		err := u.allowLocalWebhooks()
		if (err == nil) != (c.want != "") || err == nil && u.env[name] != c.want {
			t.Errorf("%+v: %v, %s", c, err, u.env[name])
		}
	}
}
