package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

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
	for name, content := range map[string]string{"up.lock": fmt.Sprintln(os.Getpid()), "env": "DATABASE_URL=" + storagetest.DatabaseURL(t) + "\n"} {
		if err := os.WriteFile(filepath.Join(data, "run", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := []string{"DATABASE_URL=postgres://worker@127.0.0.1:1/bordero", "BORDERO_OWNER_DATABASE_URL=postgres://owner@127.0.0.1:1/bordero"}
	stdout, stderr, status := run(t, elsewhere, "migrate", "--data", data)
	if status != 0 || stdout == "" || stderr != "" {
		t.Errorf("exit status %d, %q, %q", status, stdout, stderr)
	}
}
