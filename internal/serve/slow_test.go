package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bordero/internal/testkit"
)

// pipeListener serves connections in memory, whose deadlines follow the test's clock.
type pipeListener struct{ conns chan net.Conn }

func (l pipeListener) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l pipeListener) Close() error   { return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// dial serves the handler and returns a connection to it.
func dial(t *testing.T, h http.HandlerFunc) net.Conn {
	t.Helper()
	l := pipeListener{make(chan net.Conn, 1)}
	server := (&Process{Log: slog.New(slog.DiscardHandler)}).server(context.Background(), h, l)
	go server.Serve(l) // ends with the test
	client, conn := net.Pipe()
	l.conns <- conn
	t.Cleanup(func() { client.Close(); close(l.conns); server.Close() })
	return client
}

func TestSlowBodiesAreGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kilobytes int
		every     time.Duration // per kilobyte
		pause     time.Duration // before the last one
		whole     bool
		within    time.Duration // if it is not whole
	}{
		"a slow line":              {500, 200 * time.Millisecond, 0, true, 0},
		"slower than any":          {500, time.Second, 0, false, 2 * slowAfter},
		"nothing more":             {500, time.Hour, 0, false, 2 * slowAfter},
		"all but the last at once": {4 << 10, 0, time.Hour, false, slowAfter + time.Second},
		"a slow line for too long": {50 << 10, 200 * time.Millisecond, 0, false, wholeAfter + wholeAfter/5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				read, took := make(chan int64, 1), time.Duration(0)
				begun := time.Now()
				client := dial(t, func(w http.ResponseWriter, r *http.Request) {
					n, _ := io.Copy(io.Discard, r.Body)
					took = time.Since(begun)
					time.Sleep(time.Hour) // the handler's own time does not count
					if r.Context().Err() != nil && c.whole {
						t.Error("the request was cancelled while it was worked on")
					}
					read <- n
				})
				go io.Copy(io.Discard, client)
				go func() {
					fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", c.kilobytes<<10)
					for i := range c.kilobytes {
						if i == c.kilobytes-1 {
							time.Sleep(c.pause)
						}
						if _, err := client.Write(make([]byte, 1<<10)); err != nil {
							return
						}
						time.Sleep(c.every)
					}
				}()
				n := <-read
				if whole := n == int64(c.kilobytes)<<10; whole != c.whole || !whole && took > c.within {
					t.Errorf("%d bytes were read in %v", n, took)
				}
				client.Close()
				time.Sleep(4 * time.Hour)
			})
		})
	}
}

// net/http reads the part of a body that the handler has left unread, before it answers.
func TestUnreadBodiesAreGivenUp(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"with a GET":       "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"short":            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
		"long":             "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n",
		"chunked":          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
		"begun":            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n12345",
		"behind a promise": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
	} {
		for _, answer := range []int{2, 64 << 10} { // net/http buffers the smaller one until the end
			t.Run(fmt.Sprint(name, " ", answer), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					client := dial(t, func(w http.ResponseWriter, _ *http.Request) {
						fmt.Fprint(w, strings.Repeat("x", answer))
					})
					begun := time.Now()
					fmt.Fprint(client, head)
					_, _ = io.Copy(io.Discard, client) // until it is cut off
					if took := time.Since(begun); took > unread+time.Second {
						t.Errorf("open for %v", took)
					}
				})
			})
		}
	}
}

func TestUnreadAnswersAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan time.Duration, 1)
		begun := time.Now()
		client := dial(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 100<<20)) // one call, as of a list
			failed <- time.Since(begun)
		})
		fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if took := <-failed; took > 2*slowAfter {
			t.Errorf("given up after %v", took)
		}
		client.Close()
		time.Sleep(time.Hour)
	})
}

func TestSlowReadersAreGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pieces int
		every  time.Duration // per 64 KiB
		whole  bool
	}{
		"a slow line":              {100, 10 * time.Second, true},
		"slower than any":          {100, 40 * time.Second, false},
		"a slow line for too long": {300, 10 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				written := make(chan int, 1)
				client := dial(t, func(w http.ResponseWriter, _ *http.Request) {
					n, _ := w.Write(make([]byte, c.pieces*slowPiece))
					written <- n
				})
				fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				go func() {
					for {
						if _, err := io.CopyN(io.Discard, client, slowPiece); err != nil {
							return
						}
						time.Sleep(c.every)
					}
				}()
				if n := <-written; (n == c.pieces*slowPiece) != c.whole {
					t.Errorf("%d of %d pieces are written", n/slowPiece, c.pieces)
				}
				client.Close()
				time.Sleep(time.Hour)
			})
		})
	}
}

func TestAConnectionIsGoodAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := dial(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			fmt.Fprint(w, "ok")
		})
		answers := bufio.NewReader(client)
		for range 2 {
			fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "ok" {
				t.Errorf("%q %v", body, err)
			}
			time.Sleep(time.Minute) // longer than the limit of a body, shorter than that of an idle connection
		}
		client.Close()
		time.Sleep(time.Second)
	})
}

func TestARecorderIsNoConnection(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	withTransferDeadlines(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })).
		ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("a")))
	if w.Body.String() != "a" {
		t.Error(w.Body)
	}
}

func TestHeadsAreLimited(t *testing.T) {
	t.Parallel()
	never := func(http.ResponseWriter, *http.Request) { t.Error("a request without an end is handled") }
	t.Run("in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			client := dial(t, never)
			fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: x\r\n")
			_, _ = io.Copy(io.Discard, client) // until it is cut off
			if took := time.Since(begun); took != 10*time.Second {
				t.Errorf("given up after %v", took)
			}
		})
	})
	t.Run("in size", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		addrs, ended := run(t, ctx, &Process{Listeners: []Listener{{"api", "127.0.0.1:0", http.HandlerFunc(never)}}})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addrs["api"], nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Long", strings.Repeat("x", 80<<10))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Error(answer.Status)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	addrs, ended := run(t, ctx, &Process{Limits: Limits{Connections: 1}, Listeners: []Listener{
		{"api", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {})}}})
	first, err := net.Dial("tcp", addrs["api"])
	if err != nil {
		t.Fatal(err)
	}
	ask := func(c net.Conn) { fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
	ask(first)
	if _, err := http.ReadResponse(bufio.NewReader(first), nil); err != nil {
		t.Fatal(err)
	}
	second, err := net.Dial("tcp", addrs["api"])
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	ask(second)
	_ = second.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := second.Read(make([]byte, 1)); err == nil {
		t.Error("answered beside the first")
	}
	_ = second.SetReadDeadline(time.Time{})
	first.Close()
	if answer, err := http.ReadResponse(bufio.NewReader(second), nil); err != nil ||
		answer.StatusCode != http.StatusOK {
		t.Errorf("after the first has gone: %v %v", answer, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestOneAddressCannotHaveAllConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits Limits
		most   int
	}{
		"a quarter":    {Limits{Connections: 12}, 3},
		"as is said":   {Limits{Connections: 12, PerPeer: 5}, 5},
		"at least one": {Limits{Connections: 2}, 1},
		"a proxy has all": {
			Limits{Connections: 12, PerPeer: 1, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, 7},
		"another has a few": {
			Limits{Connections: 12, PerPeer: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			addrs, ended := run(t, ctx, &Process{
				Limits: c.limits, Listeners: []Listener{
					{"api", "127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}}})
			ask := func() (net.Conn, error) {
				conn, err := net.Dial("tcp", addrs["api"])
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
				fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				_, err = http.ReadResponse(bufio.NewReader(conn), nil)
				return conn, err
			}
			var last net.Conn
			answered := 0
			for range 7 {
				if conn, err := ask(); err == nil {
					last = conn
					answered++
				}
			}
			if answered != c.most {
				t.Errorf("%d connections, want %d", answered, c.most)
			}
			last.Close()
			testkit.Eventually(t, "the server has seen the end of the last connection", func() bool {
				_, err := ask()
				return err == nil
			})
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPeers(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"10.1.2.3": "10.1.2.3/32", "::ffff:10.1.2.3": "10.1.2.3/32", "2001:db8:1:2:3::4": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64",
	} {
		if got := peerOf(netip.MustParseAddr(addr)).String(); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}

func TestAShutdownWaitsForNoUnreadBody(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	handled := make(chan bool)
	addrs, ended := run(t, ctx,
		&Process{Listeners: []Listener{
			{"api", "127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(handled) })}}})
	conn, err := net.Dial("tcp", addrs["api"])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
	<-handled
	stop()
	if err := <-ended; err != nil { // the grace period is over
		t.Error(err)
	}
}
