package e2etest

import (
	"context"
	"net/url"
	"strconv"
	"syscall"

	"bordero/deploy/private"
	"bordero/internal/testkit"
)

// Standby starts a standby of the site's own PostgreSQL. From then on a commit is confirmed when the
// standby has it too, and processes that are started know both servers.
func (s *Site) Standby() *private.Postgres {
	s.t.Helper()
	standby, err := s.Postgres.StartStandby(s.t.Context(), s.dir(), private.Options{Durable: true})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = standby.Stop(context.Background()) })
	testkit.Eventually(s.t, "the standby follows", func() bool {
		return Value[int](s.t, s.DB, `SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'`) == 1
	})
	for _, statement := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`} {
		if _, err := s.DB.ExecContext(s.t.Context(), statement); err != nil {
			s.t.Fatal(err)
		}
	}
	first, err := url.Parse(s.Postgres.WorkerURL())
	if err != nil {
		s.t.Fatal(err)
	}
	second, err := url.Parse(standby.WorkerURL())
	if err != nil {
		s.t.Fatal(err)
	}
	both := *first
	both.Host = first.Hostname() + "," + second.Hostname()
	query := both.Query()
	query.Set("port", first.Port()+","+second.Port())
	query.Set("target_session_attrs", "read-write")
	query.Set("connect_timeout", strconv.Itoa(2))
	both.RawQuery = query.Encode()
	s.Env = append(s.Env, "DATABASE_URL="+both.String()) // the last one counts
	return standby
}

// FreezePostgres stops the site's own PostgreSQL as a frozen machine does: the kernel still
// acknowledges the bytes sent to it. It is thawed at the end of the test.
func (s *Site) FreezePostgres() {
	s.t.Helper()
	freeze(s.t, s.Postgres.PID()) // it starts no more children
	pids, err := s.Postgres.Pids()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, pid := range pids[1:] {
		freeze(s.t, pid)
	}
	s.t.Cleanup(func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	})
}
