package storage_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/storagetest"
	"bordero/storage/verify"

	"pgregory.net/rapid"
)

// books are the deposit accounts of an entity and the transactions created in them by hand.
type books struct {
	importing
	accounts []int64
	mu       sync.Mutex
	made     []finance.FinancialTransaction // ids and accounts are current, other fields may be stale
}

func newBooks(t testing.TB) *books {
	b := &books{importing: newImports(t)}
	b.accounts = []int64{b.into.ID}
	for range 2 {
		b.accounts = append(b.accounts, storagetest.NewDepositAccount(t, b.Store, b.scope()).ID)
	}
	return b
}

// anyMade returns one of the created transactions, which may be deleted by now.
func (b *books) anyMade(pick func(int) int) (t finance.FinancialTransaction, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.made) == 0 {
		return t, false
	}
	return b.made[pick(len(b.made))], true
}

// move performs one operation that pick chooses. It returns the transactions that it wrote and
// those that it deleted, with both sides of a transfer. A database transaction that runs twice
// met a deadlock, which is an error.
func (b *books) move(ctx context.Context, pick func(int) int) (left, gone []finance.FinancialTransaction, err error) {
	kind := pick(10)
	day, _ := finance.NewDate(2026, time.March, 1+pick(5))
	amount := finance.Amount(pick(400) - 200)
	if amount == 0 {
		amount = 500
	}
	if kind == 9 {
		items := []imports.StagedItem{item(1+pick(5), amount, "", "A"), item(1+pick(5), amount, "", "B")}
		_, _, err := b.run(ctx, items)
		return nil, nil, err
	}
	from := pick(len(b.accounts))
	t := finance.FinancialTransaction{AccountID: b.into.AccountID, DepositAccountID: b.accounts[from], Amount: amount,
		OccurredAt: day}
	if kind >= 2 && kind < 5 {
		t.TransferDepositAccountID = &b.accounts[(from+1+pick(len(b.accounts)-1))%len(b.accounts)]
	}
	old, ok := b.anyMade(pick)
	if kind >= 5 && !ok {
		return nil, nil, nil
	}
	runs := 0
	err = b.InTx(ctx, func(tx *storage.Tx) error {
		if runs++; runs > 1 {
			return errors.New("a deadlock")
		}
		if kind < 5 {
			return tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{&t})
		}
		held, err := tx.LockFinancialTransactionForDelete(ctx, b.scope(), old.DepositAccountID, old.ID)
		if err != nil {
			return err
		}
		if t = *held; kind == 8 {
			return tx.DeleteFinancialTransaction(ctx, &t)
		}
		t.Amount, t.OccurredAt = amount, day
		return tx.UpdateFinancialTransaction(ctx, &t)
	})
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil, nil
	}
	sides := []finance.FinancialTransaction{t}
	if other := t.OtherSide(); other != nil {
		sides = append(sides, *other)
	}
	if kind == 8 {
		return nil, sides, err
	}
	if err == nil && kind < 5 {
		b.mu.Lock()
		b.made = append(b.made, sides...)
		b.mu.Unlock()
	}
	return sides, nil, err
}

// agree fails the test if Verify finds a difference.
func (b *books) agree(t interface{ Errorf(string, ...any) }) {
	found, err := verify.Run(context.Background(), b.Store, func(string) {})
	// These imports have no worker that would finish their statements.
	found = slices.DeleteFunc(found, func(d verify.Difference) bool {
		return d.Check == "imports" || d.Check == "jobs of imports"
	})
	if err != nil || len(found) > 0 {
		t.Errorf("verify: %v %v", found, err)
	}
}

// After any sequence of operations, the transactions match a model without balances, and the
// balances match the transactions.
func TestBalancesFollowEverySequence(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	rapid.Check(t, func(r *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "pick") }
		model := map[int64]finance.FinancialTransaction{}
		b.made = nil
		for range rapid.IntRange(1, 12).Draw(r, "moves") {
			left, gone, err := b.move(t.Context(), pick)
			if err != nil {
				r.Fatal(err)
			}
			for _, x := range left {
				model[x.ID] = x
			}
			for _, x := range gone {
				delete(model, x.ID)
			}
		}
		for _, x := range b.made {
			kept, err := b.FinancialTransaction(t.Context(), b.scope(), x.DepositAccountID, x.ID)
			want, there := model[x.ID]
			switch {
			case there != (err == nil):
				r.Errorf("transaction %d: %v, should be there: %v", x.ID, err, there)
			case there && (kept.Amount != want.Amount || kept.OccurredAt != want.OccurredAt ||
				!finance.SameID(kept.TransferID, want.TransferID)):
				r.Errorf("transaction %d is %v, want %v", x.ID, kept, want)
			}
		}
		b.agree(r)
	})
}

// Concurrent clients, with transfers in both directions and changes of both sides of one, lose
// nothing and do not deadlock.
func TestBalancesAreExactWhateverHappensAtOnce(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	var clients sync.WaitGroup
	for n := range 8 {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for range 60 {
				if _, _, err := b.move(t.Context(), random.IntN); err != nil {
					t.Errorf("client %d: %v", n, err)
					return
				}
			}
		})
	}
	clients.Wait()
	b.agree(t)
}
