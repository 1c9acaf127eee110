package queue_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// subject is a kind of job about a record, parcel the kind without a history.
type (
	subject struct {
		BankStatementID int64 `json:"bank_statement_id"`
	}
	parcel struct{}
)

func (subject) Kind() jobs.Kind { return note{}.Kind() }
func (parcel) Kind() jobs.Kind  { return jobs.Kind{Name: jobs.DeliverWebhookKind.Name, Queue: "test"} }

// history returns a value of the rows of finished_jobs.
func (s *offered) history(query string) (text string) {
	s.t.Helper()
	if err := storagetest.DB(s.t, s.url).QueryRowContext(s.t.Context(), `
		SELECT coalesce(string_agg((`+query+`)::text, '; ' ORDER BY ended_at, id), '')
		FROM finished_jobs`).Scan(&text); err != nil {
		s.t.Fatal(err)
	}
	return text
}

// inOrder selects the columns of a row, and whether its times are in their order.
const inOrder = `concat_ws(' ', account_id, record_id, kind, queue, request_id, jobs, attempts, result, error,
	created_at <= first_due_at AND first_due_at <= started_at AND started_at <= claimed_at AND claimed_at <= ended_at)`

func TestARunThatEndsLeavesARow(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ctx := jobs.WithRequestID(t.Context(), "req-1")
	s.tx(func(tx *storage.Tx) error {
		if err := tx.Enqueue(ctx, 7, subject{BankStatementID: 31}); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx.DB, `UPDATE jobs SET created_at = created_at - interval '2 hours',
			due_at = due_at - interval '1 hour'`)
		return err
	})
	id := s.taken()[0].ID
	job := s.claim(lease, id)[0]
	if err := s.Fail(t.Context(), job, errors.New("no disk"), 0); err != nil {
		t.Fatal(err)
	}
	job = s.claimSoon(id)
	oops := errors.New("oops")
	if err := s.Complete(t.Context(), job, func(*storage.Tx) error { return oops }); !errors.Is(err, oops) {
		t.Fatal(err)
	}
	if got := s.history(inOrder); got != "" {
		t.Errorf("a run whose effect was not committed left %s", got)
	}
	if err := s.Complete(t.Context(), job, s.effect(job)); err != nil {
		t.Fatal(err)
	}
	const want = "7 31 note test req-1 1 2 done no disk t"
	if got := s.history(inOrder); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	const times = `concat_ws(' ', started_at - created_at >= '2 hours',
		started_at - first_due_at BETWEEN '1 hour' AND '90 min', claimed_at > started_at,
		ended_at - claimed_at < '1 min')`
	if got := s.history(times); got != "t t t t" {
		t.Errorf("the first time it was due, its first run and its last: %s", got)
	}
	if err := s.Complete(t.Context(), job, s.effect(job)); !errors.Is(err, queue.ErrFenced) {
		t.Errorf("completed twice: %v", err)
	}
	if got := s.history(inOrder); got != want {
		t.Errorf("completed twice: %s", got)
	}
}

// A job that fails for good has a row at once. Dismissing it adds none; a retry is a history of its own.
func TestAJobThatFailsForGoodLeavesARow(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(subject{BankStatementID: 5})[0]
	job := s.claim(lease, id)[0]
	fails := func(*storage.Tx) error { return errors.New("oops") }
	if err := s.Dead(t.Context(), job, errors.New("broken"), fails); err == nil {
		t.Error("no error")
	}
	if got := s.history("result"); got != "" {
		t.Errorf("a death that was not stored left %s", got)
	}
	if err := s.Dead(t.Context(), job, errors.New("broken"), s.effect(job)); err != nil {
		t.Fatal(err)
	}
	if err := s.DismissJob(t.Context(), id, "ana"); err != nil {
		t.Fatal(err)
	}
	if got := s.history(inOrder); got != "7 5 note test 1 1 failed broken t" {
		t.Error(got)
	}
	if _, err := s.RetryJob(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	again := s.claim(lease, id)[0]
	if err := s.Complete(t.Context(), again, s.effect(again)); err != nil {
		t.Fatal(err)
	}
	if got := s.history("result || (started_at = claimed_at)"); got != "failedtrue; donetrue" {
		t.Error(got)
	}
}

// The rows of a key are one run, and one row; a run that must leave one of its rows has not ended.
func TestARunOfAKeyLeavesOneRow(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(memo{"a"}, memo{"a"}, memo{"a"})
	job := s.claimKey(lease, ids[0])
	if err := s.Complete(t.Context(), *job, s.effect(*job)); err != nil {
		t.Fatal(err)
	}
	if got := s.history("kind || jobs || (id = " + strconv.FormatInt(ids[2], 10) + ")"); got != "memo3true" {
		t.Error(got)
	}
	ids = s.enqueue(memo{"b"}, memo{"b"})
	job = s.claimKey(lease, ids[0])
	finish := func() (done bool, err error) {
		err = s.Finish(t.Context(), *job, func(_ *storage.Tx, ended bool) error { done = ended; return nil })
		return done, err
	}
	locked, err := storagetest.DB(t, s.url).BeginTx(t.Context(), nil)
	if err == nil {
		_, err = locked.ExecContext(t.Context(), `SELECT FROM jobs WHERE id = $1 FOR KEY SHARE`, ids[1])
	}
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := finish(); err != nil || ended {
		t.Errorf("ended %t beside an event, %v", ended, err)
	}
	if err := locked.Rollback(); err != nil {
		t.Fatal(err)
	}
	job = s.claimKey(lease, ids[1])
	if ended, err := finish(); err != nil || !ended {
		t.Errorf("ended %t, %v", ended, err)
	}
	if got := s.history("kind || jobs"); got != "memo3; memo1" {
		t.Error(got)
	}
}

func TestDeliveriesLeaveNoRowUnlessTheyFailForGood(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	claim := func(id int64) queue.Job {
		all, err := s.Claim(t.Context(), lease, []jobs.Ticket{{ID: id, Kind: parcel{}.Kind().Name}})
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		return all[0]
	}
	ids := s.enqueue(parcel{}, parcel{}, parcel{})
	job := claim(ids[0])
	if err := s.Complete(t.Context(), job, s.effect(job)); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), claim(ids[1]), func(*storage.Tx, bool) error { return nil }); err != nil {
		t.Fatal(err)
	}
	job = claim(ids[2])
	if err := s.Dead(t.Context(), job, errors.New("broken"), s.effect(job)); err != nil {
		t.Fatal(err)
	}
	if got := s.history("result"); got != "failed" {
		t.Error(got)
	}
}

// The statement that ends a job is the first of its transaction.
func TestALongEffectEndsWhenItHasEnded(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	job := s.claim(lease, s.enqueue(note{})[0])[0]
	if err := s.Complete(t.Context(), job, func(tx *storage.Tx) error {
		_, err := db.Exec(context.WithoutCancel(t.Context()), tx.DB, `SELECT pg_sleep(0.2)`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := s.history("ended_at - claimed_at >= '0.2 s'"); got != "true" {
		t.Error("the row has the end of the first statement")
	}
}

// The history has seven days and today, also after days without a scheduler, which are 9 to 12 here.
func TestHistoryIsEmptiedByDays(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	owner := storagetest.DB(t, s.url)
	if _, err := owner.ExecContext(t.Context(), `
		INSERT INTO finished_jobs (part, attempts, jobs, id, created_at, ended_at, kind, queue, result)
		SELECT (extract(epoch FROM now())::bigint / 86400 - days) % 10, 1, 1, days, now(),
			now() - make_interval(days => days), 'note', 'test', 'done' FROM generate_series(0, 12) days`); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if emptied, err := s.EmptyHistory(t.Context()); err != nil || emptied != want {
			t.Errorf("emptied %t, %v", emptied, err)
		}
		if got := s.history("id::text"); got != "7; 6; 5; 4; 3; 2; 1; 0" {
			t.Error(got)
		}
	}
	const empty = `SELECT string_agg(n::text, ' ' ORDER BY n) FROM generate_series(1, 2) n WHERE NOT EXISTS (
		SELECT FROM finished_jobs WHERE part = (extract(epoch FROM now())::bigint / 86400 + n) % 10)`
	var parts string
	if err := owner.QueryRowContext(t.Context(), empty).Scan(&parts); err != nil || parts != "1 2" {
		t.Errorf("empty are the partitions of the days after today %s, %v", parts, err)
	}
}
