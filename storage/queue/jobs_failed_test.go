package queue_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// Jobs that were dismissed long ago are removed. Jobs of the kinds jobs.Owed stay, and so do jobs that failed again
// since, and the job of an import that has not ended.
func TestOldDismissedJobsAreRemoved(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO bank_statements (account_id, id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status)
		SELECT $1, id, $2, id, 'a.ofx', 'x', 1, status FROM (VALUES (1, 'error'), (8, 'queued')) b (id, status)`,
		tenant.Scope.AccountID, storagetest.NewDepositAccount(t, s, tenant.Scope).ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `
		INSERT INTO jobs (id, kind, queue, account_id, args, failed_at, dismissed_at)
		SELECT id, kind, 'statements', $1, json_build_object('bank_statement_id', id),
			now() - failed * interval '1 day', now() - dismissed * interval '1 day'
		FROM (VALUES
			(1, 'import_statement', 92, 91),
			(2, 'import_statement', 92, 89),
			(3, 'import_statement', 92, null),
			(4, 'import_statement', null, 91), -- being retried
			(5, 'import_statement', 2, 91), -- failed again
			(6, 'price_sales', 92, 91),
			(7, 'of_another_release', 92, 91),
			(8, 'import_statement', 92, 91)) j (id, kind, failed, dismissed)`, tenant.Scope.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{2, 0} {
		if n, err := s.RemoveDismissed(t.Context(), 90*24*time.Hour); n != want || err != nil {
			t.Errorf("%d jobs are removed, want %d: %v", n, want, err)
		}
	}
	var left string
	if err := db.QueryRowContext(t.Context(), `SELECT string_agg(id::text, ' ' ORDER BY id) FROM jobs`).Scan(
		&left); err != nil || left != "2 3 4 5 6 8" {
		t.Error(left, err)
	}
}

func TestDismissedJobs(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	var offered []int64
	s := storagetest.Open(t, url, storage.Options{Offer: func(all ...jobs.Ticket) {
		for _, ticket := range all {
			offered = append(offered, ticket.ID)
		}
	}})
	db := storagetest.DB(t, url)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO jobs (id, kind, queue, attempts, failed_at) SELECT n, CASE WHEN n < 5 THEN 'price_sales'
		ELSE 'settle_sales' END, 'sales', 10,
		CASE WHEN n < 6 THEN timestamptz '2026-03-04Z' + n * interval '1 h' END FROM generate_series(1, 6) n`)
	at := func(hour int) time.Time { return time.Date(2026, 3, 4, hour, 0, 0, 0, time.UTC) }
	lists := func(selected queue.Selection, want ...int64) {
		t.Helper()
		rows, err := s.Jobs(t.Context(), selected, queue.Filter{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, r := range rows {
			got = append(got, r.ID)
			if (r.DismissedAt != nil) != (selected == queue.DismissedJobs) || r.DismissedBy != nil &&
				*r.DismissedBy != "ana" {
				t.Errorf("%+v", r)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, not %v", got, want)
		}
	}
	// failed checks the count of failed jobs that the metrics and the alerts have.
	failed := func(want string) {
		t.Helper()
		counts, err := operators.JobCounts(t.Context(), s.Queries, []string{"sales"})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range counts {
			if c.State == "failed" {
				got += fmt.Sprintf("%s %d ", c.Kind, c.Count)
			}
		}
		if got != want {
			t.Errorf("failed: %s, not %s", got, want)
		}
	}
	failed("price_sales 4 settle_sales 1 ")
	if err := s.DismissJob(t.Context(), 1, "ana"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{1, 6, 7} { // dismissed already, not failed, missing
		if err := s.DismissJob(t.Context(), id, "bia"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("job %d: %v", id, err)
		}
	}
	lists(queue.UnfinishedJobs, 6, 5, 4, 3, 2)
	lists(queue.FailedJobs, 5, 4, 3, 2)
	lists(queue.DismissedJobs, 1)
	failed("price_sales 3 settle_sales 1 ")

	// Of a kind: what failed later than the operator has seen stays.
	if n, err := s.DismissFailedJobs(t.Context(), "price_sales", at(3), "ana", 1); err != nil || n != 1 {
		t.Error(n, err)
	}
	if n, err := s.RetryFailedJobs(t.Context(), "price_sales", at(3), 10); err != nil || n != 1 {
		t.Error(n, err)
	}
	lists(queue.DismissedJobs, 2, 1)
	lists(queue.FailedJobs, 5, 4)
	if !slices.Equal(offered, []int64{3}) {
		t.Errorf("offered: %v", offered)
	}
	if rows, err := operators.FailedJobRows(t.Context(), s.Queries, 10); err != nil || len(rows) != 2 ||
		rows[0].ID != 5 {
		t.Errorf("%+v %v", rows, err)
	}

	// A dismissed job can be retried, and counts if it fails again; also one that the
	// previous release retries.
	if _, err := s.RetryJob(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	exec(`UPDATE jobs SET failed_at = NULL WHERE id = 2`)
	lists(queue.DismissedJobs)
	lists(queue.UnfinishedJobs, 6, 5, 4, 3, 2, 1)
	rows, err := s.Jobs(t.Context(), queue.UnfinishedJobs, queue.Filter{}, 10)
	if err != nil || rows[5].DismissedBy == nil {
		t.Errorf("nobody knows who dismissed the job: %+v %v", rows, err)
	}
	exec(`UPDATE jobs SET failed_at = now() WHERE id < 3`)
	lists(queue.FailedJobs, 5, 4, 2, 1)
	failed("price_sales 3 settle_sales 1 ")
}

// Operators see what a failed job is about, also if that is why it failed.
func TestWhatAFailedJobIsAbout(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	tenant := storagetest.NewTenant(t, s)
	account, into := tenant.Scope.AccountID, storagetest.NewDepositAccount(t, s, tenant.Scope)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE accounts SET name = 'Padaria' WHERE id = $1`, account)
	exec(`UPDATE deposit_accounts SET name = 'Caixa' WHERE id = $1`, into.ID)
	exec(`INSERT INTO bank_statements (account_id, id, deposit_account_id, file_key, file_file_name, file_content_type,
		file_file_size)
		VALUES ($1, 7, $2, 'k', 'março.ofx', 'x', 1)`, account, into.ID)
	exec(`INSERT INTO webhooks (account_id, id, entity_id, url, format, secret, description)
		VALUES ($1, 9, $2, 'http://a', 'json', 's', 'ERP')`, account, tenant.Scope.EntityID)
	for args, of := range map[string]int64{
		`{"account_id":1,"bank_statement_id":7}`:                             account,
		`{"bank_statement_id":8}`:                                            account,
		`{"bank_statement_id":7} `:                                           account + 1, // another tenant's
		`{"webhook_id":9,"delivery_id":3}`:                                   account,
		fmt.Sprintf(`{"root":"deposit_accounts","id":%d,"x":true}`, into.ID): account,
		`broken`: account,
		`{}`:     account,
	} {
		exec(`INSERT INTO jobs (kind, queue, account_id, args, failed_at, error, request_id) VALUES ('k', 'q', $1, $2,
			now(), 'no', 'req-1')`, of, args)
	}
	rows, err := operators.FailedJobRows(t.Context(), s.Queries, 10)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows {
		got[r.Args] = fmt.Sprintf("%s %d %s, %s", r.Table, r.RecordID, r.Name, r.Account)
		if r.Error != "no" || r.RequestID != "req-1" {
			t.Errorf("%+v", r)
		}
	}
	for args, want := range map[string]string{
		`{"account_id":1,"bank_statement_id":7}`: "bank_statements 7 março.ofx, Padaria",
		`{"bank_statement_id":8}`:                "bank_statements 8 , Padaria",
		`{"bank_statement_id":7} `:               "bank_statements 7 , ",
		`{"webhook_id":9,"delivery_id":3}`:       "webhooks 9 ERP, Padaria",
		fmt.Sprintf(`{"root":"deposit_accounts","id":%d,"x":true}`, into.ID): fmt.Sprintf(
			"deposit_accounts %d Caixa, Padaria", into.ID),
		`broken`: " 0 , Padaria",
		`{}`:     " 0 , Padaria",
	} {
		if got[args] != want {
			t.Errorf("%s: %q, not %q", args, got[args], want)
		}
	}
}
