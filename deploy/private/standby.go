package private

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// StartStandby starts a copy of p on dir/postgres that follows p, with the same roles and passwords.
// It is for tests of a primary that fails.
func (p *Postgres) StartStandby(ctx context.Context, dir string, options Options) (*Postgres, error) {
	hba, err := os.OpenFile(filepath.Join(p.dir, "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer hba.Close()
	if _, err := hba.WriteString("host replication all 127.0.0.1/32 scram-sha-256\n"); err != nil {
		return nil, err
	}
	p.proc.Signal(syscall.SIGHUP) // read pg_hba.conf again
	s := &Postgres{options: options, bin: p.bin}
	s.server = server{
		title: "PostgreSQL", pidFile: "postmaster.pid", onDeath: syscall.SIGINT,
		command: s.run, ready: s.accepts,
	}
	if err := s.derive(dir, "postgres", options); err != nil {
		return nil, err
	}
	s.password, s.workerPassword = p.password, p.workerPassword
	if err := makeDir(s.dir, s.as); err != nil {
		return nil, err
	}
	copies := p.program(s.dir, "pg_basebackup", "-d", p.URL(), "-D", s.dir, "-R", "--checkpoint=fast", "--no-sync")
	if err := finish(ctx, copies, syscall.SIGKILL); err != nil {
		return nil, fmt.Errorf("copy %s: %w", p.dir, err)
	}
	return s, s.launch(ctx, options.Port)
}

// Promote makes a standby accept writes, and waits until it does.
func (p *Postgres) Promote(ctx context.Context) error {
	return finish(ctx, p.program(p.dir, "pg_ctl", "promote", "-w", "-D", p.dir), syscall.SIGKILL)
}

// Pids returns the process ids of the server and of its children, the server first.
func (p *Postgres) Pids() ([]int, error) {
	pids := []int{p.PID()}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", p.PID()))
	if err != nil {
		return nil, err
	}
	for text := range strings.FieldsSeq(string(children)) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}
