package private

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// While a server with a socket is down, no other user can take its address, unlike a port. Data
// that was served at a port works with a socket, too.
func TestSockets(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	before := startPostgres(t, dir, Options{})
	stop(t, before)
	if err := os.WriteFile(filepath.Join(before.dir, "pg_hba.conf"),
		[]byte("host all all 127.0.0.1/32 scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stop(t, startRedis(t, dir, Options{}))
	p, r := startPostgres(t, dir, Options{Socket: true}), startRedis(t, dir, Options{Socket: true})
	tell := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("redis-cli", append([]string{"-s", r.socket + redisSocket}, args...)...)
		cmd.Env = append(os.Environ(), "REDISCLI_AUTH="+r.password)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := psql(t, p, "SHOW listen_addresses") + tell("CONFIG", "GET", "port"); got != "port\n0" {
		t.Errorf("they listen elsewhere: %q", got)
	}
	for _, socket := range []string{p.socket, r.socket} {
		info, err := os.Stat(socket)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s is open to others: %v %v", socket, info.Mode(), err)
		}
	}
	if url := strings.Replace(p.URL(), p.password, "guess", 1); exec.Command(filepath.Join(p.bin, "psql"), url, "-c",
		"SELECT 1").Run() == nil {
		t.Error("it asks for no password")
	}

	// Another program now has the number in the lock of the killed server.
	p.Kill()
	r.Kill()
	lock := fmt.Appendf(nil, "%d\n%s\n0\n5432\n\n", os.Getpid(), p.dir)
	if err := os.WriteFile(p.socket+socketName+".lock", lock, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := psql(t, p, "SELECT 42") + tell("PING"); got != "42PONG" {
		t.Errorf("after a kill: %q", got)
	}
}

func TestAPathThatIsTooLongForASocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), strings.Repeat("d", 60), strings.Repeat("e", 30))
	if r := startRedis(t, dir, Options{Socket: true}); redisCLI(t, r, "PING") != "PONG" || r.port == 0 {
		t.Error("it has no port either")
	}
}
