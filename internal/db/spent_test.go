package db_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/internal/quota"

	"github.com/jmoiron/sqlx"
)

// Each way to send a statement is counted, with what it waited for, and nothing between statements.
func TestStatementsAreCounted(t *testing.T) {
	t.Parallel()
	pool := open(t)
	var spent db.Spent
	places := quota.New(1)
	ctx := db.WithQuota(db.WithSpent(t.Context(), &spent), places, 1)
	taken, err := places.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var users, begun sync.WaitGroup
	begun.Add(4)
	for range 4 {
		users.Go(func() {
			begun.Done()
			_, one := db.One[int64](ctx, pool, `SELECT 1`)
			_, many := db.Many[int64](ctx, pool, `SELECT 1`)
			_, exec := db.Exec(ctx, pool, `SELECT 1`)
			err := db.InTx(ctx, pool, func(tx *sqlx.Tx) error {
				rows, err := db.Rows(ctx, tx, `SELECT 1`)
				if err == nil {
					err = rows.Close()
				}
				return err
			})
			if err := errors.Join(one, many, exec, err); err != nil {
				t.Error(err)
			}
		})
	}
	const waited = 20 * time.Millisecond
	begun.Wait()
	time.AfterFunc(waited, taken)
	users.Wait()
	if n := spent.Statements(); n != 16 {
		t.Errorf("%d statements, not 16", n)
	}
	if spent.Time() < waited {
		t.Errorf("%v, after %v of waiting for a place", spent.Time(), waited)
	}

	var idle db.Spent
	began, pause := time.Now(), 20*time.Millisecond
	err = db.InTx(db.WithSpent(t.Context(), &idle), pool, func(*sqlx.Tx) error { time.Sleep(pause); return nil })
	if took := time.Since(began); err != nil || idle.Statements() != 0 || idle.Time() <= 0 || idle.Time() > took-pause {
		t.Errorf("%v in %d statements of a transaction that only pauses, in %v: %v", idle.Time(), idle.Statements(),
			took, err)
	}
}
