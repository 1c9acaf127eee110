package storage_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// leaders runs processes that compete to lead.
type leaders struct {
	t       *testing.T
	url     string
	leading atomic.Int32
}

// candidate calls Lead until stop is called or the leadership is lost.
func (l *leaders) candidate(name string) (leads func() bool, stop func(), ended <-chan error) {
	s := storagetest.Open(l.t, l.url, storage.Options{Application: name})
	ctx, cancel := context.WithCancel(l.t.Context())
	var mine atomic.Bool
	done := make(chan error, 1)
	go func() {
		done <- s.Lead(ctx, func(ctx context.Context) error {
			mine.Store(true)
			defer mine.Store(false)
			if l.leading.Add(1) > 1 {
				l.t.Error("two lead at once")
			}
			<-ctx.Done()
			l.leading.Add(-1)
			return ctx.Err()
		})
	}()
	return mine.Load, cancel, done
}

func TestOneLeadsAndIsReplaced(t *testing.T) {
	t.Parallel()
	l := &leaders{t: t, url: storagetest.DatabaseURL(t)}
	firstLeads, stopFirst, firstEnded := l.candidate("first")
	testkit.Eventually(t, "the first leads", firstLeads)
	secondLeads, stopSecond, secondEnded := l.candidate("second")

	stopFirst()
	<-firstEnded
	testkit.Eventually(t, "the second leads", secondLeads)
	stopSecond()
	<-secondEnded
}

func TestALeaderThatLosesItsConnectionGetsAnError(t *testing.T) {
	t.Parallel()
	l := &leaders{t: t, url: storagetest.DatabaseURL(t)}
	leads, _, ended := l.candidate("first")
	testkit.Eventually(t, "the first leads", leads)
	db := storagetest.DB(t, l.url)
	cut := `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'first'`
	if _, err := db.ExecContext(t.Context(), cut); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended without an error")
		}
	case <-time.After(testkit.Patience):
		t.Fatal("it believes that it leads")
	}
	next, stop, nextEnded := l.candidate("next")
	testkit.Eventually(t, "the next leads", next)
	stop()
	<-nextEnded
}

// A stopped leader leaves its connection open and silent: PostgreSQL closes it, and the next
// candidate leads. When the stopped process continues, Lead returns an error.
func TestAStoppedLeaderIsReplaced(t *testing.T) {
	if url := os.Getenv("LEAD"); url != "" { // in the process that is stopped
		l := &leaders{t: t, url: url}
		leads, _, ended := l.candidate("stopped")
		testkit.Eventually(t, "it leads", leads)
		fmt.Println("leads")
		fmt.Println("lost:", <-ended)
		return
	}
	t.Parallel()
	l := &leaders{t: t, url: storagetest.DatabaseURL(t)}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestAStoppedLeaderIsReplaced$")
	cmd.Env = append(os.Environ(), "LEAD="+l.url, "TEST_DATABASE_URL="+l.url, "TEST_REDIS_URL="+storagetest.RedisURL(t))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "leads" {
		t.Fatalf("the process says %q", lines.Text())
	}
	next, stop, nextEnded := l.candidate("next")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the next leads", next)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "lost: leadership lost") {
		t.Errorf("when it goes on, the process says %q", lines.Text())
	}
	stop()
	<-nextEnded
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
