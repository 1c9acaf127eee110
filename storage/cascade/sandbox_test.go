package cascade_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cascade"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// newSandbox returns deletions whose tenant is a sandbox, beside an account that is none, with records of every kind.
func newSandbox(t *testing.T) (d deletions, other storagetest.Tenant) {
	t.Helper()
	d = newDeletions(t)
	other, d.Tenant = d.Tenant, storagetest.NewTenant(t, d.Store)
	d.exec(t, `UPDATE accounts SET sandbox = true WHERE id = $1`, d.AccountID)
	if err := storagetest.Contents(t.Context(), d.db, other.AccountID, other.EntityID, 10); err != nil {
		t.Fatal(err)
	}
	return d, other
}

// reset resets the account of the tenant, and returns its new entity.
func (d deletions) reset(t *testing.T) *finance.Entity {
	t.Helper()
	var e *finance.Entity
	err := d.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		e, err = tx.ResetSandbox(t.Context(), d.AccountID, "Conta")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// rowsOf counts the rows of each account level table of an account, also of those that d.rows leaves out, and of users'
// rights.
func (d deletions) rowsOf(t *testing.T, account int64) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, table := range []string{"entities", "people", "categories", "custom_classifiers", "custom_classifier_values",
		"memberships", "tokens", "account_quotas", "idempotency_keys", "sales", "attachments", "webhooks",
		"deliveries"} {
		counts[table] = d.number(t, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, account)
	}
	return counts
}

// A reset that is broken off again and again, and asked for again in the middle, leaves the first records of an account
// and what was made since.
func TestAResetSandboxBeginsAgain(t *testing.T) {
	t.Parallel()
	d, other := newSandbox(t)
	theirs := d.rowsOf(t, other.AccountID)
	d.entity(t, 150)
	d.entity(t, 20)
	d.exec(t, `INSERT INTO idempotency_keys VALUES ($1, '/people', 'k', 1, '', 200, '', '', '')`, d.AccountID)
	d.exec(t, `INSERT INTO account_quotas (account_id, webhooks) VALUES ($1, 100)`, d.AccountID)
	storagetest.Seal(t, d.Store)
	last := d.number(t, `SELECT max(sequence) FROM changes WHERE account_id = $1`, d.AccountID)
	mine := d.rowsOf(t, d.AccountID)
	d.reset(t)
	chunks, broken := 0, 0
	for stop := true; stop; {
		stop = false
		err := d.work(t.Context(), func(*cascade.Cascade) error {
			d.agree(t)
			if chunks++; chunks%4 == 0 { // a run repeats the last chunk of the run before
				stop, broken = true, broken+1
				return errBrokenOff
			}
			if chunks == 5 {
				d.reset(t)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errBrokenOff) {
			t.Fatal(err)
		}
		stop = stop || d.number(t, `SELECT count(*) FROM jobs WHERE kind = 'delete_cascade'`) > 0
	}
	if broken < 5 {
		t.Errorf("broken off %d times", broken)
	}
	d.agree(t)
	if n := d.number(t, `SELECT webhooks FROM account_quotas WHERE account_id = $1`, d.AccountID); n != 100 {
		t.Errorf("the quota of webhooks is %d", n)
	}
	want := map[string]int64{"entities": 1, "memberships": mine["memberships"], "tokens": mine["tokens"],
		"account_quotas": 1, "categories": int64(len(finance.DefaultCategories()))}
	for table := range theirs {
		want[table] += 0
	}
	same(t, d.rowsOf(t, d.AccountID), want)
	same(t, d.rowsOf(t, other.AccountID), theirs)
	if n := d.number(t, `SELECT count(*) FROM deletions`); n != 0 {
		t.Errorf("%d rows of progress are left", n)
	}
	storagetest.Seal(t, d.Store)
	first := d.number(t, `SELECT min(sequence) FROM changes WHERE account_id = $1`, d.AccountID)
	if next := d.number(t, `SELECT max(sequence) FROM changes WHERE account_id = $1`, d.AccountID); first != 1 ||
		next <= last {
		t.Errorf("the changes go from %d to %d, and went to %d before", first, next, last)
	}
	d.agree(t) // with all changes sealed
}

// Two jobs of two resets remove the same records at once, and what was created after the second stays.
func TestTwoResetsAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := newSandbox(t)
	if err := storagetest.Contents(t.Context(), d.db, d.AccountID, d.EntityID, 150); err != nil {
		t.Fatal(err)
	}
	d.reset(t)
	e := d.reset(t)
	if err := storagetest.Contents(t.Context(), d.db, d.AccountID, e.ID, 20); err != nil {
		t.Fatal(err)
	}
	kept := map[string]int64{}
	for table := range d.rowsOf(t, d.AccountID) {
		alive := ` AND NOT EXISTS (SELECT FROM entities e WHERE e.id = r.entity_id AND e.deleted_at IS NOT NULL)`
		switch table {
		case "entities", "people", "categories", "custom_classifiers":
			alive = ` AND r.deleted_at IS NULL`
		case "custom_classifier_values":
			alive = ` AND NOT EXISTS (SELECT FROM custom_classifiers c WHERE c.id = r.custom_classifier_id
				AND c.deleted_at IS NOT NULL)`
		case "deliveries":
			continue // of the removal itself
		case "memberships", "tokens", "account_quotas", "login_codes", "idempotency_keys":
			alive = ""
		}
		kept[table] = d.number(t, `SELECT count(*) FROM `+table+` r WHERE r.account_id = $1`+alive, d.AccountID)
	}
	tickets, err := d.Free(t.Context(), jobs.DeleteCascadeKind.Queue, queue.Cursor{}, 10)
	if err != nil || len(tickets) != 2 {
		t.Fatal(len(tickets), err)
	}
	claimed, err := d.Claim(t.Context(), time.Minute, []jobs.Ticket{tickets[0].Ticket, tickets[1].Ticket})
	if err != nil {
		t.Fatal(err)
	}
	chunks := 0
	err = d.run(t.Context(), claimed[0], func(*cascade.Cascade) error {
		if chunks++; chunks != 4 {
			return nil
		}
		return d.run(t.Context(), claimed[1], straight)
	})
	if err != nil {
		t.Fatal(err)
	}
	got := d.rowsOf(t, d.AccountID)
	same(t, got, kept)
	d.agree(t)
	if !maps.Equal(kept, map[string]int64{}) && kept["sales"] == 0 {
		t.Errorf("nothing was made after the reset: %v", kept)
	}
}

// The job of a reset is nobody's way into another account, whatever its arguments are.
func TestAJobOfAResetIsOfASandboxOnly(t *testing.T) {
	t.Parallel()
	d, other := newSandbox(t)
	for _, of := range []jobs.DeleteCascade{
		{AccountID: other.AccountID, Root: "sandboxes", ID: other.AccountID},
		{AccountID: other.AccountID, Root: "sandboxes", ID: d.AccountID},
		{AccountID: d.AccountID, Root: "sandboxes", ID: other.AccountID},
	} {
		if _, err := cascade.Open(t.Context(), d.Store, of, ""); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%+v: %v", of, err)
		}
	}
	theirs := fmt.Sprint(d.rowsOf(t, other.AccountID))
	err := d.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := tx.ResetSandbox(t.Context(), other.AccountID, "Conta")
		if invalid := (*finance.Invalid)(nil); !errors.As(err, &invalid) {
			t.Errorf("reset: %v", err)
		}
		return nil // whatever it did is committed
	})
	if err != nil {
		t.Fatal(err)
	}
	if now := fmt.Sprint(d.rowsOf(t, other.AccountID)); now != theirs {
		t.Errorf("before %s, now %s", theirs, now)
	}
	if n := d.number(t, `SELECT count(*) FROM jobs WHERE kind = 'delete_cascade'`) +
		d.number(t, `SELECT count(*) FROM entities WHERE deleted_at IS NOT NULL`); n != 0 {
		t.Error(n, "jobs and hidden entities")
	}
}
