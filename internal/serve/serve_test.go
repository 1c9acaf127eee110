package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bordero/internal/testkit"
)

func state(s State, detail string) func(context.Context) (State, string) {
	return func(context.Context) (State, string) { return s, detail }
}

func TestReady(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		checks []Check
		status int
		body   string
	}{
		"nothing to check": {nil, 200, `{"status":"ok","checks":{}}`},
		"all fine": {
			[]Check{{"postgres", true, state(OK, "")}, {"redis", false, state(OK, "")}}, 200,
			`{"status":"ok","checks":{"postgres":{"status":"ok"},"redis":{"status":"ok"}}}`,
		},
		"fine, with a remark": {
			[]Check{{"queues", false, state(OK, "paused: sales")}}, 200,
			`{"status":"ok","checks":{"queues":{"status":"ok","detail":"paused: sales"}}}`,
		},
		"one not required is down": {
			[]Check{{"postgres", true, state(OK, "")},
				{"redis", false, state(Down, "dial redis://x:secret@h:1/0: refused")}}, 200,
			`{"status":"degraded","checks":{"postgres":{"status":"ok"},"redis":{"status":"degraded","detail":"dial ` +
				`redis://h:1/0: refused"}}}`,
		},
		"a required one is down": {
			[]Check{{"postgres", true, state(Down, "gone")}, {"redis", false, state(Degraded, "full")}}, 503,
			`{"status":"down","checks":{"postgres":{"status":"down","detail":"gone"},"redis":{"status":"degraded",` +
				`"detail":"full"}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			NewHealth(c.checks...).Handler(http.NotFoundHandler()).ServeHTTP(w,
				httptest.NewRequest("GET", "/readyz", nil))
			if body := strings.TrimSpace(w.Body.String()); w.Code != c.status || body != c.body {
				t.Errorf("%d %s", w.Code, body)
			}
		})
	}
}

func TestPassing(t *testing.T) {
	t.Parallel()
	h := NewHealth(
		Check{"postgres", true, state(OK, "")}, Check{"redis", false, state(Down, "gone")},
		Check{"clock", false, state(Degraded, "late")},
	)
	want := map[string]bool{"all": true, "postgres": true, "redis": false, "clock": false}
	if got := h.Passing(t.Context()); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	h.stop()
	want["all"] = false
	if got := h.Passing(t.Context()); !maps.Equal(got, want) {
		t.Errorf("at the end %v", got)
	}
}

// Errors of drivers contain internal addresses.
func TestThePublicReadinessHasNoReasons(t *testing.T) {
	t.Parallel()
	h := NewHealth(
		Check{"postgres", true, state(OK, "")},
		Check{"redis", false, state(Down, "redis: dial tcp 10.1.2.3:6379: connect: connection refused")},
	)
	h.stop()
	for _, c := range []struct {
		listener http.Handler
		body     string
	}{
		{h.Ready(), `{"status":"down","checks":{"postgres":{"status":"ok"},"redis":{"status":"degraded"}}}`},
		{
			h.Handler(http.NotFoundHandler()),
			`{"status":"down","detail":"shutting down","checks":{"postgres":{"status":"ok"},` +
				`"redis":{"status":"degraded","detail":"redis: dial tcp 10.1.2.3:6379: connect: connection refused"}}}`,
		},
	} {
		w := httptest.NewRecorder()
		c.listener.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		if body := strings.TrimSpace(w.Body.String()); w.Code != 503 || body != c.body {
			t.Errorf("%d %s", w.Code, body)
		}
	}
}

func TestASilentDependencyIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := Check{Name: "redis", Required: true, Probe: func(ctx context.Context) (State, string) {
			time.Sleep(time.Minute) // on the test's clock; ignores its context
			return OK, ""
		}}
		checks := []Check{silent}
		for _, name := range strings.Split("abcdefgh", "") {
			checks = append(checks, Check{Name: name, Probe: state(OK, "")})
		}
		begun := time.Now()
		w := httptest.NewRecorder()
		NewHealth(checks...).Ready().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
		if w.Code != 503 || time.Since(begun) != 2*time.Second {
			t.Errorf("%d after %v: %s", w.Code, time.Since(begun), w.Body)
		}
		// it is not blamed on those that answered
		if others := strings.Count(w.Body.String(), `{"status":"ok"}`); others != 8 {
			t.Errorf("%d of 8 others are fine: %s", others, w.Body)
		}
		time.Sleep(time.Minute)
	})
}

func TestQuestionsShareAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		probes := 0
		h := NewHealth(Check{Name: "postgres", Probe: func(context.Context) (State, string) {
			probes++
			return OK, ""
		}})
		for range 100 {
			h.Ready().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/readyz", nil))
			time.Sleep(10 * time.Millisecond)
		}
		if probes < 3 || probes > 5 {
			t.Errorf("%d probes in a second", probes)
		}
	})
}

// run starts p and returns the addresses of its listeners.
func run(t *testing.T, ctx context.Context, p *Process) (addrs map[string]string, ended <-chan error) {
	t.Helper()
	logged, w := io.Pipe()
	p.Log = slog.New(slog.NewJSONHandler(w, nil))
	if p.Health == nil {
		p.Health = NewHealth()
	}
	done := make(chan error, 1)
	go func() {
		done <- p.Run(ctx)
		w.Close()
	}()
	addrs = map[string]string{}
	lines := bufio.NewScanner(logged)
	for len(addrs) < len(p.Listeners) && lines.Scan() {
		var line struct{ Name, Addr string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		addrs[line.Name] = line.Addr
	}
	go io.Copy(io.Discard, logged)
	return addrs, done
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(body))
}

func TestTheEndIsInOrder(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	begun, finish, workMayEnd := make(chan bool), make(chan bool), make(chan bool)
	health := NewHealth()
	addrs, ended := run(t, ctx, &Process{
		Health: health,
		Listeners: []Listener{
			{"api", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(begun)
				<-finish
				if r.Context().Err() != nil {
					w.WriteHeader(500)
				}
			})},
			{"ops", "127.0.0.1:0", health.Handler(http.NotFoundHandler())},
		},
		Work: func(ctx context.Context) error { <-ctx.Done(); <-workMayEnd; return nil },
	})
	ops := "http://" + addrs["ops"]
	if status, body := get(t, ops+"/readyz"); status != 200 {
		t.Fatal(status, body)
	}
	answered := make(chan int, 1)
	go func() {
		status, _ := get(t, "http://"+addrs["api"])
		answered <- status
	}()
	<-begun
	stop()
	// While the work and the request continue, the ops listener reports the shutdown.
	testkit.Eventually(t, "not ready: shutting down", func() bool {
		status, body := get(t, ops+"/readyz")
		return status == 503 && strings.Contains(body, `"detail":"shutting down"`)
	})
	if status, _ := get(t, ops+"/healthz"); status != 200 {
		t.Error("not alive any more")
	}
	close(workMayEnd)
	close(finish)
	if status := <-answered; status != 200 {
		t.Errorf("the request in flight was answered with %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if status, _ := get(t, ops+"/healthz"); status != 0 {
		t.Error("still there")
	}
}

// A client that connected before the end is answered, although its request comes later.
func TestAConnectionBeforeTheEndIsAnswered(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	addrs, ended := run(t, ctx, &Process{Health: NewHealth(), Listeners: []Listener{{"api", "127.0.0.1:0", nothing}}})
	client, err := net.Dial("tcp", addrs["api"])
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, _ = get(t, "http://"+addrs["api"]) // connections are accepted in their order
	stop()
	testkit.Eventually(t, "no new connections", func() bool {
		status, _ := get(t, "http://"+addrs["api"])
		return status == 0
	})
	if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: api\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil || answer.StatusCode != 200 || !answer.Close {
		t.Errorf("%+v, %v", answer, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A proxy uses its connections again and again. Each request that it sends before an answer ends the connection is
// answered, although the process ends meanwhile.
func TestTheConnectionsOfAProxyEndWithAnAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var answered atomic.Int64
	addrs, ended := run(t, ctx, &Process{Health: NewHealth(), Listeners: []Listener{{"api", "127.0.0.1:0",
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered.Add(1) })}}})
	var connections sync.WaitGroup
	for range 20 {
		conn, err := net.Dial("tcp", addrs["api"])
		if err != nil {
			t.Fatal(err)
		}
		connections.Go(func() {
			defer conn.Close()
			answers := bufio.NewReader(conn)
			for pauses := time.NewTicker(10 * time.Millisecond); ; <-pauses.C {
				const request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
				if _, err := io.WriteString(conn, request); err != nil {
					t.Errorf("a request: %v", err)
					return
				}
				answer, err := http.ReadResponse(answers, nil)
				if err != nil {
					t.Errorf("an answer: %v", err)
					return
				}
				if answer.Close {
					return
				}
			}
		})
	}
	testkit.Eventually(t, "all connections are in use", func() bool { return answered.Load() > 100 })
	cancel()
	connections.Wait()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A client whose connection waits for a place when the process ends, unaccepted, is answered.
func TestAWaitingConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	begun, finish := make(chan bool, 5), make(chan bool) // a place for each client
	addrs, ended := run(t, ctx, &Process{
		Health: NewHealth(),
		Limits: Limits{Connections: 1, PerPeer: 9},
		Listeners: []Listener{{"api", "127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			begun <- true
			<-finish
		})}},
	})
	var clients []net.Conn
	for range 5 {
		client, err := net.Dial("tcp", addrs["api"])
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: api\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	<-begun
	gone, err := net.Dial("tcp", addrs["api"]) // a client that resets its connection has no address any more
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gone.(*net.TCPConn).SetLinger(0), gone.Close()); err != nil {
		t.Fatal(err)
	}
	stop()
	testkit.Eventually(t, "no new connections", func() bool {
		client, err := net.Dial("tcp", addrs["api"])
		if err == nil {
			client.Close()
		}
		return err != nil
	})
	close(finish)
	for i, client := range clients {
		if answer, err := http.ReadResponse(bufio.NewReader(client), nil); err != nil || answer.StatusCode != 200 {
			t.Errorf("client %d: %+v, %v", i, answer, err)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestOneSocketOfSystemdIsServed(t *testing.T) {
	t.Parallel()
	var passed []net.Listener
	for range 2 {
		socket, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		passed = append(passed, socket)
	}
	if socket, err := only(passed[:1], "api"); err != nil || socket != passed[0] {
		t.Error(socket, err)
	}
	if _, err := only(passed, "api"); err == nil || !strings.Contains(err.Error(), passed[1].Addr().String()) {
		t.Errorf("two sockets: %v", err)
	}
}

func TestASocketIsAtTheConfiguredAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		socket, configured string
		want               bool
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", true}, {"127.0.0.1:8080", "localhost:8080", true},
		{"[::]:8080", ":8080", true}, {"[::]:8080", "0.0.0.0:8080", true}, {"0.0.0.0:8080", ":8080", true},
		{"127.0.0.1:8080", "127.0.0.1:8081", false}, {"127.0.0.1:8080", ":8080", false},
		{"127.0.0.1:8080", "10.1.2.3:8080", false},
	} {
		socket := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.socket))
		if got := isAt(socket, c.configured); got != c.want {
			t.Errorf("%s is at %s: %t", c.socket, c.configured, got)
		}
	}
	if isAt(&net.UnixAddr{Name: "/run/bordero", Net: "unix"}, "127.0.0.1:8080") {
		t.Error("a Unix socket is at a port")
	}
}

func TestGraceIsBounded(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	begun, release := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(release) })
	addrs, ended := run(t, ctx, &Process{
		Grace: time.Millisecond,
		Listeners: []Listener{{"api", "127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			close(begun)
			<-release
		})}},
	})
	asked := make(chan int, 1)
	go func() {
		status, _ := get(t, "http://"+addrs["api"])
		asked <- status
	}()
	<-begun
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Error(err)
	}
	if status := <-asked; status != 0 {
		t.Errorf("answered with %d", status)
	}
}

func TestWorkThatFailsEndsTheProcess(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, ended := run(t, t.Context(), &Process{
		Listeners: []Listener{{"ops", "127.0.0.1:0", http.NotFoundHandler()}},
		Work:      func(context.Context) error { return broken },
	})
	if err := <-ended; !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestATakenAddressIsNamed(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := Process{Log: slog.New(slog.DiscardHandler), Health: NewHealth(), Listeners: []Listener{
		{"ops", "127.0.0.1:0", http.NotFoundHandler()}, {"api", l.Addr().String(), http.NotFoundHandler()},
		{"none", "", nil},
	}}
	if err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "listen for api: listen tcp "+
		l.Addr().String()) {
		t.Error(err)
	}
}
