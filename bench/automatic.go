package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bordero/storage"
)

// automatic is an entity whose open accounts are each paid by one transaction that names it, over a
// year, and the worker that reconciles them.
type automatic struct {
	matching
	pairs int
}

// newAutomatic adds a deposit account with the records of n pairs to an entity of its own.
func (m matching) newAutomatic(ctx context.Context, store *storage.Store, n int) (a automatic, err error) {
	a = automatic{m, n}
	if err := m.db.QueryRowContext(ctx, `INSERT INTO entities (account_id, name) VALUES ($1, 'Filial') RETURNING id`, m.AccountID).Scan(&a.EntityID); err != nil {
		return a, err
	}
	if a.matching.account, err = newDepositAccount(ctx, store, a.tenant); err != nil {
		return a, err
	}
	_, err = m.db.ExecContext(ctx, `
		WITH pairs AS (SELECT n, date '2025-01-01' + n * 7 % 365 AS day, (1000 + n * 7919 % 400000) / 100.0 AS amount FROM generate_series(1, $4::int) n),
		billed AS (
			INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, description, document)
			SELECT $1, $2, 'payable', day, amount, date_trunc('month', day), 'Fornecedor ' || n % 300, 'NF ' || n FROM pairs)
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at, document, original_description)
		SELECT $1, $3, 1, -amount, day + n % 3, n, 'PIX ENVIADO FORNECEDOR ' || n % 300 || ' 11.222.333/0001-81' FROM pairs`,
		a.AccountID, a.EntityID, a.matching.account, n)
	return a, err
}

// begin switches the automatic reconciliation off and on, which lets the worker look at all pairs.
func (a automatic) begin(ctx context.Context) error {
	path := fmt.Sprintf("/entities/%d/deposit_accounts/%d", a.EntityID, a.matching.account)
	for _, on := range []bool{false, true} {
		document := fmt.Sprintf(`{"deposit_account":{"automatic_reconciliation":%t}}`, on)
		if _, err := a.ask(ctx, http.MethodPut, path, document); err != nil {
			return err
		}
	}
	return nil
}

// done waits for the worker.
func (a automatic) done(ctx context.Context) error {
	return until(ctx, 10*time.Millisecond, func() (done bool, err error) {
		err = a.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM jobs)`).Scan(&done)
		return done, err
	})
}

// once lets the worker reconcile all pairs, from the request that switches it on, and undoes it
// outside the measured time.
func (a automatic) once(ctx context.Context, _ time.Duration) (sample, error) {
	began := time.Now()
	if err := a.begin(ctx); err != nil {
		return sample{}, err
	}
	if err := a.done(ctx); err != nil {
		return sample{}, err
	}
	took := time.Since(began).Seconds()
	return sample{value: took / float64(a.pairs) * 1e6, more: map[string]float64{"seconds": took}}, a.undo(ctx)
}

// undo checks that all pairs were reconciled, and opens them again.
func (a automatic) undo(ctx context.Context) error {
	opened, err := a.db.ExecContext(ctx, `
		UPDATE financial_accounts SET status = 1, reconcile_id = NULL, before_reconcile = NULL, occurred_at = NULL, total_amount = NULL,
			expected_deposit_account_id = NULL WHERE entity_id = $1 AND status = 3`, a.EntityID)
	if err != nil {
		return err
	}
	if n, err := opened.RowsAffected(); err != nil || n != int64(a.pairs) {
		return fmt.Errorf("%d of %d pairs were reconciled: %v", n, a.pairs, err)
	}
	for _, query := range []string{
		`UPDATE financial_transactions SET reconcile_id = NULL WHERE reconcile_id IS NOT NULL`, `DELETE FROM reconciles`,
		`VACUUM ANALYZE financial_accounts`, `VACUUM ANALYZE financial_transactions`, `VACUUM ANALYZE reconciles`, `CHECKPOINT`,
	} {
		if _, err := a.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// newAutomatics starts the API, the worker and the scheduler, with an entity for each number of pairs.
func newAutomatics(ctx context.Context, h *harness, pairs ...int) (all []automatic, err error) {
	m, err := newMatching(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"work", "reconciliation"}, {"scheduler"}} {
		if err := h.bordero(ctx, m.lease, freeAddr(), args...); err != nil {
			return nil, err
		}
	}
	store, err := storage.Open(m.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	for _, n := range pairs {
		a, err := m.newAutomatic(ctx, store, n)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	_, err = m.db.ExecContext(ctx, `VACUUM ANALYZE`)
	return all, err
}

// measureAutomatic compares the automatic reconciliation of an entity's pairs, by transaction, with
// that of an entity with a tenth of them.
func measureAutomatic(ctx context.Context, h *harness) (ours, floor figure, err error) {
	h.few(2)
	all, err := newAutomatics(ctx, h, h.items, h.items/10)
	if err != nil {
		return nil, nil, err
	}
	return all[0].once, all[1].once, nil
}

// measureAutomaticBeside compares the reads of another tenant beside that worker with those of an
// idle service.
func measureAutomaticBeside(ctx context.Context, h *harness) (ours, floor figure, err error) {
	all, err := newAutomatics(ctx, h, h.items)
	if err != nil {
		return nil, nil, err
	}
	a := all[0]
	other, err := newNeighbour(ctx, h, a.matching)
	if err != nil {
		return nil, nil, err
	}
	begun := false
	again := func(ctx context.Context) error {
		if begun {
			if err := a.undo(ctx); err != nil {
				return err
			}
		}
		begun = true
		return a.begin(ctx)
	}
	return other.beside(again, a.done), other.alone, nil
}
