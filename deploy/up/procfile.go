package up

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"bordero/deploy/private/process"
)

// Procfile has a line for each process on one machine: the workers of all queues are one process. The Procfile of the
// root, for machines that run single processes, has a line for each queue.
//
//go:embed Procfile
var Procfile []byte

// command is one line of a Procfile.
type command struct {
	name  string
	words []string
}

var procfileLine = regexp.MustCompile(`^([A-Za-z0-9_-]+):\s*(\S.*)$`)

// parseProcfile reads lines of `name: command word word`, without a shell.
func parseProcfile(content []byte) ([]command, error) {
	var all []command
	seen := map[string]bool{"postgres": true, "redis": true, "up": true}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		parts := procfileLine.FindStringSubmatch(line)
		if parts == nil || seen[parts[1]] {
			return nil, fmt.Errorf("line %d of the Procfile is not `name: command` with a unique name: %q", n, line)
		}
		seen[parts[1]] = true
		all = append(all, command{parts[1], strings.Fields(parts[2])})
	}
	return all, lines.Err()
}

// program is a process of the Procfile.
type program struct {
	*process.Process // the current run
	command
	binary string
	env    []string
	out    *lines
	lock   *os.File
}

// Start starts the program. An earlier run must have ended.
func (p *program) Start(context.Context) error {
	p.out.flush() // of the previous run
	path := p.words[0]
	if path == "bordero" {
		path = p.binary
	}
	cmd := exec.Command(path, p.words[1:]...) // Stop ends it
	cmd.Env = p.env
	cmd.Stdout, cmd.Stderr = p.out, p.out
	cmd.WaitDelay = time.Second         // a grandchild may have the output open
	cmd.ExtraFiles = []*os.File{p.lock} // locked as long as the process lives, see lockData
	started, err := process.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	p.Process = started
	return nil
}

// Stop asks the program to end and kills it if ctx ends first.
func (p *program) Stop(ctx context.Context) error {
	defer p.out.flush()
	return p.Process.Stop(ctx, syscall.SIGTERM)
}
