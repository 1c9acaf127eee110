package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bordero/migrations"
	"bordero/storage/storagetest"
)

// The owner in the environment is of another server than the running `bordero up`.
func TestMigrateWithDataUsesNoOtherServer(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	// What a `bordero up` leaves there while it runs.
	for name, content := range map[string]string{"up.lock": fmt.Sprintln(os.Getpid()), "env": "DATABASE_URL=" +
		storagetest.DatabaseURL(t) + "\n"} {
		if err := os.WriteFile(filepath.Join(data, "run", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := os.Open(filepath.Join(data, "run", "up.lock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	elsewhere := []string{"DATABASE_URL=postgres://worker@127.0.0.1:1/bordero",
		"BORDERO_OWNER_DATABASE_URL=postgres://owner@127.0.0.1:1/bordero"}
	stdout, stderr, status := run(t, elsewhere, "migrate", "--data", data)
	if status != 0 || stdout == "" || stderr != "" {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
}

// An older binary names the number of the database, not its own.
func TestMigrateNamesTheNumberOfTheDatabase(t *testing.T) {
	t.Parallel()
	database := storagetest.DatabaseURL(t)
	env := []string{"DATABASE_URL=" + database, "BORDERO_OWNER_DATABASE_URL=" + storagetest.OwnerURL(t, database)}
	for _, later := range []int64{0, 1000} {
		current := migrations.Latest() + later
		want := ""
		if later > 0 {
			want = fmt.Sprintf("the schema is at %d, of a later release than this one (%d), and serves both\n", current,
				migrations.Latest())
			if _, err := storagetest.DB(t, database).ExecContext(t.Context(),
				`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)`, current); err != nil {
				t.Fatal(err)
			}
		}
		stdout, stderr, status := run(t, env, "migrate")
		if stdout != fmt.Sprintf("0 migrations applied; the schema is at %d\n", current) || stderr != want ||
			status != 0 {
			t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
		}
	}
}
