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

// postgresBins lists the directories with PostgreSQL's programs: first Debian's, which are not in
// PATH, the newest first, then the directories of PATH. A postgres in PATH may lack the initdb that
// must be beside it.
func postgresBins() []string {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	version := func(bin string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
		return n
	}
	slices.SortFunc(bins, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	for _, name := range []string{"initdb", "postgres"} {
		if path, err := exec.LookPath(name); err == nil {
			bins = append(bins, filepath.Dir(path))
		}
	}
	return slices.DeleteFunc(bins, func(bin string) bool {
		_, noInitdb := exec.LookPath(filepath.Join(bin, "initdb"))
		_, noServer := exec.LookPath(filepath.Join(bin, "postgres"))
		return noInitdb != nil || noServer != nil
	})
}

var majorVersion = regexp.MustCompile(`\d+`)

// binFor finds the programs for a data directory: of the version that created it, or the newest for
// a new one.
func binFor(ctx context.Context, dataDir string) (string, error) {
	made := 0
	if _, err := os.Stat(dataDir); err == nil {
		if made = firstNumber(filepath.Join(dataDir, "PG_VERSION")); made == 0 {
			return "", fmt.Errorf("%s is not a readable data directory of PostgreSQL", dataDir)
		}
	}
	var found []string
	for _, bin := range postgresBins() {
		out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
		if err != nil {
			return "", fmt.Errorf("ask %s for its version: %w", bin, err)
		}
		version := majorVersion.FindString(string(out))
		if made == 0 || version == strconv.Itoa(made) {
			return bin, nil
		}
		found = append(found, version)
	}
	if len(found) == 0 {
		return "", errors.New("PostgreSQL is not installed")
	}
	return "", fmt.Errorf("%s was made by PostgreSQL %d, but PostgreSQL %s is installed: install postgresql-%[2]d, "+
		"or choose another data directory",
		dataDir, made, strings.Join(slices.Compact(found), " and "))
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
