package cascade_test

import (
	"errors"
	"strings"
	"testing"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cascade"
	"bordero/storage/storagetest"
)

func TestADeletionGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	before := d.rows(t)
	entity := d.entity(t, 300)
	d.remove(t, entity)
	s := storage.Scope{AccountID: d.AccountID, EntityID: entity}
	total := func() (deleted, left int64) {
		p, err := d.EntityDeletion(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Kinds {
			if k.Kind == "deliveries" { // the deletion itself adds some
				continue
			}
			deleted, left = deleted+k.Deleted, left+k.Left
		}
		return deleted, left
	}
	all, steps := int64(0), 0
	for range 1000 {
		chunks := 0
		err := d.work(t.Context(), func(*cascade.Cascade) error {
			if chunks++; chunks > 1+steps%3 {
				return errBrokenOff
			}
			return nil
		})
		if err == nil {
			break
		}
		if !errors.Is(err, errBrokenOff) {
			t.Fatal(err)
		}
		deleted, left := total()
		if all == 0 {
			all = deleted + left
		}
		if deleted+left != all || all == 0 {
			t.Fatalf("%d rows are deleted and %d left, of %d", deleted, left, all)
		}
		steps++
		d.agree(t)
	}
	if steps < 10 {
		t.Errorf("it was broken off %d times", steps)
	}
	same(t, d.rows(t), before)
	if _, err := d.EntityDeletion(t.Context(), s); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("its progress is %v", err)
	}
}

// Rows inserted below the entity during its deletion are found at any step of the deletion.
func TestWhatComesMeanwhileIsFound(t *testing.T) {
	t.Parallel()
	for step, come := range map[string]string{
		"end": `INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
			VALUES ($1, $2, 'B', 1, 1)`,
		"webhooks": `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id)
			SELECT account_id, id, 'people', 'created', 1 FROM webhooks WHERE account_id = $1 AND entity_id = $2`,
		"deposit_accounts": `INSERT INTO register_sessions (account_id, deposit_account_id, opened_at)
			SELECT account_id, id, now() FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2`,
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			d := newDeletions(t)
			before := d.rows(t)
			entity := d.entity(t, 10)
			d.remove(t, entity)
			late := false
			again := func(c *cascade.Cascade) error {
				if !late && strings.HasPrefix(c.Cursor(), `{"step":"`+step+`"`) {
					late = true
					d.exec(t, come, d.AccountID, entity)
				}
				return nil
			}
			if err := d.work(t.Context(), again); !errors.Is(err, cascade.ErrReferred) {
				t.Fatalf("what still has something below it is removed: %v", err)
			}
			d.exec(t, `UPDATE jobs SET cursor = ''`) // as the worker does
			if err := d.work(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			same(t, d.rows(t), before)
		})
	}
}

// Rows that a worker changes while the deletion removes them are removed, too.
func TestRowsThatChangeMeanwhileGo(t *testing.T) {
	t.Parallel()
	for step, change := range map[string]string{
		"bank_statements": `UPDATE bank_statements SET event_output = 'x' WHERE account_id = $1`,
		"deliveries":      `UPDATE deliveries SET attempts_count = 2 WHERE account_id = $1 AND record_id IN (5, 17)`,
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			d := newDeletions(t)
			before := d.rows(t)
			d.remove(t, d.entity(t, 20))
			changed := false
			change := func(c *cascade.Cascade) error {
				if changed || !strings.Contains(c.Cursor(), `"`+step+`"`) {
					return nil
				}
				changed = true
				tx, err := d.db.BeginTx(t.Context(), nil)
				if err != nil {
					return err
				}
				n, err := tx.ExecContext(t.Context(), change, d.AccountID)
				if err != nil {
					return err
				}
				if rows, _ := n.RowsAffected(); rows == 0 {
					return errors.New("nothing changes")
				}
				go func() {
					storagetest.AwaitLock(t, d.db, 1)
					if err := tx.Commit(); err != nil {
						t.Error(err)
					}
				}()
				return nil
			}
			if err := d.work(t.Context(), change); err != nil {
				t.Fatal(err)
			}
			if !changed {
				t.Error("nothing changed")
			}
			same(t, d.rows(t), before)
		})
	}
}

// Rows inserted where the deletion has passed, below a row that is removed later, are found.
func TestWhatComesBelowAChildIsFound(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	before := d.rows(t)
	d.remove(t, d.entity(t, 10))
	late := false
	again := func(c *cascade.Cascade) error {
		if !late && strings.Contains(c.Cursor(), `"deposit_accounts"`) {
			late = true
			d.exec(t, `INSERT INTO register_sessions (account_id, deposit_account_id, opened_at)
				SELECT account_id, min(id), now() FROM deposit_accounts GROUP BY account_id`)
		}
		return nil
	}
	if err := d.work(t.Context(), again); !errors.Is(err, cascade.ErrReferred) {
		t.Fatalf("a deposit account that has something is removed: %v", err)
	}
	d.exec(t, `UPDATE jobs SET cursor = ''`) // as the worker does
	if err := d.work(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	same(t, d.rows(t), before)
}

// A record whose reference is to be cleared, but which gets another one meanwhile, keeps the
// new one, although the ids of many chunks are read at once.
func TestWhatRefersElsewhereMeanwhileIsLeft(t *testing.T) {
	t.Parallel()
	d := newDeletions(t)
	bank := storagetest.NewDepositAccount(t, d.Store, d.Scope)
	for _, name := range []string{"A", "B"} {
		d.exec(t, `INSERT INTO categories (account_id, name, full_name, revenue, cost) VALUES ($1, $2, $2, true, true)`,
			d.AccountID, name)
	}
	d.exec(t, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id,
			category_id)
		SELECT $1, $2, 1, '2026-01-01', 1, (SELECT id FROM categories WHERE name = 'A') FROM generate_series(1, 2500)`,
		d.AccountID, bank.ID)
	d.exec(t, `UPDATE categories SET deleted_at = now() WHERE name = 'A'`)
	gone := jobs.DeleteCascade{AccountID: d.AccountID, Root: "categories",
		ID: d.number(t, `SELECT id FROM categories WHERE name = 'A'`)}
	err := d.InTx(t.Context(), func(tx *storage.Tx) error { return tx.Enqueue(t.Context(), d.AccountID, gone) })
	if err != nil {
		t.Fatal(err)
	}
	d.exec(t, `UPDATE jobs SET cursor = '{"step":"financial_transactions.category_id"}'`) // where a chunk is of 1,000
	chunks, at := 0, ""
	err = d.work(t.Context(), func(c *cascade.Cascade) error {
		if at == c.Cursor() {
			t.Errorf("the cursor stays at %s: a job that gets on is charged for its interruptions", at)
		}
		at = c.Cursor()
		if chunks++; chunks == 2 {
			d.exec(t, `UPDATE financial_transactions SET category_id = (SELECT id FROM categories WHERE name = 'B')
				WHERE id = (
				SELECT max(id) FROM financial_transactions WHERE category_id IS NOT NULL)`)
		}
		return nil
	})
	if err != nil || chunks < 3 {
		t.Fatalf("%d chunks, %v", chunks, err)
	}
	if n := d.number(t, `SELECT count(*) FROM financial_transactions WHERE category_id IS NOT NULL`); n != 1 {
		t.Errorf("%d transactions have a category, want the one that got another", n)
	}
}
