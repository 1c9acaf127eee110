package db

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// A server that vanishes, which a test cannot imitate on one machine, ends a read within this time.
func TestConnectionsToAVanishedServerEnd(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c, err := newDialer().DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for option, want := range map[int]int{
		unix.TCP_USER_TIMEOUT: 10_000, // milliseconds
		unix.TCP_KEEPIDLE:     5,      // seconds
	} {
		var got int
		controlled := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option) })
		if controlled != nil || err != nil || got != want {
			t.Errorf("the option %d is %d, want %d; %v, %v", option, got, want, controlled, err)
		}
	}
}
