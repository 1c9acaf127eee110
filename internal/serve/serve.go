// Package serve runs the listeners of a process and reports its health. Every process uses
// the same timeouts against slow clients, /healthz and /readyz, and graceful shutdown: the
// process first reports that it is not ready, then waits for its work and the requests in
// flight.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
)

// Listener is an address and its handler. An empty Addr disables it. A socket of systemd with its name takes the place
// of the address.
type Listener struct {
	Name    string // in the log and in errors
	Addr    string
	Handler http.Handler
}

// Process lists the servers and the work of one process.
type Process struct {
	Log       *slog.Logger
	Health    *Health                         // reports not ready as soon as Run's ctx ends
	Listeners []Listener                      // closed in this order; last the ops listener, to report the shutdown
	Work      func(ctx context.Context) error // the process's other work, if any; must return soon after ctx ends
	Limits    Limits
	Grace     time.Duration // for requests in flight at shutdown; 15 s when 0
}

// Limits limits the connections to each listener.
type Limits struct {
	Connections int            // at a time; further ones wait; no limit when 0
	PerPeer     int            // of one address; further ones are closed; a quarter of Connections when 0
	Proxies     []netip.Prefix // exempt from PerPeer
}

// Run opens every listener and runs until ctx ends, a listener fails or Work returns. Then
// it stops in order: it reports not ready, waits for Work, and closes one listener after
// the other once its last request is answered. Requests that outlast Grace are cut off. The
// error is nil if ctx ended and the shutdown was clean.
func (p *Process) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open, failed, err := p.open(ctx)
	if err != nil {
		return err
	}
	go p.Health.tellUntilReady(ctx, p.Log)
	worked := make(chan error, 1)
	go func() {
		if p.Work == nil {
			<-ctx.Done()
			worked <- nil
			return
		}
		worked <- p.Work(ctx)
	}()

	var ended error
	select {
	case <-ctx.Done():
	case ended = <-failed:
	case ended = <-worked:
		worked <- nil
	}
	p.Health.stop()
	cancel()
	return errors.Join(ended, <-worked, p.close(ctx, open))
}

// open listens on every address before the first request is answered.
func (p *Process) open(ctx context.Context) ([]*server, <-chan error, error) {
	listeners := slices.DeleteFunc(slices.Clone(p.Listeners), func(l Listener) bool { return l.Addr == "" })
	sockets := make([]net.Listener, 0, len(listeners))
	for _, l := range listeners {
		socket, err := listen(ctx, l)
		if err != nil {
			for _, opened := range sockets {
				opened.Close()
			}
			return nil, nil, fmt.Errorf("listen for %s: %w", l.Name, err)
		}
		sockets = append(sockets, socket)
	}
	var servers []*server
	failed := make(chan error, len(listeners))
	for i, l := range listeners {
		s := p.server(ctx, l.Handler, sockets[i])
		servers = append(servers, s)
		p.Log.Info("listening", "name", l.Name, "addr", s.socket.Addr().String())
		if _, ours := s.socket.(*backlog); !ours && !isAt(s.socket.Addr(), l.Addr) {
			p.Log.Warn("the socket of systemd decides the address, not the configuration", "name", l.Name,
				"configured", l.Addr)
		}
		go func() {
			defer close(s.accepted)
			if err := s.Serve(p.limited(s.socket)); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve %s: %w", l.Name, err)
			}
		}()
	}
	return servers, failed, nil
}

// limited returns socket with the limits of the process.
func (p *Process) limited(socket net.Listener) net.Listener {
	most := p.Limits.Connections
	if most == 0 {
		return socket
	}
	perPeer := cmp.Or(p.Limits.PerPeer, max(1, most/4))
	return netutil.LimitListener(&peers{Listener: socket, most: perPeer, proxies: p.Limits.Proxies,
		open: map[netip.Prefix]int{}}, most)
}

// server is a server with the socket that it listens on.
type server struct {
	http.Server
	socket      net.Listener
	accepted    chan struct{} // closed after the last connection of the socket was accepted
	connections connections
	ends        atomic.Bool // answers say Connection: close
}

// server returns a server of h with limits against slow and greedy clients.
func (p *Process) server(ctx context.Context, h http.Handler, socket net.Listener) *server {
	s := &server{socket: socket, accepted: make(chan struct{})}
	s.Server = http.Server{
		Handler:           s.lastAnswers(withTransferDeadlines(h)),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Log.Handler(), slog.LevelWarn),
		ConnState:         s.connections.count,
		// A request continues when the process begins to stop.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	return s
}

// lastAnswers adds Connection: close to the answers of a server that ends.
func (s *server) lastAnswers(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.ends.Load() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

func (p *Process) close(ctx context.Context, servers []*server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(p.Grace, 15*time.Second))
	defer cancel()
	var cut error
	for _, s := range servers {
		s.ends.Store(true)
		s.socket.Close()
		s.connections.linger(ctx)
		s.SetKeepAlivesEnabled(false) // which closes idle connections, so that waiting clients get their places
		select {
		case <-s.accepted:
		case <-ctx.Done():
		}
		s.connections.begin(ctx)
		if err := s.Shutdown(ctx); err != nil {
			s.Close()
			cut = errors.New("requests in flight were cut off at the end")
		}
	}
	return cut
}
