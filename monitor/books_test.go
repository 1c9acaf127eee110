package monitor

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// books are a database and a Redis, and a monitor's configuration for them.
type books struct {
	Config
	storagetest.Tenant
	t  *testing.T
	db *sql.DB
}

// newBooks returns empty books of one account.
func newBooks(t *testing.T) *books {
	t.Helper()
	database := storagetest.DatabaseURL(t)
	b := &books{t: t, db: storagetest.DB(t, database), Config: Config{
		Store: storagetest.Open(t, database, storage.Options{}), RedisURL: storagetest.RedisURL(t),
		JobQueues:    []string{"sales", "statements"},
		WorkerQueues: []string{"sales", "statements", "webhooks", "signing"},
		JobKinds:     []string{"import_statement", "price_sales"},
	}}
	client, err := broker.Open(b.RedisURL, b.Store.Installation, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	b.Client, b.Tenant = client, storagetest.NewTenant(t, b.Store)
	b.seal()
	return b
}

func (b *books) exec(query string, args ...any) {
	b.t.Helper()
	if _, err := b.db.ExecContext(b.t.Context(), query, args...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *books) text(query string, args ...any) string {
	b.t.Helper()
	var found sql.NullString
	if err := b.db.QueryRowContext(b.t.Context(), query, args...).Scan(&found); err != nil {
		b.t.Fatal(err)
	}
	return found.String
}

// seal numbers the changes.
func (b *books) seal() { b.t.Helper(); storagetest.Seal(b.t, b.Store) }

// lastFailure is when the newest failed job of busy failed.
var lastFailure = time.Date(2026, 3, 4, 15, 30, 0, 123456000, time.UTC)

// fail makes three failed jobs: 915 and 916 are imports, 917 is a pricing.
func (b *books) fail() {
	b.t.Helper()
	b.exec(`DELETE FROM jobs WHERE id IN (915, 916, 917)`)
	const failed = `INSERT INTO jobs (id, kind, queue, account_id, args, attempts, error, request_id, failed_at)
		VALUES ($1, $2, $3, $4, $5, 10, $6, $7, $8)`
	pricing, imports := jobs.PriceSalesKind, jobs.ImportStatementKind
	statement := b.text(`SELECT min(id) FROM bank_statements`)
	b.exec(failed, 917, pricing.Name, pricing.Queue, b.AccountID, `{}`, "<b>broken</b>", nil,
		lastFailure.Add(-time.Hour))
	b.exec(failed, 916, imports.Name, imports.Queue, b.AccountID, `{"bank_statement_id":`+statement+`}`, "", "req-9",
		lastFailure.Add(-time.Hour))
	b.exec(failed, 915, imports.Name, imports.Queue, 99, `{}`, "", nil, lastFailure)
}

// hooks are the ids of webhooks of busy: one in error with held and failed deliveries, one without
// an answer and one with an answer.
type hooks struct{ bad, silent, good int64 }

// busy returns books with something in every section of the overview.
func busy(t *testing.T) (b *books, h hooks) {
	t.Helper()
	b = newBooks(t)
	if err := storagetest.Contents(t.Context(), b.db, b.AccountID, b.EntityID, 12); err != nil {
		t.Fatal(err)
	}
	b.exec(`DELETE FROM jobs`)
	b.exec(`UPDATE bank_statements SET event_status = 'processing', file_file_name = 'março.ofx', file_file_size = 1500
		WHERE event_status = 'success'`)
	b.exec(`INSERT INTO jobs (kind, queue, due_at) SELECT 'price_sales', 'sales', now() - interval '7 minutes'
		FROM generate_series(1, 41)`)
	b.exec(`INSERT INTO jobs (kind, queue, account_id, args, leased_until)
		SELECT 'import_statement', 'statements', account_id, json_build_object('bank_statement_id', id),
			now() + interval '1 hour'
		FROM bank_statements WHERE event_status = 'processing'`)
	b.fail()
	b.exec(`INSERT INTO unsealed_changes (account_id, family, action, record_ids, occurred_at)
		SELECT $1, 'people', 'updated', ARRAY[i], now() - interval '3 minutes' FROM generate_series(1, 12) i`,
		b.AccountID)
	b.exec(`INSERT INTO balance_proofs (account_id, deposit_account_id, bank_statement_id, status)
		SELECT p.account_id, d.id, p.bank_statement_id, 'differs' FROM balance_proofs p JOIN deposit_accounts d
			ON d.id <> p.deposit_account_id`)
	b.exec(`INSERT INTO deletions (account_id, root, record_id, kind, place, deleted, estimated)
		VALUES ($1, 'deposit_accounts', 21, 'x', 1, 1234, 6912)`, b.AccountID)

	b.exec(`INSERT INTO account_sizes (kind, account_id, rows, bytes)
		VALUES ('sales', $1, 7, 2000000), ('files', $1, 2, 1500000)
		ON CONFLICT (kind, account_id) DO UPDATE SET rows = excluded.rows, bytes = excluded.bytes`, b.AccountID)
	b.exec(`INSERT INTO account_usage (account_id, file_bytes, statement_rows) VALUES ($1, 0, 21000000)`, b.AccountID)
	b.exec(`UPDATE webhooks SET url = 'https://user:hunter2@erp.example/in?token=hunter2', description = 'ERP',
		error_since = $1`, lastFailure)
	b.exec(`UPDATE deliveries SET status = 'failed' WHERE record_id > 10`)
	b.exec(`UPDATE delivery_attempts SET finished_at = $1, response_code = 503, error = 'no'`, lastFailure)
	more := func(name string) (id int64) {
		if _, err := fmt.Sscan(b.text(`INSERT INTO webhooks (account_id, entity_id, url, format, secret, status,
			description)
			VALUES ($1, $2, 'https://example.com', 'json', 'x', 'active', $3) RETURNING id`, b.AccountID, b.EntityID,
			name), &id); err != nil {
			t.Fatal(err)
		}
		b.exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status)
			VALUES ($1, $2, 'sales', 'created', 1, 'failed')`, b.AccountID, id)
		return id
	}
	_, err := fmt.Sscan(b.text(`SELECT id FROM webhooks`), &h.bad)
	if err != nil {
		t.Fatal(err)
	}
	h.silent, h.good = more("silent"), more("good")
	b.exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code)
		SELECT account_id, id, 1, 'r', $2, 200 FROM deliveries WHERE webhook_id = $1`, h.good, lastFailure)
	return b, h
}

// work announces workers of the queue sales, with these versions, until the test ends, and pauses the
// queue statements.
func (b *books) work(versions ...string) {
	b.t.Helper()
	for _, version := range versions {
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan bool)
		go func() { defer close(ended); b.Client.Announce(ctx, "sales", version) }()
		b.t.Cleanup(func() { stop(); <-ended })
	}
	if err := b.Client.Inspector().PauseQueue("statements"); err != nil {
		b.t.Fatal(err)
	}
}
