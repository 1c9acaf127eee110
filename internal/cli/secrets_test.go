package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A present file is left, and no others beside it, which would not fit it and would be in the way of the next run.
func TestSecretsAreMadeOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "secrets")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	present := filepath.Join(dir, "redis.conf")
	if err := os.WriteFile(present, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := run(t, nil, "secrets", dir)
	if stdout != "" || !strings.HasPrefix(stderr, "bordero: "+present+" exists") || status != 1 {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	content, err := os.ReadFile(present)
	if left, _ := os.ReadDir(dir); len(left) != 1 || string(content) != "mine" {
		t.Errorf("%v are left, %q, %v", left, content, err)
	}
}

func TestSecretsOfTwoRunsAreNotMixed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "secrets")
	var made atomic.Int32
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			if _, _, status := run(t, nil, "secrets", dir); status == 0 {
				made.Add(1)
			}
		})
	}
	runs.Wait()
	if made.Load() != 1 {
		t.Errorf("%d of 4 runs have made the secrets", made.Load())
	}
}
