package operators_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/operators"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestJobCounts(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	storagetest.NewTenant(t, s)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO account_quotas (account_id, running_imports) SELECT id, 1 FROM accounts;
		INSERT INTO jobs (kind, queue, key, due_at, attempts, error)
			VALUES ('delete_cascade', 'sales', 'x', now() + interval '1 h', 10, 'refused'),
			('delete_cascade', 'sales', 'y', now() + interval '1 h', 9, 'refused');
		INSERT INTO jobs (kind, queue, key, account_id, due_at, leased_until, claimed_at)
			SELECT 'import_statement', 'statements', n, id, now() - interval '5 s',
				CASE n WHEN 2 THEN now() + interval '1 h' END, CASE n WHEN 2 THEN now() - interval '2 s' END
			FROM accounts, generate_series(1, 3) n;
		INSERT INTO jobs (kind, queue, key, due_at, leased_until, failed_at) VALUES
			('price_sales', 'sales', null, now() - interval '10 s', null, null),
			('price_sales', 'sales', 'a', now() - interval '20 s', now() - interval '1 s', null),
			('price_sales', 'sales', 'b', now() - interval '30 s', now() + interval '1 h', null),
			('price_sales', 'sales', 'b', now() - interval '40 s', null, null), -- cannot run beside the one before
			('price_sales', 'sales', 'c', now() + interval '1 h', null, null),
			('settle_sales', 'sales', 'b', now() - interval '5 s', null, null),
			('import_statement', 'statements', '1', now(), null, now() - interval '1 h'),
			('unknown', 'elsewhere', null, now(), null, null)`)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := operators.JobCounts(t.Context(), s.Queries, []string{"sales", "statements"})
	if err != nil {
		t.Fatal(err)
	}
	var got []operators.JobCount
	want := []operators.JobCount{
		{"sales", "delete_cascade", "later", 1, 0},
		{"sales", "delete_cascade", "retrying", 1, 0},
		{"sales", "price_sales", "later", 2, 0},
		{"sales", "price_sales", "running", 1, 0}, // claimed by a release that did not note when
		{"sales", "price_sales", "waiting", 2, 20 * time.Second},
		{"sales", "settle_sales", "waiting", 1, 5 * time.Second},
		{"statements", "import_statement", "failed", 1, time.Hour},
		{"statements", "import_statement", "later", 2, 0},
		{"statements", "import_statement", "running", 1, 2 * time.Second},
	}
	for i, c := range counts {
		if i < len(want) && within(c.Oldest, want[i].Oldest) {
			c.Oldest = want[i].Oldest
		}
		got = append(got, c)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// JobCounts reads a bounded number of rows, however many jobs wait.
func TestJobCountsAreBounded(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO jobs (kind, queue, due_at, failed_at)
		SELECT 'price_sales', 'sales', now() - interval '1 h' * (n % 3), CASE WHEN n % 1000 = 0 THEN now() END
			FROM generate_series(1, 40000) n`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `VACUUM ANALYZE jobs`); err != nil {
		t.Fatal(err)
	}
	counts, err := operators.JobCounts(t.Context(), s.Queries, []string{"sales"})
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 2 || counts[0].Count != 40 || counts[1].Count != operators.MaxCountedJobs ||
		counts[1].Oldest < 2*time.Hour {
		t.Errorf("%+v", counts)
	}
	rows, err := db.QueryContext(t.Context(), `EXPLAIN SELECT queue, kind, failed_at FROM jobs
		WHERE failed_at IS NOT NULL AND coalesce(dismissed_at < failed_at, true) ORDER BY id DESC LIMIT 10000`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if !strings.Contains(plan.String(), "jobs_failed_open") {
		t.Errorf("failed jobs are looked for by\n%s", &plan)
	}
}

// A deletion that was enqueued months ago and fails tonight is listed before imports that were enqueued and failed last
// week, and counted, however many these are. Of each kind the last failure is listed, however old.
func TestFailuresAreInTheOrderInWhichTheyFailed(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO jobs (kind, queue, failed_at) VALUES ('delete_cascade', 'deletions', now() - interval '1 h'),
		('settle_sales', 'sales', now() - interval '90 days'), ('settle_sales', 'sales', now() - interval '80 days')`)
	for _, step := range []struct{ more, counted int64 }{
		{60, 60}, {operators.MaxCountedJobs, operators.MaxCountedJobs - 3},
	} {
		exec(`INSERT INTO jobs (kind, queue, failed_at)
			SELECT 'import_statement', 'statements', now() - interval '7 days' - n * interval '1 s'
				FROM generate_series(1, $1::bigint) n`, step.more)
		want := []operators.FailedKind{{Kind: "delete_cascade", Count: 1},
			{Kind: "import_statement", Count: step.counted}, {Kind: "settle_sales", Count: 2}}
		rows, err := operators.FailedJobRows(t.Context(), s.Queries, 50)
		if err != nil || len(rows) != 50 || rows[0].ID != 1 || rows[48].Kind != "import_statement" ||
			rows[49].ID != 3 {
			t.Errorf("%d rows: %v", len(rows), err)
		}
		kinds, err := operators.FailedKinds(t.Context(), s.Queries)
		if d := cmp.Diff(want, kinds, cmpopts.IgnoreFields(operators.FailedKind{}, "LastFailedAt")); err != nil ||
			d != "" {
			t.Error(d, err)
		}
		counts, err := operators.JobCounts(t.Context(), s.Queries, nil)
		var counted []operators.FailedKind
		for _, c := range counts {
			counted = append(counted, operators.FailedKind{Kind: c.Kind, Count: c.Count})
		}
		slices.SortFunc(counted, func(a, b operators.FailedKind) int { return strings.Compare(a.Kind, b.Kind) })
		if d := cmp.Diff(want, counted); err != nil || d != "" {
			t.Error(d, err)
		}
	}
}

func TestWhatIsInProgress(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	into := storagetest.NewDepositAccount(t, s, tenant.Scope)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	account, entity := tenant.Scope.AccountID, tenant.Scope.EntityID
	exec(`INSERT INTO bank_statements (account_id, id, deposit_account_id, file_key, file_file_name, file_content_type,
		file_file_size)
		SELECT $1, n, $2, n::text, 'x', 'x', 1000 * n FROM generate_series(7, 8) n`, account, into.ID)
	exec(`INSERT INTO jobs (kind, queue, account_id, args) VALUES ('import_statement', 'statements', $1,
		'{"account_id":1,"bank_statement_id":7}')`, account)
	imports, err := operators.Imports(t.Context(), s.Queries, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) != 1 || imports[0].BankStatementID != 7 || imports[0].Bytes != 7000 ||
		imports[0].Status != "queued" {
		t.Errorf("%+v", imports)
	}

	exec(`INSERT INTO webhooks (account_id, id, entity_id, url, format, secret, status)
		VALUES ($1, 1, $2, 'http://a', 'json', 's', 'active'), ($1, 2, $2, 'http://b', 'json', 's', 'error'),
			($1, 3, $2, 'http://c', 'json', 's', 'active')`, account, entity)
	exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status)
		SELECT $1, w, 'sales', 'created', n, CASE WHEN w = 2 AND n = 1 THEN 'failed' WHEN w = 2 THEN 'held'
			ELSE 'pending' END
		FROM generate_series(1, 3) w, generate_series(1, 5) n`, account)
	exec(`INSERT INTO jobs (kind, queue, key, account_id, args) VALUES ('deliver_webhook', 'webhooks', 'webhook:1', $1,
		'{"webhook_id":1}')`, account)
	webhooks, err := operators.WatchedWebhooks(t.Context(), s.Queries, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []operators.WebhookRow{
		{AccountID: account, WebhookID: 2, URL: "http://b", Status: "error", Held: 4, Failed: 1},
		{AccountID: account, WebhookID: 1, URL: "http://a", Status: "active", Pending: 5},
	}
	if d := cmp.Diff(want, webhooks); d != "" {
		t.Error(d)
	}

	// An active webhook is listed for its failed deliveries alone, with its last answer.
	exec(`UPDATE webhooks SET description = 'ERP' WHERE id = 3`)
	exec(`UPDATE deliveries SET status = CASE record_id WHEN 4 THEN 'failed' ELSE 'delivered' END, attempts_count = 2
		WHERE webhook_id = 3`)
	exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, started_at, finished_at,
		response_code, error)
		SELECT account_id, id, number, 'r', now() - interval '1 h', now() - interval '1 h' / (record_id + number),
			500 + record_id, 'no'
		FROM deliveries, generate_series(1, 2) number WHERE webhook_id = 3`)
	webhooks, err = operators.WatchedWebhooks(t.Context(), s.Queries, 10)
	if err != nil || len(webhooks) != 3 {
		t.Fatal(webhooks, err)
	}
	if w := webhooks[2]; w.WebhookID != 3 || w.Description != "ERP" || w.Failed != 1 || w.Delivered != 4 ||
		w.ResponseCode != 505 || w.Error != "no" || w.AnsweredAt == nil || w.ErrorSince != nil {
		t.Errorf("%+v", w)
	}
	// Its last answer is known, however many deliveries wait.
	exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id) SELECT $1, 3, 'sales', 'created',
		10 + n FROM generate_series(1, 2000) n`, account)
	exec(`UPDATE deliveries SET next_at = now() - interval '1 h' WHERE webhook_id = 3 AND record_id = 11`)
	exec(`INSERT INTO jobs (kind, queue, key, account_id, args) VALUES ('deliver_webhook', 'webhooks', 'webhook:3', $1,
		'{"webhook_id":3}')`, account)
	if webhooks, err = operators.WatchedWebhooks(t.Context(), s.Queries, 10); err != nil || len(webhooks) != 3 ||
		webhooks[2].Pending != 1000 || webhooks[2].ResponseCode != 505 {
		t.Errorf("%+v %v", webhooks, err)
	}
	exec(`INSERT INTO deletions (account_id, root, record_id, kind, place, deleted, estimated) VALUES
		($1, 'deposit_accounts', $2, 'financial_transactions', 1, 30, 100),
			($1, 'deposit_accounts', $2, 'bank_statements', 2, 5, 4)`, account, into.ID)
	deletions, err := operators.Deletions(t.Context(), s.Queries, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(deletions) != 1 || deletions[0].ID != into.ID || deletions[0].Root != "deposit_accounts" ||
		deletions[0].Removed != 35 ||
		deletions[0].Left != 70 || deletions[0].StartedAt.IsZero() {
		t.Errorf("%+v", deletions)
	}
}

// Of more webhooks in error than the list has, it has those that came last, and of failed deliveries the newest.
func TestTheNewestFailuresOfWebhooksAreListed(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO webhooks (account_id, id, entity_id, url, format, secret, status, error_since, deleted_at)
		SELECT `+fmt.Sprint(tenant.AccountID, ", n, ", tenant.EntityID)+`, 'http://a', 'json', 's',
			CASE WHEN n <= 4 THEN 'error' ELSE 'active' END,
			now() - CASE n WHEN 1 THEN interval '1 h' WHEN 2 THEN NULL WHEN 3 THEN interval '0' ELSE interval '2 h' END,
			CASE n WHEN 3 THEN now() END
		FROM generate_series(1, 8) n;
		INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status)
		SELECT `+fmt.Sprint(tenant.AccountID)+`, unnest(ARRAY[5, 8, 6, 7, 5]), 'sales', 'created', 1, 'failed'`)
	if err != nil {
		t.Fatal(err)
	}
	webhooks, err := operators.WatchedWebhooks(t.Context(), s.Queries, 2)
	var ids []int64
	for _, w := range webhooks {
		ids = append(ids, w.WebhookID)
	}
	if want := []int64{1, 4, 5, 7}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("%d, %v, want %d", ids, err, want)
	}
}

// The monitoring queries use indexes, however large the tables are. Of common rows, half of the
// deliveries for example, a scan would find a thousand as soon.
func TestWatchingScansNoLargeTable(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	tenant := storagetest.NewTenant(t, storagetest.Open(t, url, storage.Options{}))
	db := storagetest.DB(t, url+"&session_replication_role=replica") // references are not checked
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	account := tenant.Scope.AccountID
	exec(`INSERT INTO webhooks (account_id, id, entity_id, url, format, secret) VALUES ($1, 1, $2, 'http://a', 'json',
		's')`, account, tenant.Scope.EntityID)
	exec(`INSERT INTO bank_statements (account_id, id, deposit_account_id, file_key, file_file_name, file_content_type,
		file_file_size)
		SELECT $1, n, 1, n::text, 'x', 'x', n FROM generate_series(1, 50000) n`, account)
	exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status)
		SELECT $1, 1, 'sales', 'created', n, CASE n % 20 WHEN 0 THEN 'pending' ELSE 'delivered' END
			FROM generate_series(1, 50000) n`, account)
	exec(`INSERT INTO jobs (kind, queue, account_id, args) SELECT 'import_statement', 'statements', $1,
		concat('{"bank_statement_id":', n, '}') FROM generate_series(1, 50000) n`, account)
	exec(`INSERT INTO jobs (kind, queue, key, account_id, args) SELECT 'deliver_webhook', 'webhooks', 'webhook:1', $1,
		'{"webhook_id":1}' FROM generate_series(1, 50000)`, account)
	exec(`INSERT INTO jobs (kind, queue, account_id, args, failed_at, dismissed_at)
		SELECT 'import_statement', 'statements', $1, concat('{"bank_statement_id":', n, '}'), now(), CASE WHEN n > 60
			THEN now() END FROM generate_series(1, 2000) n`, account)
	exec(`VACUUM ANALYZE jobs, deliveries, bank_statements`)

	s := storagetest.Open(t, url, storage.Options{Application: "who watches"})
	counts, err := operators.JobCounts(t.Context(), s.Queries, []string{"statements", "webhooks"})
	imports, err2 := operators.Imports(t.Context(), s.Queries, 50)
	webhooks, err3 := operators.WatchedWebhooks(t.Context(), s.Queries, 50)
	_, err4 := operators.Deletions(t.Context(), s.Queries, 50)
	failed, err5 := operators.FailedJobRows(t.Context(), s.Queries, 50)
	kinds, err6 := operators.FailedKinds(t.Context(), s.Queries)
	if err := errors.Join(err, err2, err3, err4, err5, err6); err != nil || len(counts) != 3 || len(imports) != 50 ||
		len(webhooks) != 1 || len(failed) != 50 || len(kinds) != 1 || kinds[0].Count != 60 {
		t.Fatal(err, counts, len(imports), webhooks, len(failed), kinds)
	}
	_ = s.Close() // a session reports its statistics when it ends
	testkit.Eventually(t, "the statistics of the closed session", func() bool {
		var there, read, sought int64
		err := db.QueryRowContext(t.Context(), `
			SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
				AND application_name = 'who watches'),
				sum(seq_tup_read), sum(idx_tup_fetch) FROM pg_stat_user_tables WHERE relname IN ('jobs', 'deliveries',
					'bank_statements')`).Scan(&there, &read, &sought)
		if err != nil {
			t.Fatal(err)
		}
		if there > 0 || sought == 0 {
			return false
		}
		if read > 0 {
			t.Errorf("%d rows were read by scans", read)
		}
		return true
	})
}

// After an outage operators see since when a webhook is in error and why, and send again what
// has failed.
func TestFailedDeliveriesAreSentAgain(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	account := tenant.Scope.AccountID
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO webhooks (account_id, id, entity_id, url, format, secret) VALUES ($1, 1, $2, 'http://a', 'json',
		's')`, account, tenant.Scope.EntityID)
	exec(`INSERT INTO deliveries (account_id, id, webhook_id, family, action, record_id, status, attempts_count,
		attempts_allowed)
		SELECT $1, n, 1, 'sales', 'created', n, CASE WHEN n < 4 THEN 'failed' ELSE 'pending' END, 5, 5
			FROM generate_series(1, 5) n`, account)
	exec(`INSERT INTO deliveries (account_id, id, webhook_id, family, action, record_id, status) SELECT $1, 10 + n, 1,
		'sales', 'created', n, 'delivered' FROM generate_series(1, 300) n`, account)
	exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code,
		error) VALUES ($1, 3, 5, 'r', now(), 503, 'no')`, account)
	tx := func(fn func(tx *storage.Tx) error) {
		t.Helper()
		if err := s.InTx(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	redeliver := func(limit, want int) {
		t.Helper()
		tx(func(tx *storage.Tx) error {
			w, err := deliveries.LockWebhook(t.Context(), tx, account, 1)
			if err != nil {
				return err
			}
			failed := jobs.RedeliverWebhook{Search: map[string]string{"status": "failed"}, UpTo: math.MaxInt64}
			if ids, err := deliveries.RedeliverNext(t.Context(), tx, w, failed, limit); err != nil || len(ids) != want {
				t.Errorf("%v redelivered: %v", ids, err)
			}
			return nil
		})
	}
	// watched returns the webhook as the monitor shows it, and how many jobs deliver to it.
	watched := func() (w operators.WebhookRow, runs int) {
		t.Helper()
		all, err := operators.WatchedWebhooks(t.Context(), s.Queries, 10)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM jobs WHERE kind = 'deliver_webhook'`).Scan(
			&runs); err != nil {
			t.Fatal(err)
		}
		return all[0], runs
	}
	tx(func(tx *storage.Tx) error {
		_, err := deliveries.FailWebhook(t.Context(), tx, account, 1, 3)
		return err
	})
	if w, _ := watched(); w.Status != "error" || w.ErrorSince == nil || w.Failed != 3 || w.Held != 2 ||
		w.ResponseCode != 503 || w.AnsweredAt == nil {
		t.Errorf("in error: %+v", w)
	}
	redeliver(2, 2)
	if w, runs := watched(); w.Failed != 1 || w.Held != 4 || runs != 0 {
		t.Errorf("redelivered in error: %+v, %d runs", w, runs)
	}
	tx(func(tx *storage.Tx) error { return deliveries.ActivateWebhook(t.Context(), tx, account, 1, 200) })
	redeliver(10, 1)
	redeliver(10, 0)
	if w, runs := watched(); w.Status != "active" || w.ErrorSince != nil || w.Failed != 0 || w.Pending != 5 ||
		runs != 2 {
		t.Errorf("redelivered: %+v, %d runs", w, runs)
	}
	var attempts int
	if err := db.QueryRowContext(t.Context(), `SELECT min(attempts_allowed - attempts_count) FROM deliveries
		WHERE id < 4`).Scan(&attempts); err != nil || attempts != 5 {
		t.Errorf("%d attempts each: %v", attempts, err)
	}
}

// within reports whether an age is that of the rows, plus the time since they were inserted.
func within(age, inserted time.Duration) bool {
	return age == inserted || inserted > 0 && age > inserted && age < inserted+testkit.Patience
}

// What waits for the sealer is counted up to a limit, among the last ids alone.
func TestUnsealedChanges(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	count := func(want int64, oldest time.Duration) {
		t.Helper()
		u, err := operators.CountUnsealed(t.Context(), s.Queries)
		if err != nil || u.Count != want || !within(u.Oldest, oldest) {
			t.Errorf("%+v, %v, want %d of %v", u, err, want, oldest)
		}
	}
	add := func(n int, before string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), `INSERT INTO unsealed_changes (account_id, family, action, record_ids,
			occurred_at)
			SELECT 1, 'people', 'created', '{1}', now() - $2::interval FROM generate_series(1, $1)`, n,
			before); err != nil {
			t.Fatal(err)
		}
	}
	count(0, 0)
	add(1, "10 s")
	add(1, "90 s")
	count(2, 90*time.Second)
	add(11_000, "0 s")
	count(operators.MaxCountedChanges, 90*time.Second)
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE unsealed_changes ALTER id RESTART 5000000`); err != nil {
		t.Fatal(err)
	}
	add(1, "20 s")
	count(1, 20*time.Second)
}

func TestWebhooksInErrorAreCounted(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO webhooks (account_id, id, entity_id, url, format, secret, status, deleted_at) VALUES
			($1, 1, $2, 'http://a', 'json', 's', 'active', NULL), ($1, 2, $2, 'http://a', 'json', 's', 'error', NULL),
			($1, 3, $2, 'http://a', 'json', 's', 'error', NULL), ($1, 4, $2, 'http://a', 'json', 's', 'error', now())`,
		tenant.Scope.AccountID, tenant.Scope.EntityID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := operators.WebhooksInError(t.Context(), s.Queries); err != nil || n != 2 {
		t.Errorf("%d are in error, %v", n, err)
	}
}

// The role of the processes may read the archiver. e2e tests one that fails.
func TestTheArchiverIsRead(t *testing.T) {
	t.Parallel()
	if a, err := operators.ReadArchive(t.Context(), storagetest.New(t).Queries); err != nil ||
		a != (operators.Archive{}) {
		t.Errorf("without an archive: %+v, %v", a, err)
	}
}

// The archiver counts the files of histories and of backups, too: after a promotion, such a file is the last.
func TestOnlyArchivedSegmentsAreCompared(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	db := storagetest.DB(t, url)
	// New connections find this archiver and this log before the real ones.
	_, err := db.ExecContext(t.Context(), `
		CREATE TABLE public.pg_stat_archiver AS SELECT ''::text AS last_archived_wal,
			now() AS last_archived_time, NULL::timestamptz AS last_failed_time, now() AS stats_reset;
		CREATE TABLE public.pg_stat_wal AS SELECT 0::numeric AS wal_bytes, now() AS stats_reset;
		GRANT SELECT ON public.pg_stat_archiver, public.pg_stat_wal TO PUBLIC;
		CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE sql AS $$
			SELECT CASE $1 WHEN 'archive_mode' THEN 'on' ELSE pg_catalog.current_setting($1) END $$;
		CREATE FUNCTION public.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE sql AS $$
			SELECT '0/9000028'::pg_lsn $$;
		DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog',
			current_database()); END $$`)
	if err != nil {
		t.Fatal(err)
	}
	s := storagetest.Open(t, url, storage.Options{})
	for archived, late := range map[string]bool{ // 9 is written
		"000000010000000000000006":                 true,
		"000000010000000000000007":                 false,
		"00000002.history":                         false,
		"000000010000000000000005.00000028.backup": false,
	} {
		if _, err := db.ExecContext(t.Context(), `UPDATE public.pg_stat_archiver SET last_archived_wal = $1`,
			archived); err != nil {
			t.Fatal(err)
		}
		a, err := operators.ReadArchive(t.Context(), s.Queries)
		if err != nil || a.Failing || a.Late > 0 != late {
			t.Errorf("after %s: %+v, %v", archived, a, err)
		}
	}
	const segment = 16 << 20
	for _, c := range []struct {
		written int64
		reset   string // of pg_stat_wal, after the archiver's
		late    bool
	}{
		{2*segment + 1, "0", true},
		{2*segment + 1, "1 h", true},
		{2 * segment, "0", false},
		{9 * segment, "-1 h", false}, // they may have been archived before the reset
	} {
		if _, err := db.ExecContext(t.Context(), `
			UPDATE public.pg_stat_archiver SET last_archived_wal = NULL, last_archived_time = NULL`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), `UPDATE public.pg_stat_wal SET wal_bytes = $1,
			stats_reset = (SELECT stats_reset FROM public.pg_stat_archiver) + $2::interval`, c.written,
			c.reset); err != nil {
			t.Fatal(err)
		}
		a, err := operators.ReadArchive(t.Context(), s.Queries)
		if err != nil || a.Failing || a.Late > 0 != c.late || a.Late > time.Hour {
			t.Errorf("without an archived file, %+v: %+v, %v", c, a, err)
		}
	}
}
