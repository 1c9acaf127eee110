package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// TestRestoreToAPointInTime follows docs/operations/backup.md: a base backup, an archive of the
// log, and a restore to a moment between two imports.
func TestRestoreToAPointInTime(t *testing.T) {
	tier.NeedsLong(t, "two servers and an archive")
	t.Parallel()
	archive, old, fresh := openDir(t), openDir(t), openDir(t)
	pg, err := private.StartPostgres(t.Context(), old, private.Options{Durable: true, Settings: map[string]string{
		"archive_mode": "on", "archive_command": fmt.Sprintf("test ! -f %[1]s/%%f && cp %%p %[1]s/%%f", archive),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	owner := ownedAs(t, filepath.Join(old, "postgres"), archive, fresh)
	s := e2etest.New(t, e2etest.OnServers(pg.WorkerURL(), pg.URL()))
	api, scheduler := s.Serve()
	worker := s.Worker()
	into := s.NewDepositAccount(t, "")
	s.Import(t, into, statementtest.OFX(10))

	hba := filepath.Join(old, "postgres", "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("host all,replication all 127.0.0.1/32 scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e2etest.Value[bool](t, s.DB, `SELECT pg_reload_conf()`)
	backup := exec.CommandContext(t.Context(), postgresProgram(t, "pg_basebackup"), "--dbname="+pg.URL(),
		"--pgdata="+filepath.Join(fresh, "postgres"), "--wal-method=none", "--checkpoint=fast", "--no-sync")
	backup.SysProcAttr, backup.Dir = &syscall.SysProcAttr{Credential: owner}, fresh
	testkit.Eventually(t, "a base backup", func() bool { // once the new rule is in force
		again := *backup
		out, err := again.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "no pg_hba.conf entry") {
			t.Fatalf("%v\n%s", err, out)
		}
		return err == nil
	})
	s.Import(t, into, statementtest.OFX(10, statementtest.From(10)))
	moment := e2etest.Value[string](t, s.DB, `SELECT clock_timestamp()::text`)
	late := s.Import(t, into, statementtest.OFX(10, statementtest.From(20)))
	for _, p := range []*e2etest.Process{api, worker, scheduler} {
		p.Terminate()
	}
	// The server dies before it archives the segment with the moment, which is only in its own pg_wal.
	pids, err := pg.Pids()
	for _, pid := range pids {
		err = errors.Join(err, syscall.Kill(pid, syscall.SIGKILL))
	}
	if err := errors.Join(err, pg.Stop(t.Context())); err != nil {
		t.Fatal(err)
	}
	save := exec.CommandContext(t.Context(), "sh", "-c",
		fmt.Sprintf("cp -n %s/postgres/pg_wal/[0-9A-F]*[0-9A-F] %s/", old, archive))
	save.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	if out, err := save.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check := exec.CommandContext(t.Context(), postgresProgram(t, "pg_verifybackup"), "--no-parse-wal",
		filepath.Join(fresh, "postgres"))
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	// Another machine: the backup, the archive, and the time to restore.
	password, err := os.ReadFile(filepath.Join(old, "postgres.worker.password"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"postgres.worker.password": string(password),
		"postgres/recovery.signal": ""} {
		if err := os.WriteFile(filepath.Join(fresh, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if owner != nil {
		if err := os.Chown(filepath.Join(fresh, "postgres/recovery.signal"), int(owner.Uid),
			int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	restored, err := private.StartPostgres(t.Context(), fresh, private.Options{
		Durable: true, Settings: map[string]string{
			"restore_command":      fmt.Sprintf("cp %s/%%f %%p", archive),
			"recovery_target_time": moment, "recovery_target_action": "promote",
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = restored.Stop(context.Background()) })
	s.Env = append(slices.Clone(s.Env), "DATABASE_URL="+restored.WorkerURL())
	s.Flush() // Redis is not part of a backup
	s.Serve()
	s.Worker()
	if balance, want := s.Balance(t, into), statementtest.Total(20); balance != want {
		t.Errorf("the balance is %s, not %s", balance, want)
	}
	answer, err := s.Do(http.MethodGet, paths.BankStatement(s.Entity, into, late.ID), "", nil)
	if err != nil || answer.Status != http.StatusNotFound {
		t.Errorf("what came after the moment: %d %v", answer.Status, err)
	}
	s.Run("verify")
	s.Run("verify", "--files")
	if b := s.Import(t, into, statementtest.OFX(30)); b.Imported != 10 || b.Duplicate != 20 {
		t.Errorf("imported once more: %+v", b)
	}
}

// openDir returns a directory that the user of the servers can reach.
func openDir(t *testing.T) string {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return dir
}

// ownedAs gives directories to the owner of data, the user that root's servers run as. It
// returns nil if that is us.
func ownedAs(t *testing.T, data string, dirs ...string) *syscall.Credential {
	t.Helper()
	info, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	of := info.Sys().(*syscall.Stat_t)
	if int(of.Uid) == os.Geteuid() {
		return nil
	}
	for _, dir := range dirs {
		if err := os.Chown(dir, int(of.Uid), int(of.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return &syscall.Credential{Uid: of.Uid, Gid: of.Gid}
}

// postgresProgram returns the path of one of PostgreSQL's programs, which Debian does not put in
// PATH.
func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(all) == 0 {
		t.Fatalf("there is no %s", name)
	}
	return all[len(all)-1]
}
