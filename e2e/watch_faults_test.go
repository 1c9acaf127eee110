package e2e

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
)

// detail returns the state of one dependency in /readyz, and the reason.
func detail(t *testing.T, p *e2etest.Process, name string) string {
	t.Helper()
	answer, err := http.Get(p.Ops + "/readyz")
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var said struct {
		Checks map[string]struct{ Status, Detail string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		t.Error(err)
	}
	return said.Checks[name].Status + ": " + said.Checks[name].Detail
}

// says waits until a process's /readyz reports a dependency with all the words.
func requireLog(t *testing.T, p *e2etest.Process, name string, words ...string) {
	t.Helper()
	said := ""
	defer func() {
		if t.Failed() {
			t.Logf("%s said of %s: %s", p.Name, name, said)
		}
	}()
	testkit.Eventually(t, p.Name+" says of "+name+" "+strings.Join(words, " "), func() bool {
		said = detail(t, p, name)
		for _, w := range words {
			if !strings.Contains(said, w) {
				return false
			}
		}
		return true
	})
}

func TestReadinessSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Set("BORDERO_LEASE=2s"))
	api, scheduler := s.Serve()
	requireLog(t, api, "clock", "ok")
	requireLog(t, api, "files", "ok")

	t.Run("the password of Redis is another", func(t *testing.T) {
		p := s.StartWith([]string{"REDIS_URL=" + strings.Replace(s.Redis.URL(), "@", "x@", 1)}, "work", "statements")
		p.Unready()
		requireLog(t, p, "redis", "down", "WRONGPASS")
		if secret := passwordOf(s.Redis.URL()); strings.Contains(p.Out.String(), secret) {
			t.Error("it shows the password")
		}
	})
	t.Run("the password of PostgreSQL is another", func(t *testing.T) {
		url := ""
		for _, v := range s.Env {
			if rest, ok := strings.CutPrefix(v, "DATABASE_URL="); ok {
				url = rest
			}
		}
		p := s.StartWith([]string{"DATABASE_URL=" + strings.Replace(url, "@", "x@", 1)}, "scheduler")
		requireLog(t, p, "postgres", "down", "refuses the user or the password")
	})
	t.Run("PostgreSQL is too old", func(t *testing.T) {
		old := "DATABASE_URL=postgres://ana@" + tooOld(t) + "/b?sslmode=disable"
		p := s.StartWith([]string{old, "BORDERO_ADDR=" + e2etest.Loopback()}, "api")
		requireLog(t, p, "postgres", "down", "is too old: version 15 or newer is needed")
	})
	t.Run("the clocks differ", func(t *testing.T) {
		// New connections find this clock before the real one.
		if _, err := s.DB.ExecContext(t.Context(), `
			CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$
				SELECT pg_catalog.clock_timestamp() - interval '5 min' $$;
			DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog',
				current_database()); END $$`); err != nil {
			t.Fatal(err)
		}
		p := s.StartWith([]string{"BORDERO_ADDR=" + e2etest.Loopback()}, "api").Ready()
		requireLog(t, p, "clock", "degraded", "5m0s ahead of PostgreSQL's")
	})
	t.Run("PostgreSQL is too old to be migrated", func(t *testing.T) {
		// Found before the real one, as the clock above.
		if _, err := s.DB.ExecContext(t.Context(), `CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE
			sql AS $$ SELECT '140011' $$`); err != nil {
			t.Fatal(err)
		}
		_, stderr, err := e2etest.Command(t, s.Env, "migrate")
		if err == nil || !strings.Contains(stderr, "this PostgreSQL is too old: it is 14, and 15 or newer is needed") {
			t.Errorf("%v: %s", err, stderr)
		}
		if _, err := s.DB.ExecContext(t.Context(), `DROP FUNCTION public.current_setting(text)`); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a queue is paused", func(t *testing.T) {
		s.CommandRedis("SET", "asynq:{statements}:paused", 1) // as the Asynq page does
		requireLog(t, api, "queues", "ok: paused: statements")
		requireLog(t, scheduler, "queues", "ok: paused: statements")
		if status, _ := e2etest.Readiness(t, api.Ops); status != http.StatusOK {
			t.Errorf("with a paused queue the API is %d", status)
		}
		s.CommandRedis("DEL", "asynq:{statements}:paused")
		testkit.Eventually(t, "no queue is named", func() bool { return detail(t, api, "queues") == "ok: " })
	})
	t.Run("the files are not there", func(t *testing.T) {
		away := s.Files + ".away"
		if err := os.Rename(s.Files, away); err != nil {
			t.Fatal(err)
		}
		requireLog(t, api, "files", "degraded", "BORDERO_FILES_URL cannot be used: no such file or directory")
		if status, _ := e2etest.Readiness(t, api.Ops); status != http.StatusOK {
			t.Errorf("without files the API is %d", status)
		}
		if err := os.WriteFile(s.Files, nil, 0o600); err != nil { // not a directory; permissions would not stop root
			t.Fatal(err)
		}
		requireLog(t, api, "files", "degraded", "BORDERO_FILES_URL cannot be used: ")
		if err := os.Remove(s.Files); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(away, s.Files); err != nil {
			t.Fatal(err)
		}
		requireLog(t, api, "files", "ok")
	})
	t.Run("the files are those of another machine", func(t *testing.T) {
		p := s.StartWith([]string{"BORDERO_FILES_URL=file://" + t.TempDir()}, "work", "statements")
		p.Unready()
		requireLog(t, p, "files", "down", "share the directory")
		b := s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
		w := s.Worker()
		if b = s.AwaitEnd(t, b); b.Event.Status != finance.ImportSuccess {
			t.Errorf("beside a worker without the files an import ended as %+v", b)
		}
		w.Terminate()
	})
	t.Run("Redis is full", func(t *testing.T) {
		s.CommandRedis("CONFIG", "SET", "maxmemory", 1)
		requireLog(t, api, "redis", "degraded", "redis is full", "bytes are used")
		requireLog(t, scheduler, "redis", "down", "redis is full")
		testkit.Eventually(t, "the metrics show how full it is", func() bool {
			shown := metricsOf(t, api)
			return strings.Contains(shown, "\nbordero_redis_ready 0\n") &&
				strings.Contains(shown, "\nbordero_redis_max_bytes 1\n")
		})
		queued := s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
		s.CommandRedis("CONFIG", "SET", "maxmemory", 0)
		s.Worker()
		if done := s.AwaitEnd(t, queued); done.Imported != 10 {
			t.Errorf("%+v", done)
		}
	})
}

func passwordOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	login, _, _ := strings.Cut(rest, "@")
	_, password, _ := strings.Cut(login, ":")
	return password
}

// tooOld starts a fake PostgreSQL that refuses an unknown setting, as old releases do.
func tooOld(t *testing.T) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				var length uint32
				if binary.Read(c, binary.BigEndian, &length) != nil {
					return
				}
				_, _ = io.CopyN(io.Discard, c, int64(length)-4)
				fields := "SFATAL\x00C42704\x00Munrecognized configuration parameter " +
					"\"client_connection_check_interval\"\x00\x00"
				_ = binary.Write(c, binary.BigEndian,
					append([]byte{'E'}, binary.BigEndian.AppendUint32(nil, uint32(len(fields)+4))...))
				_, _ = io.WriteString(c, fields)
			}()
		}
	}()
	return l.Addr().String()
}

func TestProcessesSayWhatIsInTheirWay(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(t.TempDir(), "name")
	if err := os.WriteFile(named, []byte("bia\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		variable, want string
		words          []string
	}{
		"the API's port is taken": {"BORDERO_ADDR=" + taken.Addr().String(), "listen for api: listen tcp " +
			taken.Addr().String() + ": bind: address already in use", []string{"api"}},
		"the ops port is taken": {"BORDERO_OPS_ADDR=" + taken.Addr().String(), "listen for ops: ", []string{
			"scheduler"}},
		"the files are in no directory": {"BORDERO_FILES_URL=file://" + file + "/files", "BORDERO_FILES_URL: ",
			[]string{"work", "statements"}},
		"a store that nobody knows": {"BORDERO_FILES_URL=https://ana:hunter2@h/files",
			`there is no store "https"`, []string{"work", "statements"}},
		"a queue that nobody knows": {
			"BORDERO_LEASE=5s", `must be one of "statements","sales","reconciliation","deletions","webhooks",` +
				`"signing" but got "nothing"`, []string{"work", "nothing"}},
		"who may look has no password": {"BORDERO_MONITOR_READONLY_USER=bia",
			"BORDERO_MONITOR_READONLY_PASSWORD_HASH must be set", []string{"monitor"}},
		"who may look has no name": {"BORDERO_MONITOR_READONLY_PASSWORD_HASH=$2a$04$" + strings.Repeat("a", 53),
			"BORDERO_MONITOR_READONLY_USER must be set", []string{"monitor"}},
		"who may look has only a file": {"BORDERO_MONITOR_READONLY_USER_FILE=" + named,
			"BORDERO_MONITOR_READONLY_PASSWORD_HASH must be set", []string{"monitor"}},
		"a bad value with a secret in it": {"DATABASE_URL=mysql://ana:hunter2@h/d",
			"DATABASE_URL must be a postgres:// URL", []string{"api"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, stderr, err := e2etest.Command(t, append(s.Env[:len(s.Env):len(s.Env)], c.variable), c.words...)
			if err == nil || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "goroutine") ||
				strings.Contains(stderr, "hunter2") {
				t.Errorf("%v: %s", err, stderr)
			}
		})
	}
}
