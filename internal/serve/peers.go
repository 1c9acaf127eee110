package serve

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// peers is a listener that limits the connections of each peer and closes further ones at
// once. A peer is an IPv4 address or an IPv6 network of 64 bits, which a provider assigns
// to one customer.
type peers struct {
	net.Listener
	most    int // connections of one peer
	proxies []netip.Prefix

	mu   sync.Mutex
	open map[netip.Prefix]int
}

func (p *peers) Accept() (net.Conn, error) {
	for {
		c, err := p.Listener.Accept()
		if err != nil {
			return nil, err
		}
		addr, err := netip.ParseAddrPort(c.RemoteAddr().String())
		if err != nil { // not an IP address
			return c, nil
		}
		peer := peerOf(addr.Addr())
		if slices.ContainsFunc(p.proxies, func(n netip.Prefix) bool { return n.Contains(addr.Addr().Unmap()) }) {
			return c, nil
		}
		if p.take(peer) {
			return &peerConn{Conn: c, gone: sync.OnceFunc(func() { p.drop(peer) })}, nil
		}
		_ = c.Close()
	}
}

// peerOf returns the network that counts as one peer.
func peerOf(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	return netip.PrefixFrom(addr, bits).Masked()
}

func (p *peers) take(peer netip.Prefix) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[peer] >= p.most {
		return false
	}
	p.open[peer]++
	return true
}

func (p *peers) drop(peer netip.Prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[peer]--; p.open[peer] == 0 {
		delete(p.open, peer)
	}
}

// peerConn is a connection that counts until it is closed.
type peerConn struct {
	net.Conn
	gone func()
}

func (c *peerConn) Close() error {
	defer c.gone()
	return c.Conn.Close()
}
