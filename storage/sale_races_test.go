package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/testkit"
	"bordero/internal/tier"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/pricing"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

// racing is how long TestMoneyOfSalesAgreesWhateverHappensAtOnce runs.
func racing(t *testing.T) time.Duration {
	d := tier.Set(t, "BORDERO_FAULT_RACES", time.Second, 20*time.Second)
	t.Logf("BORDERO_FAULT_RACES=%s", d)
	return d
}

// races is a pricingHarness of several sale accounts, few days and few methods, so that what
// is done at once meets.
type races struct {
	*pricingHarness
	saleAccounts []int64
	deposit      int64
	many         int64 // a receivable account of more sales than follow it at once
	mu           sync.Mutex
	done         map[string]int // how often what was done
}

func newRaces(t *testing.T) *races {
	r := &races{pricingHarness: newPricingHarness(t, true), done: map[string]int{}}
	// Whoever is the victim of a deadlock begins again: after 50 ms, not after 1 s.
	r.exec(t, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 50', current_database()); END $$`)
	r.deposit = storagetest.NewDepositAccount(t, r.Store, r.scope()).ID
	r.saleAccounts = []int64{r.ID}
	r.rule(t, "pix", nil)
	// One sale account of many sales on one day, two that few sales go to and fro between.
	r.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at,
		competency_month, nominal_amount, total_amount)
		SELECT $1, $2, $3, 'pix', '2026-03-01', '2026-03-01', n, n FROM generate_series(1, 520) n`, r.AccountID,
		r.EntityID, r.ID)
	r.price(t, 1000)
	r.many = r.accountOf(t, 1)
	for _, consolidate := range []bool{true, false} {
		r.SaleAccount.Consolidate = consolidate
		r.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &r.SaleAccount) })
		r.saleAccounts = append(r.saleAccounts, r.ID)
		r.rule(t, "pix", nil)
		for i := range 20 {
			r.sale(t, "pix", finance.Amount(1000+i), 1+i%2)
		}
	}
	return r
}

func oneOf[T any](of ...T) T { return of[rand.N(len(of))] }

// any draws an id, or is ErrNotFound.
func (r *races) any(ctx context.Context, query string) (id int64, err error) {
	if err = r.db.QueryRowContext(ctx, query+` ORDER BY random() LIMIT 1`).Scan(&id); err != nil {
		return 0, storage.ErrNotFound
	}
	return id, nil
}

// work runs one job of a sale account as a worker does, in batches that are not all
// there is. It is ErrNotFound when there is none.
func (r *races) work(saleAccount int64) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx = context.WithoutCancel(ctx) // what is claimed is done
		var ticket jobs.Ticket
		err := r.db.QueryRowContext(ctx, `SELECT id, kind FROM jobs WHERE key = $1 ORDER BY random() LIMIT 1`,
			fmt.Sprintf("%d:%d", r.AccountID, saleAccount)).
			Scan(&ticket.ID, &ticket.Kind)
		if err != nil {
			return storage.ErrNotFound
		}
		job, err := r.ClaimKey(ctx, time.Minute, ticket)
		if err != nil || job == nil {
			return errors.Join(err, storage.ErrNotFound)
		}
		return r.run(ctx, job)
	}
}

func (r *races) run(ctx context.Context, job *queue.Job) error {
	var of jobs.PriceSales // the arguments of both kinds
	if err := json.Unmarshal([]byte(job.Args), &of); err != nil {
		return err
	}
	run, again, most := pricing.Price, (*storage.Tx).EnqueuePricing, oneOf(10, 300)
	if job.Kind == jobs.SettleSalesKind.Name {
		run, again = pricing.Settle, (*storage.Tx).EnqueueSettling
	}
	err := r.Complete(ctx, *job, func(tx *storage.Tx) error {
		all, err := run(ctx, tx, of.AccountID, of.SaleAccountID, most)
		if err != nil || all {
			return err
		}
		return again(tx, ctx, of.AccountID, of.SaleAccountID)
	})
	if err != nil {
		return errors.Join(err, r.Release(ctx, *job, false))
	}
	return nil
}

// look checks every stored sum against its rows, and each price against the sale's own amount,
// unless the sale awaits another.
func (r *races) look(ctx context.Context) error {
	found, err := verify.Run(ctx, r.Store, func(string) {})
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("verify found %+v", found)
	}
	var wrong string
	err = r.db.QueryRowContext(ctx, `
		SELECT coalesce(string_agg(format('sale %s of %s at %s %% brings %s', s.id, s.total_amount, fee_percentage,
			receivable_amount), ', '), '')
		FROM sales s LEFT JOIN financial_accounts f ON f.id = s.financial_account_id
		WHERE (NOT awaiting_pricing OR f.status > 1)
			AND receivable_amount <> s.total_amount - round(s.total_amount * fee_percentage * 0.01, 2)`).Scan(&wrong)
	if err != nil || wrong != "" {
		return errors.Join(err, errors.New(wrong))
	}
	return nil
}

// try does something once. An error that the API reports to a client is not wrong.
func (r *races) try(ctx context.Context, fail context.CancelCauseFunc, name string, do func(context.Context) error) {
	err := do(ctx)
	var invalid *finance.Invalid
	switch {
	case err == nil:
		r.mu.Lock()
		r.done[name]++
		r.mu.Unlock()
	case ctx.Err() != nil, errors.Is(err, storage.ErrNotFound), errors.As(err, &invalid):
	default:
		fail(fmt.Errorf("%s: %w", name, err))
	}
}

// enough reports whether the time is over and everything has been done a few times: a busy
// machine gets longer.
func (r *races) enough(end time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range []string{"sell", "correct", "cancel", "receive", "reopen", "reconcile", "unreconcile",
		"toggle", "charge", "work", "look"} {
		if r.done[name] < 3 {
			return false
		}
	}
	return r.done["work"] >= tier.Size(40, 120) && time.Now().After(end)
}

// Sales are created, changed, moved and removed, their receivable accounts received, reconciled and
// reopened, rules created and deleted, and all of that is priced and settled, at once. At every
// moment, and at the end, each receivable account is the sum of its sales, and each sale agrees with
// its account and its rule.
func TestMoneyOfSalesAgreesWhateverHappensAtOnce(t *testing.T) {
	t.Parallel()
	r := newRaces(t)
	end := time.Now().Add(racing(t))
	bound, cancel := context.WithDeadline(t.Context(), end.Add(testkit.Patience))
	defer cancel()
	ctx, fail := context.WithCancelCause(bound)
	defer fail(nil)
	var all sync.WaitGroup
	for _, person := range []map[string]func(context.Context) error{
		{"sell": r.sell, "cancel": r.cancel, "correct": r.correct}, {"correct": r.correct}, {"correct": r.correct},
		{"receive": r.receive, "reopen": r.reopen, "reconcile": r.reconcile, "unreconcile": r.unreconcile},
		{"receive": r.receive, "reopen": r.reopen},
		{"toggle": r.toggle, "charge": r.charge}, {"look": r.look, "correct": r.correct},
		{"work": r.work(r.saleAccounts[0])}, {"work": r.work(r.saleAccounts[1])}, {"work": r.work(r.saleAccounts[2])},
	} {
		all.Go(func() {
			for ctx.Err() == nil && !r.enough(end) {
				for name, do := range person {
					r.try(ctx, fail, name, do)
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		t.Fatalf("%v after %v", context.Cause(ctx), r.done)
	}
	t.Log(r.done)
	for _, id := range r.saleAccounts {
		var err error
		for err == nil {
			err = r.work(id)(t.Context())
		}
		if !errors.Is(err, storage.ErrNotFound) {
			t.Fatal(err)
		}
	}
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := r.db.QueryRowContext(t.Context(), `SELECT count(*) FROM jobs`).Scan(&left); err != nil || left > 0 {
		t.Fatalf("%d jobs are left, %v", left, err)
	}
}
