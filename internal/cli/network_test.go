package cli

import (
	"cmp"
	"errors"
	"maps"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"bordero/storage/storagetest"
)

func TestAServerThatDoesNotAnswerIsASentence(t *testing.T) {
	t.Parallel()
	const none, writable = "127.0.0.1:1", "&target_session_attrs=read-write"
	upload := []string{"import", "--json", "--token", "x", "--entity", "1", "--deposit-account", "1", "main_test.go",
		"--url"}
	for name, c := range map[string]struct {
		env   []string
		words []string
		want  string
	}{
		"health": {[]string{"BORDERO_OPS_ADDR=" + none}, []string{"health"},
			"bordero: no bordero process answers at http://127.0.0.1:1: connection refused; is it running?\n"},
		"import": {nil, append(upload, "http://"+none+"/below"),
			`"output":"no bordero API answers at http://127.0.0.1:1/below: connection refused; is it running?"`},
		"no host": {nil, append(upload, "http://bordero.invalid"),
			`"output":"no bordero API answers at http://bordero.invalid: there is no such host; is it running?"`},
		"database": {[]string{"DATABASE_URL=postgres://a:secret@" + none + "/b"}, []string{"verify"},
			"bordero: no server answers at 127.0.0.1:1: connection refused; is it running?\n"},
		"databases": {[]string{"DATABASE_URL=postgres://a:secret@127.0.0.1,bordero.invalid/b?port=1,2" + writable},
			[]string{"verify"}, "bordero: no server answers at 127.0.0.1:1: connection refused, " +
				"nor at bordero.invalid: there is no such host; is it running?\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(c.want, "no such host") {
				var unknown *net.DNSError
				if _, err := net.LookupHost("bordero.invalid"); !errors.As(err, &unknown) || !unknown.IsNotFound {
					t.Skip("no resolver says that the name does not exist:", err)
				}
			}
			stdout, stderr, status := run(t, c.env, c.words...)
			if said := stdout + stderr; !strings.Contains(said, c.want) || strings.Contains(said, "dial") ||
				status != 1 {
				t.Errorf("exit status %d, %s", status, said)
			}
		})
	}
}

// One host is down, and the other one is a standby, or has no such database.
func TestEveryHostIsNamed(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storagetest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	host, port := cmp.Or(u.Hostname(), query.Get("host")), cmp.Or(u.Port(), query.Get("port"))
	query.Set("target_session_attrs", "read-write")
	query.Set("host", "127.0.0.1,"+host)
	query.Set("port", "1,"+port)
	u.Host = ""
	there := "connecting to " + host + ":" + port + ": "
	for name, c := range map[string]struct{ path, readOnly, want string }{
		"no primary": {u.Path, "on", "bordero: no host accepts writes; " + there +
			"session is read-only; 127.0.0.1:1: connection refused\n"},
		"no database": {"/none", "off", "bordero: " + there + `pq: database "none" does not exist (3D000); ` +
			"127.0.0.1:1: connection refused\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of, with := *u, maps.Clone(query)
			with.Set("default_transaction_read_only", c.readOnly)
			of.Path, of.RawQuery = c.path, with.Encode()
			if _, stderr, status := run(t, []string{"DATABASE_URL=" + of.String()}, "verify"); stderr != c.want ||
				status != 1 {
				t.Errorf("exit status %d, %s", status, stderr)
			}
		})
	}
}

func TestReasonsAreFewWords(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	connection, err := net.Dial("tcp", silent.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	_, err = connection.Read(make([]byte, 1))
	if got := reason(err); got != "it took too long" {
		t.Errorf("%v: %q", err, got)
	}
}
