package storage_test

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// An operator reads from the reason what to mend: an address, a name or a file.
func TestWhyTheDatabaseCannotBeReached(t *testing.T) {
	t.Parallel()
	secured := tlsServer(t)
	plain, authority := server(t, func(c net.Conn) { _, _ = c.Write([]byte("N")) }), otherAuthority(t)
	const strange = "x509: certificate signed by unknown authority"
	for server, want := range map[string]string{
		"127.0.0.1:1/b?sslmode=disable":     "does not answer: connect: connection refused",
		"bordero.invalid/b?sslmode=disable": "does not answer: lookup bordero.invalid",
		plain + "/b?sslmode=require":        "cannot be asked: pq: SSL is not enabled on the server",

		secured + "/b?sslmode=verify-full&sslrootcert=/none.pem": "cannot be asked: open /none.pem: " +
			"no such file",
		secured + "/b?sslmode=verify-full&sslrootcert=" + authority: "cannot be trusted: tls: failed to verify " +
			"certificate: " + strange,
		secured + "/b?sslmode=verify-ca&sslrootcert=" + authority: "cannot be trusted: " + strange,
	} {
		pool, err := db.Open("postgres://u:secret@"+server, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = pool.PingContext(t.Context())
		pool.Close()
		if got := storage.Reason(err); !strings.HasPrefix(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q, not %q", server, got, want)
		}
	}
}

// The server names the parameter of the URL, or the value of the configuration, that it refuses.
func TestWhichSettingTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	good := storagetest.DatabaseURL(t)
	libpq, err := url.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	libpq.RawQuery += "&channel_binding=require"
	for name, c := range map[string]struct {
		url     string
		options db.Options
		want    string
	}{
		"libpq's": {libpq.String(), db.Options{}, `unrecognized configuration parameter "channel_binding"`},
		"a zone":  {good, db.Options{Timezone: "America/Nowhere"}, `invalid value for parameter "TimeZone"`},
		"a long lease": {good, db.Options{IdleInTransaction: 1000 * time.Hour}, `invalid value for parameter ` +
			`"idle_in_transaction_session_timeout": "3600000000"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool, err := db.Open(c.url, c.options)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			want := "refuses a setting of the session: " + c.want
			if got := storage.Reason(pool.PingContext(t.Context())); !strings.HasPrefix(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
	old := &pq.Error{Code: pqerror.UndefinedObject, Message: `unrecognized configuration parameter ` +
		`"client_connection_check_interval"`}
	if got := storage.Reason(old); got != "is too old: version 15 or newer is needed" {
		t.Errorf("version 13: %q", got)
	}
}

// The reason of one cause is one text: a resolver that is silent is asked from another port each time.
func TestTheReasonOfASilentResolverHasNoPortOfOurs(t *testing.T) {
	t.Parallel()
	silent := &net.DNSError{Name: "db", Err: "read udp 10.0.0.1:41234->10.0.0.2:53: i/o timeout", IsTimeout: true}
	got := storage.Reason(&net.OpError{Op: "dial", Net: "tcp", Err: silent})
	if want := "does not answer: lookup db: it took too long"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// server accepts connections, reads the request for TLS of each and calls answer. It returns its address.
func server(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	go func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.CopyN(io.Discard, conn, 8) // SSLRequest
				answer(conn)
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return socket.Addr().String()
}

// tlsServer returns the address of a server with a certificate for 127.0.0.1.
func tlsServer(t *testing.T) string {
	t.Helper()
	site := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(site.Close)
	return server(t, func(c net.Conn) {
		if _, err := c.Write([]byte("S")); err == nil {
			_ = tls.Server(c, site.TLS).Handshake() // the client refuses
		}
	})
}

// otherAuthority returns the file of an authority that has signed nothing.
func otherAuthority(t *testing.T) string {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(nil, authority, authority, public, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
