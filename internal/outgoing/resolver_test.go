package outgoing

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver answers every name but some with 127.0.0.1, like a resolver that reads numbers
// as addresses.
func resolver(t *testing.T) *net.Resolver {
	t.Helper()
	var lookups atomic.Int64 // of the name that rebinds
	answer := func(name string) []string {
		switch name {
		case "several.example.":
			return []string{"10.0.0.1", "127.0.0.1"}
		case "metadata.google.internal.":
			return []string{"169.254.169.254"}
		case "rebinds.example.":
			if lookups.Add(1) == 1 {
				return []string{"93.184.216.34"}
			}
		}
		return []string{"127.0.0.1"}
	}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			_ = serveDNS(far, answer)
		}()
		return near, nil
	}}
}

// serveDNS answers questions of type A as a server on TCP does: each message follows its
// length.
func serveDNS(conn net.Conn, answer func(string) []string) error {
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return err
		}
		message := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, message); err != nil {
			return err
		}
		var m dnsmessage.Message
		if err := m.Unpack(message); err != nil {
			return err
		}
		m.Response, m.Additionals = true, nil
		for _, q := range m.Questions {
			switch q.Name.String() {
			case "unknown.example.":
				m.RCode = dnsmessage.RCodeNameError
			case "broken.example.":
				m.RCode = dnsmessage.RCodeServerFailure
			}
			header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}
			switch {
			case m.RCode != dnsmessage.RCodeSuccess:
			case q.Type == dnsmessage.TypeAAAA && q.Name.String() == "mapped.example.":
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{
					AAAA: netip.MustParseAddr("::ffff:127.0.0.1").As16()}})
			case q.Type == dnsmessage.TypeA && q.Name.String() != "mapped.example.":
				for _, a := range answer(q.Name.String()) {
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{
						A: netip.MustParseAddr(a).As4()}})
				}
			}
		}
		packed, err := m.Pack()
		if err != nil {
			return err
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))),
			packed...)); err != nil {
			return err
		}
	}
}
