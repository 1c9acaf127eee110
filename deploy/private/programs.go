package private

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"bordero/deploy/private/process"
)

// programs are the programs of one version of PostgreSQL.
type programs struct {
	bin   string // their directory
	major int
}

// installed lists the programs of PostgreSQL in Debian's directories, which are not in PATH, and in those of PATH, the
// newest version first. A postgres in PATH may lack the initdb that must be beside it.
func installed(ctx context.Context) (found []programs, err error) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	for _, name := range []string{"initdb", "postgres"} {
		if path, err := exec.LookPath(name); err == nil {
			bins = append(bins, filepath.Dir(path))
		}
	}
	for _, bin := range bins {
		_, noInitdb := exec.LookPath(filepath.Join(bin, "initdb"))
		_, noServer := exec.LookPath(filepath.Join(bin, "postgres"))
		if noInitdb != nil || noServer != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
		if err != nil {
			return nil, fmt.Errorf("ask %s for its version: %w", bin, err)
		}
		major, _ := strconv.Atoi(majorVersion.FindString(string(out)))
		found = append(found, programs{bin, major})
	}
	slices.SortStableFunc(found, func(a, b programs) int { return cmp.Compare(b.major, a.major) })
	return found, nil
}

var majorVersion = regexp.MustCompile(`\d+`)

// NewestPostgres returns the major version of PostgreSQL that a new data directory is made with.
func NewestPostgres(ctx context.Context) (major int, err error) {
	found, err := installed(ctx)
	if err != nil || len(found) == 0 {
		return 0, cmp.Or(err, errNotInstalled)
	}
	return found[0].major, nil
}

var errNotInstalled = errors.New("PostgreSQL is not installed")

// binFor finds the programs for a data directory: of the version that created it, or the newest for
// a new one.
func binFor(ctx context.Context, dataDir string) (string, error) {
	made := 0
	if _, err := os.Stat(dataDir); err == nil {
		if made = firstNumber(filepath.Join(dataDir, "PG_VERSION")); made == 0 {
			return "", fmt.Errorf("%s is not a readable data directory of PostgreSQL", dataDir)
		}
	}
	found, err := installed(ctx)
	if err != nil || len(found) == 0 {
		return "", cmp.Or(err, errNotInstalled)
	}
	var versions []string
	for _, p := range found {
		if made == 0 || p.major == made {
			return p.bin, nil
		}
		versions = append(versions, strconv.Itoa(p.major))
	}
	return "", fmt.Errorf("%s was made by PostgreSQL %d, but PostgreSQL %s is installed: install postgresql-%[2]d, "+
		"or choose another data directory",
		dataDir, made, strings.Join(slices.Compact(versions), " and "))
}

// finish runs a program to its end and returns its complaint. A single-user postgres exits with
// 0 in spite of one. onDeath is as in process.Start.
func finish(ctx context.Context, cmd *exec.Cmd, onDeath syscall.Signal) error {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := process.Start(cmd, onDeath)
	if err != nil {
		return err
	}
	name := filepath.Base(cmd.Path)
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Signal(syscall.SIGTERM)
		<-p.Done()
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	if p.Err() != nil || bytes.Contains(out.Bytes(), []byte("ERROR: ")) {
		return fmt.Errorf("%s failed:\n%s", name, bytes.TrimSpace(out.Bytes()))
	}
	return nil
}
