package storage_test

import (
	"strings"
	"testing"
	"time"

	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

func TestJobCounts(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO jobs (kind, queue, due_at, leased_until, failed_at) VALUES
			('price_sales', 'sales', now() - interval '10 s', null, null),
			('price_sales', 'sales', now() - interval '20 s', now() - interval '1 s', null),
			('price_sales', 'sales', now() - interval '30 s', now() + interval '1 h', null),
			('price_sales', 'sales', now() + interval '1 h', null, null),
			('settle_sales', 'sales', now() - interval '5 s', null, null),
			('import_statement', 'statements', now(), null, now() - interval '1 h'),
			('unknown', 'elsewhere', now(), null, null)`)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := s.JobCounts(t.Context(), []string{"sales", "statements"})
	if err != nil {
		t.Fatal(err)
	}
	var got []storage.JobCount
	for _, c := range counts {
		c.Oldest = c.Oldest.Round(5 * time.Second)
		got = append(got, c)
	}
	want := []storage.JobCount{
		{"sales", "price_sales", "later", 1, 0},
		{"sales", "price_sales", "running", 1, 30 * time.Second},
		{"sales", "price_sales", "waiting", 2, 20 * time.Second},
		{"sales", "settle_sales", "waiting", 1, 5 * time.Second},
		{"statements", "import_statement", "failed", 1, time.Hour},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// However many jobs wait, a look at them reads no more than it may.
func TestJobCountsAreBounded(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO jobs (kind, queue, due_at, failed_at)
		SELECT 'price_sales', 'sales', now() - interval '1 h' * (n % 3), CASE WHEN n % 1000 = 0 THEN now() END FROM generate_series(1, 40000) n`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `VACUUM ANALYZE jobs`); err != nil {
		t.Fatal(err)
	}
	counts, err := s.JobCounts(t.Context(), []string{"sales"})
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 2 || counts[0].Count != 40 || counts[1].Count != storage.Sight || counts[1].Oldest < 2*time.Hour {
		t.Errorf("%+v", counts)
	}
	rows, err := db.QueryContext(t.Context(), `EXPLAIN SELECT queue, kind, failed_at FROM jobs WHERE failed_at IS NOT NULL ORDER BY id DESC LIMIT 10000`)
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
	if !strings.Contains(plan.String(), "jobs_failed") {
		t.Errorf("failed jobs are looked for by\n%s", &plan)
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
	exec(`INSERT INTO bank_statements (account_id, id, deposit_account_id, file_key, file_file_name, file_content_type, file_file_size)
		SELECT $1, n, $2, n::text, 'x', 'x', 1000 * n FROM generate_series(7, 8) n`, account, into.ID)
	exec(`INSERT INTO jobs (kind, queue, account_id, args) VALUES ('import_statement', 'statements', $1, '{"account_id":1,"bank_statement_id":7}')`, account)
	imports, err := s.Imports(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) != 1 || imports[0].BankStatementID != 7 || imports[0].Bytes != 7000 || imports[0].Status != "queued" {
		t.Errorf("%+v", imports)
	}

	exec(`INSERT INTO webhooks (account_id, id, entity_id, url, format, secret, status)
		VALUES ($1, 1, $2, 'http://a', 'json', 's', 'active'), ($1, 2, $2, 'http://b', 'json', 's', 'error'), ($1, 3, $2, 'http://c', 'json', 's', 'active')`, account, entity)
	exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status)
		SELECT $1, w, 'sales', 'created', n, CASE WHEN w = 2 AND n = 1 THEN 'failed' WHEN w = 2 THEN 'held' ELSE 'pending' END
		FROM generate_series(1, 3) w, generate_series(1, 5) n`, account)
	exec(`INSERT INTO jobs (kind, queue, key, account_id, args) VALUES ('deliver_webhook', 'webhooks', 'webhook:1', $1, '{"webhook_id":1}')`, account)
	webhooks, err := s.WatchedWebhooks(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []storage.WebhookRow{
		{AccountID: account, WebhookID: 2, Status: "error", Held: 4, Failed: 1},
		{AccountID: account, WebhookID: 1, Status: "active", Pending: 5},
	}
	if d := cmp.Diff(want, webhooks); d != "" {
		t.Error(d)
	}
}
