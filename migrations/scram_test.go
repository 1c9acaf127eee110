package migrations

import (
	"encoding/base64"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// The keys of the exchange in RFC 7677, section 3, for the password pencil: its signature of the
// server is made with this server key, and its proof of the client with the key of this stored key.
func TestTheVerifierOfRFC7677(t *testing.T) {
	t.Parallel()
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		t.Fatal(err)
	}
	const want = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:" +
		"wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
	if got, err := verifier("pencil", salt); got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// The server logs no password, and accepts it. What it would make of a plain one does not matter.
func TestTheRoleLogsInWithItsPassword(t *testing.T) {
	t.Parallel()
	pg, dir := startPostgresWith(t, map[string]string{"password_encryption": "md5", "log_statement": "ddl"})
	const password = ` !"#$%&'()*+,-./ \ pencil ~`
	u, err := url.Parse(pg.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("worker", password)
	if _, err := UpFor(t.Context(), u.String(), pg.URL()); err != nil {
		t.Fatal(err)
	}
	if _, err := openDB(t, u.String()).Exec(`SELECT FROM jobs`); err != nil {
		t.Error(err)
	}
	var stored string
	if err := openDB(t, pg.URL()).QueryRow(`SELECT rolpassword FROM pg_authid WHERE rolname = 'worker'`).Scan(
		&stored); err != nil || !strings.HasPrefix(stored, "SCRAM-SHA-256$") {
		t.Errorf("stored as %q: %v", stored, err)
	}
	u.User = url.UserPassword("worker", "another")
	if _, err := openDB(t, u.String()).Exec(`SELECT FROM jobs`); pq.As(err, pqerror.InvalidPassword) == nil {
		t.Errorf("with another password: %v", err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	if err != nil || !strings.Contains(string(log), "CREATE ROLE") || strings.Contains(string(log), "pencil") {
		t.Errorf("logged: %v\n%s", err, log)
	}
}

// A password with other characters, which the server hashes, works too.
func TestTheRoleLogsInWithAccents(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	u, err := url.Parse(pg.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("worker", "pão de açúcar")
	if err := grant(t.Context(), u.String(), pg.URL()); err != nil {
		t.Fatal(err)
	}
	if err := openDB(t, u.String()).Ping(); err != nil {
		t.Error(err)
	}
}

func TestOnlyPrintableASCIIIsHashedHere(t *testing.T) {
	t.Parallel()
	for password, hashed := range map[string]bool{"": false, " ~": true, "é": false, "a\n": false, "a\u00a0b": false,
		"\x7f": false} {
		got, err := passwordLiteral(password)
		if is := strings.HasPrefix(got, "'SCRAM-SHA-256$4096:"); is != hashed || err != nil {
			t.Errorf("%q becomes %s, %v", password, got, err)
		}
	}
}
