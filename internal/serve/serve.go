// Package serve runs the listeners of a process and tells how the process fares.
// It is apart because every process has the same: timeouts against slow clients,
// /healthz and /readyz, and an end that cuts nothing off: readiness goes first,
// then the work and the requests in flight are waited for.
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
	"time"

	"golang.org/x/net/netutil"
)

// Listener is one address and what answers there. An empty Addr means none.
type Listener struct {
	Name    string // as the log and errors name it
	Addr    string
	Handler http.Handler
}

// Process is what one process serves and does.
type Process struct {
	Log       *slog.Logger
	Health    *Health                         // not ready any more from the moment Run's ctx ends
	Listeners []Listener                      // closed in this order: the ops listener last, so that it shows the end
	Work      func(ctx context.Context) error // what else the process does, if anything; it ends soon after ctx
	Limits    Limits
	Grace     time.Duration // for the requests in flight at the end; 15 s when 0
}

// Limits bound the connections of clients to each listener.
type Limits struct {
	Connections int            // at a time; more wait until one ends; 10,000 when 0
	PerPeer     int            // of these from one address; more are closed; a quarter of Connections when 0
	Proxies     []netip.Prefix // exempt from PerPeer
}

// Run opens every listener and runs until ctx ends, a listener fails or Work
// returns. Then it ends in order: not ready, Work has returned, each listener in
// turn has answered its last request. Requests that outlast Grace are cut off.
// The error is nil when ctx ended and all went well.
func (p *Process) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	servers, failed, err := p.open(ctx)
	if err != nil {
		return err
	}
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
	return errors.Join(ended, <-worked, p.close(ctx, servers))
}

// open listens on every address before the first request is answered.
func (p *Process) open(ctx context.Context) ([]*http.Server, <-chan error, error) {
	listeners := slices.DeleteFunc(slices.Clone(p.Listeners), func(l Listener) bool { return l.Addr == "" })
	sockets := make([]net.Listener, 0, len(listeners))
	for _, l := range listeners {
		socket, err := new(net.ListenConfig).Listen(ctx, "tcp", l.Addr)
		if err != nil {
			for _, opened := range sockets {
				opened.Close()
			}
			return nil, nil, fmt.Errorf("listen for %s: %w", l.Name, err)
		}
		most := cmp.Or(p.Limits.Connections, 10_000)
		peers := &peers{Listener: socket, most: cmp.Or(p.Limits.PerPeer, max(1, most/4)), proxies: p.Limits.Proxies, open: map[netip.Prefix]int{}}
		sockets = append(sockets, netutil.LimitListener(peers, most))
	}
	var servers []*http.Server
	failed := make(chan error, len(listeners))
	for i, l := range listeners {
		server := p.server(ctx, l.Handler)
		servers = append(servers, server)
		p.Log.Info("listening", "name", l.Name, "addr", sockets[i].Addr().String())
		go func() {
			if err := server.Serve(sockets[i]); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve %s: %w", l.Name, err)
			}
		}()
	}
	return servers, failed, nil
}

// server answers with h, within the limits that slow and greedy clients meet.
func (p *Process) server(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           unhurried(h),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Log.Handler(), slog.LevelWarn),
		// A request goes on when the process is told to end.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
}

func (p *Process) close(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(p.Grace, 15*time.Second))
	defer cancel()
	var cut error
	for _, server := range servers {
		if err := server.Shutdown(ctx); err != nil {
			server.Close()
			cut = errors.New("requests in flight were cut off at the end")
		}
	}
	return cut
}
