package e2e

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"bordero/e2e/e2etest"
)

// systemd holds the API's socket while it restarts the only API: new connections wait for the next process.
func TestARestartOfTheOnlyAPIRefusesNobody(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	l, err := net.Listen("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var sent sync.WaitGroup
	phase := 0
	send := func(n int) {
		phase++
		for range n {
			phase := phase
			sent.Go(func() {
				r, err := client.Get(s.URL + "/healthz")
				if err != nil {
					t.Error(phase, err)
					return
				}
				r.Body.Close()
				if r.StatusCode != http.StatusOK {
					t.Error(r.Status)
				}
			})
		}
	}
	api := s.StartOn(socket, "api").Ready()
	for range 2 { // requests while the API runs, ends, is away and starts
		send(80)
		api.Signal(syscall.SIGTERM)
		send(80)
		api.Ended()
		send(80)
		api = s.StartOn(socket, "api")
		send(10)
		api.Ready()
	}
	sent.Wait()

	const warning = "the socket of systemd decides the address"
	if strings.Contains(api.Out.String(), warning) {
		t.Errorf("the address is the configured one: %s", api.Out)
	}
	api.Signal(syscall.SIGTERM)
	api.Ended()
	s.Env = append(s.Env, "BORDERO_ADDR=127.0.0.1:1")
	if said := s.StartOn(socket, "api").Ready().Out.String(); !strings.Contains(said, warning) {
		t.Errorf("BORDERO_ADDR had no effect, without a word: %s", said)
	}
}
