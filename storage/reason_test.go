package storage_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"bordero/internal/db"
	"bordero/storage"
)

// An operator reads from the reason what to mend: an address, a name or a file.
func TestWhyTheDatabaseCannotBeReached(t *testing.T) {
	t.Parallel()
	secured, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer secured.Close()
	go func() {
		for {
			conn, err := secured.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, conn, 8) // SSLRequest
			_, _ = conn.Write([]byte("S"))
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	for server, want := range map[string]string{
		"127.0.0.1:1/b?sslmode=disable":     "does not answer: connect: connection refused",
		"bordero.invalid/b?sslmode=disable": "does not answer: lookup bordero.invalid",
		secured.Addr().String() + "/b?sslmode=verify-full&sslrootcert=/none.pem": "cannot be asked: open /none.pem: " +
			"no such file",
	} {
		pool, err := db.Open("postgres://u:secret@"+server, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = pool.PingContext(t.Context())
		pool.Close()
		if got := storage.Reason(err); !strings.HasPrefix(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q", server, got)
		}
	}
}
