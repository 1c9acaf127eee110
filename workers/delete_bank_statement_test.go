package workers

import (
	"context"
	"strings"
	"testing"
	"time"

	"bordero/storage"
	"bordero/storage/imports"
	"bordero/workers/runtime"
)

// remove enqueues the deletion of the desk's statement, as a request does, and starts its
// worker.
func (d *importHarness) remove() {
	d.T.Helper()
	ctx, scope := d.T.Context(), storage.Scope{AccountID: d.into.AccountID, EntityID: d.into.EntityID}
	err := d.Store.InTx(ctx, func(tx *storage.Tx) error {
		b, err := imports.LockBankStatementForDelete(ctx, tx, scope, d.into.ID,
			int64(d.Count(`SELECT id FROM bank_statements`)))
		if err != nil {
			return err
		}
		return imports.DeleteBankStatement(ctx, tx, b)
	})
	if err != nil {
		d.T.Fatal(err)
	}
	e := deleteBankStatement{store: d.Store, files: d.files, slice: time.Hour}.handler()
	e.Kind.Attempts, e.Kind.Delay = 3, func(int) time.Duration { return 0 }
	d.Start(func(c *runtime.Config) { c.Queue = e.Kind.Queue }, e)
}

// A deletion that always fails at the file becomes dead.
func TestAnUndoingThatStaysAtItsFileIsGivenUp(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1,
		strings.NewReader("<OFX><STMTTRN><DTPOSTED>20260102<TRNAMT>1.00</STMTTRN></OFX>"))
	if err != nil {
		t.Fatal(err)
	}
	if status, output := d.upload(key); d.Count(`SELECT count(*) FROM financial_transactions`) != 1 {
		t.Fatal(status, output)
	}
	if err := d.files.Close(); err != nil { // from here on, no file can be removed
		t.Fatal(err)
	}
	d.remove()
	d.Eventually("the end of its attempts", func() bool {
		return d.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 1
	})
}

// A deletion that is interrupted after each chunk makes progress and does not become dead:
// attempts count failures at one place.
func TestAnUndoingThatGetsOnIsNotGivenUp(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	const items = 15_001 // four chunks
	key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader("<OFX>"+
		strings.Repeat("<STMTTRN><DTPOSTED>20260102<TRNAMT>1.00</STMTTRN>", items)+"</OFX>"))
	if err != nil {
		t.Fatal(err)
	}
	if status, output := d.upload(key); d.Count(`SELECT count(*) FROM financial_transactions`) != items {
		t.Fatal(status, output)
	}
	// Every second chunk fails. A sequence counts them, since it is not rolled back.
	d.Exec(`CREATE SEQUENCE chunks`)
	d.Exec(`CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF nextval('chunks') % 2 = 0 THEN RAISE 'interrupted'; END IF; RETURN NULL; END $$`)
	d.Exec(`CREATE TRIGGER interrupted AFTER DELETE
		ON financial_transactions FOR EACH STATEMENT EXECUTE FUNCTION interrupt()`)
	d.remove()
	d.Eventually("the end of the statement, or of its attempts", func() bool {
		return d.Count(`SELECT count(*) FROM bank_statements`) == 0 ||
			d.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) > 0
	})
	if n := d.Count(`SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM financial_transactions)`); n != 0 {
		t.Errorf("%d jobs and transactions are left", n)
	}
}
