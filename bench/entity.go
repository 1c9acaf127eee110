package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"bordero/storage/storagetest"
)

// rowsOfContents is about how many rows Contents creates for each of its n.
const rowsOfContents = 14.4

// deleting is the service with entities that are filled and deleted, one after the other.
type deleting struct {
	matching
	harness *harness
	rows    int
	worker  int     // the process that deletes
	before  float64 // its memory, in MiB
	grown   float64 // how much it has grown since, in MiB
	going   int64   // the entity that was filled last
}

func newDeleting(ctx context.Context, h *harness) (*deleting, error) {
	m, err := newMatching(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"scheduler"}, {"work", "deletions"}} {
		if err := h.bordero(ctx, m.lease, freeAddr(), args...); err != nil {
			return nil, err
		}
	}
	worker := h.started[len(h.started)-1].pid
	return &deleting{matching: m, harness: h, rows: h.deleted, worker: worker, before: resident(worker)}, nil
}

// fill creates an entity with rows in all tables, without webhooks and files. The tables contain
// nothing of deleted entities.
func (d *deleting) fill(ctx context.Context) error {
	err := d.db.QueryRowContext(ctx, `INSERT INTO entities (account_id, name) VALUES ($1, 'E') RETURNING id`,
		d.AccountID).Scan(&d.going)
	if err != nil {
		return err
	}
	if err := d.contents(ctx); err != nil {
		return err
	}
	for _, query := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} {
		if _, err := d.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// truncate empties the tables with many rows: dead rows would slow the next side down.
const truncate = `TRUNCATE sales, financial_accounts, financial_transactions, reconciles, imported_items, ` +
	`ignored_items, credit_card_transactions CASCADE`

// contents does not check the foreign keys, which would take most of the time.
func (d *deleting) contents(ctx context.Context) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no-op after a commit
	for _, query := range []string{`SET LOCAL session_replication_role = replica`, truncate} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	n := int(float64(d.rows) / rowsOfContents)
	if err := storagetest.Contents(ctx, tx, d.AccountID, d.going, n, storagetest.NoWebhook); err != nil {
		return err
	}
	// The contents request pricing, which is not measured here.
	for _, query := range []string{`DELETE FROM sale_rule_applications`, `DELETE FROM jobs`} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// delete requests the deletion of the entity and waits until it is gone.
func (d *deleting) delete(ctx context.Context) error {
	if err := d.begin(ctx); err != nil {
		return err
	}
	return d.done(ctx)
}

// done waits until the entity is gone.
func (d *deleting) done(ctx context.Context) error {
	return until(ctx, 10*time.Millisecond, func() (done bool, err error) {
		d.grown = max(d.grown, resident(d.worker)-d.before)
		err = d.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM jobs)`).Scan(&done)
		return done, err
	})
}

func (d *deleting) begin(ctx context.Context) error {
	_, err := d.ask(ctx, http.MethodDelete, fmt.Sprintf("/entities/%d?force_destroy=true", d.going), "")
	return err
}

// bare are the statements that delete the same rows with the driver alone, one for each table.
// $1 is the account, $2 the entity.
var bare = []string{
	`sale_taxes WHERE account_id = $1 AND sale_id IN (SELECT id FROM sales WHERE account_id = $1 AND entity_id = $2)`,
	`sale_custom_classifications WHERE account_id = $1 AND sale_id IN (SELECT id FROM sales WHERE account_id = $1
		AND entity_id = $2)`,
	`sale_center_classifications WHERE account_id = $1 AND sale_id IN (SELECT id FROM sales WHERE account_id = $1
		AND entity_id = $2)`,
	`sales WHERE account_id = $1 AND entity_id = $2`,
	`financial_account_taxes WHERE account_id = $1 AND financial_account_id IN (
		SELECT id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2)`,
	`financial_accounts WHERE account_id = $1 AND entity_id = $2`,
	`imported_items WHERE account_id = $1 AND deposit_account_id IN (SELECT id FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = $2)`,
	`ignored_items WHERE account_id = $1 AND bank_statement_id IN (SELECT id FROM bank_statements WHERE account_id = $1
		AND deposit_account_id IN (
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2))`,
	`previewed_items WHERE account_id = $1 AND bank_statement_id IN (SELECT id FROM bank_statements
		WHERE account_id = $1 AND deposit_account_id IN (
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2))`,
	`transfers WHERE account_id = $1 AND entity_id = $2`,
	`financial_transactions WHERE account_id = $1 AND deposit_account_id IN (SELECT id FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = $2)`,
	`reconciles WHERE account_id = $1 AND entity_id = $2`,
	`reconciliation_rules WHERE account_id = $1 AND entity_id = $2`,
	`bank_statements WHERE account_id = $1 AND deposit_account_id IN (SELECT id FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = $2)`,
	`register_sessions WHERE account_id = $1 AND deposit_account_id IN (SELECT id FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = $2)`,
	`credit_card_transaction_custom_classifications WHERE account_id = $1 AND credit_card_transaction_id IN (
		SELECT t.id FROM credit_card_transactions t JOIN credit_cards k ON k.id = t.credit_card_id
			WHERE t.account_id = $1 AND k.entity_id = $2)`,
	`credit_card_transactions WHERE account_id = $1 AND credit_card_id IN (SELECT id FROM credit_cards
		WHERE account_id = $1 AND entity_id = $2)`,
	`credit_card_invoices WHERE account_id = $1 AND credit_card_id IN (SELECT id FROM credit_cards
		WHERE account_id = $1 AND entity_id = $2)`,
	`credit_cards WHERE account_id = $1 AND entity_id = $2`,
	`sale_rules WHERE account_id = $1 AND sale_account_id IN (SELECT id FROM sale_accounts WHERE account_id = $1
		AND entity_id = $2)`,
	`sale_accounts WHERE account_id = $1 AND entity_id = $2`,
	`deposit_accounts WHERE account_id = $1 AND entity_id = $2`,
	`attachments WHERE account_id = $1 AND entity_id = $2`,
	`classification_centers WHERE account_id = $1 AND entity_id = $2`,
	`entities WHERE account_id = $1 AND id = $2`,
}

func (d *deleting) bare(ctx context.Context) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, from := range bare {
		if _, err := conn.ExecContext(ctx, `DELETE FROM `+from, d.AccountID, d.going); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
	}
	return nil
}

// once fills an entity and measures how fast it is removed.
func (d *deleting) once(remove func(context.Context) error) figure {
	return func(ctx context.Context, _ time.Duration) (sample, error) {
		if err := d.fill(ctx); err != nil {
			return sample{}, err
		}
		began, before := time.Now(), d.harness.cpu(false)
		if err := remove(ctx); err != nil {
			return sample{}, err
		}
		took, cpu := time.Since(began), d.harness.cpu(false)-before
		var left int
		err := d.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sales) + (SELECT count(*)
			FROM financial_transactions)
			+ (SELECT count(*) FROM entities WHERE id = $1)`, d.going).Scan(&left)
		if err == nil && left != 0 {
			err = fmt.Errorf("%d rows are left", left)
		}
		made := withCPU(float64(d.rows)/took.Seconds(), cpu, d.rows)
		made.more["memory"] = d.grown
		return made, err
	}
}

// measureEntityDelete compares the deletion of an entity, from the request to the end of its job,
// with one DELETE for each table. It also measures the growth of the worker, which must not depend
// on the number of rows.
func measureEntityDelete(ctx context.Context, h *harness) (ours, floor figure, err error) {
	d, err := newDeleting(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	h.few(3)
	return d.once(d.delete), d.once(d.bare), nil
}

// resident returns the memory of a process in MiB.
func resident(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages*os.Getpagesize()) / (1 << 20)
}
