package storage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/matching"
)

// automatic is imports into a deposit account that is reconciled automatically.
type automatic struct{ importing }

func newAutomatic(t testing.TB) automatic {
	i := automatic{importing: newImports(t)}
	i.exec(t, `UPDATE deposit_accounts SET automatic_reconciliation = true`)
	return i
}

// billed stores a receivable account of an item's amount that is due on its day, with the document.
func (i automatic) billed(t testing.TB, from imports.StagedItem, document string) int64 {
	t.Helper()
	f := finance.FinancialAccount{
		AccountID: i.into.AccountID, EntityID: i.into.EntityID, Kind: finance.Receivable, DueDate: from.Day,
		Amount: from.Amount, Document: &document,
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := i.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertFinancialAccounts(t.Context(), []*finance.FinancialAccount{&f})
	}); err != nil {
		t.Fatal(err)
	}
	return f.ID
}

// pairs imports items, each with an account that it pays unmistakably, and returns the statement.
func (i automatic) pairs(t testing.TB, n int) (statement int64) {
	t.Helper()
	var file []imports.StagedItem
	for k := range n {
		one := item(1+k%28, finance.Amount(1+k), "", "PIX")
		one.Document = fmt.Sprint(k + 1)
		i.billed(t, one, fmt.Sprint("NF ", k+1))
		file = append(file, one)
	}
	return i.file(t, file)
}

func (i automatic) file(t testing.TB, items []imports.StagedItem) (statement int64) {
	t.Helper()
	_, statement, err := i.run(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	return statement
}

// decided reads the books and decides.
func (i automatic) decided(t testing.TB) (*matching.OpenBooks, []finance.Decision) {
	t.Helper()
	p := finance.Period{First: item(1, 0, "", "").Day.AddDays(-60), Last: item(1, 0, "", "").Day.AddDays(60)}
	books, err := matching.ReadOpenBooks(t.Context(), i.Store, i.scope(), p, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return books, books.Decide(p)
}

// reconcile stores decisions, and reports whether some were stale.
func (i automatic) reconcile(ctx context.Context, books *matching.OpenBooks, decided []finance.Decision) (stale bool,
	err error) {
	err = i.InTx(ctx, func(tx *storage.Tx) error {
		c, err := matching.ReconcileDecided(ctx, tx, books, decided)
		stale = c.Stale
		return err
	})
	return stale, err
}

// all reconciles what can be, and returns how many pairs that were.
func (i automatic) all(t testing.TB) int {
	t.Helper()
	books, decided := i.decided(t)
	if stale, err := i.reconcile(t.Context(), books, decided); err != nil || stale {
		t.Fatal(stale, err)
	}
	return len(decided)
}

// byHand reconciles a transaction with an account as a person does.
func (i automatic) byHand(ctx context.Context, transaction, account int64) error {
	return i.InTx(ctx, func(tx *storage.Tx) error {
		q := finance.Reconciling{AccountIDs: []int64{account}, TransactionIDs: []int64{transaction}, SettleOpen: true}
		r, err := tx.LockReconcilable(ctx, finance.Access{AccountID: i.into.AccountID, UserID: 1, Administrator: true},
			i.scope(), q.AccountIDs, q.TransactionIDs)
		if err != nil {
			return err
		}
		if err := q.Apply(r); err != nil {
			return err
		}
		if err := r.Validate(); err != nil {
			return err
		}
		return tx.InsertReconcile(ctx, r)
	})
}

// undo undoes a reconciliation as a person does.
func (i automatic) undo(t testing.TB, id int64) {
	t.Helper()
	err := i.InTx(t.Context(), func(tx *storage.Tx) error {
		r, err := tx.LockReconcileForDelete(t.Context(), i.scope(), id)
		if err != nil {
			return err
		}
		return tx.RemoveReconcile(t.Context(), r)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A person who undoes a reconcile to make another one finds the transaction open.
func TestWhatAPersonUndoesIsLeftWhateverMadeIt(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	i.pairs(t, 2)
	other := i.billed(t, item(1, 1, "", ""), "")
	if err := i.byHand(t.Context(), 1, 1); err != nil {
		t.Fatal(err)
	}
	i.undo(t, 1)
	if n := i.all(t); n != 1 {
		t.Errorf("%d reconciled, want the one that nothing was undone of", n)
	}
	if err := i.byHand(t.Context(), 1, other); err != nil {
		t.Error(err)
	}
	i.agree(t)
}

// The counterpart of a transaction is the one that its texts name, whatever its person, as it is in
// previews and suggestions.
func TestTheCounterpartIsWhatTheTextsName(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	const other, third = "11222333000181", "11144477735"
	i.exec(t, `INSERT INTO people (account_id, name, customer, supplier, federation_subscription_number,
		federation_subscription_code)
		VALUES (1, 'Moinho', false, true, '`+other+`', '`+other+`')`)
	for k, text := range []string{"PIX", "PIX " + other, "PIX " + third} {
		i.file(t, []imports.StagedItem{item(1+k, 9_90, "", text)})
	}
	i.exec(t, `UPDATE financial_transactions SET person_id = 1`)
	books, _ := i.decided(t)
	var named []string
	for _, one := range books.Transactions {
		named = append(named, fmt.Sprintf("%d %s", one.ID, one.CounterpartDocument))
	}
	if slices.Sort(named); !slices.Equal(named, []string{"1 ", "2 " + other, "3 " + third}) {
		t.Errorf("the counterparts are %q", named)
	}
	number := other
	rule := finance.ReconciliationRule{AccountID: 1, EntityID: 1, Name: "Moinho", CounterpartDocument: &number,
		NewAccount: true, Automatic: true}
	preview, err := matching.PreviewReconciliationRule(t.Context(), i.Queries, i.scope(), &rule, map[string]string{
		"deposit_account_id": "1", "occurred_at_gte": "2026-03-01", "occurred_at_lte": "2026-03-31",
	})
	if err != nil || len(preview.Proposed) != 1 || preview.UndecidedCount != 0 {
		t.Fatalf("%+v, %v", preview, err)
	}
	if err := i.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertReconciliationRule(t.Context(), &rule)
	}); err != nil {
		t.Fatal(err)
	}
	if _, decided := i.decided(t); len(decided) != 1 ||
		decided[0].Transaction.ID != preview.Proposed[0].TransactionIDs[0] {
		t.Errorf("%d decisions, the preview says %+v", len(decided), preview.Proposed)
	}
}

// Of two people and the worker who want one record, one gets it.
func TestPeopleAndTheWorkerReconcileARecordOnce(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	i.pairs(t, 30)
	other := i.billed(t, item(1, 1, "", ""), "")
	books, decided := i.decided(t)
	if len(decided) != 30 {
		t.Fatalf("%d decisions", len(decided))
	}
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := i.reconcile(t.Context(), books, decided); err != nil {
			t.Error(err)
		}
	})
	for _, account := range []int64{decided[0].Account.ID, other} {
		all.Go(func() {
			if err := i.byHand(t.Context(), decided[0].Transaction.ID, account); err != nil &&
				!strings.Contains(err.Error(), "conciliad") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := i.value(t, `SELECT count(*) FROM reconciles`); n != 30 {
		t.Errorf("%d reconciles of 30 transactions", n)
	}
	i.agree(t)
}

// What changes between the decision and its transaction is left, and the rest is reconciled.
func TestADecisionOnARecordThatChangedIsLeft(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"an account of another amount": `UPDATE financial_accounts SET amount = 9 WHERE id = 2`,
		"an account that is gone":      `DELETE FROM financial_accounts WHERE id = 2`,
		"another document":             `UPDATE financial_transactions SET document = 'x' WHERE id = 2`,
		"another day":                  `UPDATE financial_transactions SET occurred_at = '2026-01-01' WHERE id = 2`,
		"a statement that goes": `UPDATE bank_statements SET deleted_at = now()
			WHERE id = (SELECT bank_statement_id FROM financial_transactions WHERE id = 2)`,
		"a sale account that goes": `UPDATE sale_accounts SET deleted_at = now()`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newAutomatic(t)
			i.pairs(t, 3)
			i.exec(t, `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
				file_content_type, file_file_size) VALUES (1, 1, 'x', 'x', 'x', 1);
				UPDATE financial_transactions SET bank_statement_id = 2 WHERE id = 2;
				INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
					VALUES (1, 1, 's', 'cielo', 'pix');
				UPDATE financial_accounts SET sale_account_id = 1 WHERE id = 2`)
			books, decided := i.decided(t)
			i.exec(t, change)
			stale, err := i.reconcile(t.Context(), books, decided)
			if left := i.value(t,
				`SELECT count(*) FROM financial_transactions WHERE reconcile_id IS NULL AND id = 2`); err != nil ||
				!stale || left != 1 {
				t.Errorf("stale %v, %v, %d left", stale, err, left)
			}
			if n := i.value(t, `SELECT count(*) FROM reconciles`); n != 2 {
				t.Errorf("%d reconciles", n)
			}
			books, decided = i.decided(t)
			if stale, err := i.reconcile(t.Context(), books, decided); err != nil || stale {
				t.Errorf("read again: stale %v, %v", stale, err)
			}
		})
	}
	i := newAutomatic(t)
	i.pairs(t, 3)
	books, decided := i.decided(t)
	i.exec(t, `UPDATE deposit_accounts SET automatic_reconciliation = false`)
	if stale, err := i.reconcile(t.Context(), books, decided); err != nil || !stale {
		t.Errorf("a deposit account that people reconcile again: stale %v, %v", stale, err)
	}
	i.exec(t, `UPDATE entities SET deleted_at = now()`)
	if _, err := i.reconcile(t.Context(), books, decided); err != storage.ErrNotFound {
		t.Errorf("an entity that is being deleted: %v", err)
	}
	if n := i.value(t, `SELECT count(*) FROM reconciles`); n != 0 {
		t.Errorf("%d reconciles", n)
	}
}

// An import is undone under its automatic reconciles, in chunks, and comes in again; those of people
// refuse it.
func TestAnImportIsUndoneUnderItsAutomaticReconciles(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	statement := i.pairs(t, 20)
	if n := i.all(t); n != 20 {
		t.Fatalf("%d pairs", n)
	}
	i.agree(t)
	if err := i.delete(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if done, err := i.work(t.Context(), 100); err != nil || !done {
		t.Fatal(done, err)
	}
	if n := i.value(t, `SELECT count(*) FROM financial_accounts WHERE status = 1 AND occurred_at IS NULL
		AND total_amount IS NULL AND expected_deposit_account_id IS NULL`); n != 20 {
		t.Errorf("%d accounts are open again", n)
	}
	if n := i.value(t, `SELECT count(*) FROM reconciles`) + i.value(t,
		`SELECT count(*) FROM financial_transactions`); n != 0 {
		t.Errorf("%d records are left", n)
	}
	i.agree(t)
	var file []imports.StagedItem
	for k := range 20 {
		one := item(1+k%28, finance.Amount(1+k), "", "PIX")
		one.Document = fmt.Sprint(k + 1)
		file = append(file, one)
	}
	statement = i.file(t, file)
	if n := i.all(t); n != 20 {
		t.Errorf("%d pairs the second time", n)
	}
	id := i.value(t, `SELECT max(reconcile_id) FROM financial_transactions`)
	transaction := i.value(t, fmt.Sprintf(`SELECT id FROM financial_transactions WHERE reconcile_id = %d`, id))
	account := i.value(t, fmt.Sprintf(`SELECT id FROM financial_accounts WHERE reconcile_id = %d`, id))
	i.undo(t, id)
	if n := i.all(t); n != 0 {
		t.Errorf("%d reconciled that a person has undone", n)
	}
	if err := i.byHand(t.Context(), transaction, account); err != nil {
		t.Fatal(err)
	}
	if err := i.delete(t.Context(), statement); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("conciliadas: %d.", transaction)) {
		t.Errorf("a statement of which a person reconciled something: %v", err)
	}
	i.agree(t)
}

// A reconcile that is made while its statement goes is undone with it.
func TestTheWorkerAndTheDeletionOfAStatementAgree(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	statement := i.pairs(t, 40)
	books, decided := i.decided(t)
	var both sync.WaitGroup
	both.Go(func() {
		for k := range decided {
			if _, err := i.reconcile(t.Context(), books, decided[k:k+1]); err != nil {
				t.Error(err)
			}
		}
	})
	both.Go(func() {
		if err := i.delete(t.Context(), statement); err != nil {
			t.Error(err)
		}
		if done, err := i.work(t.Context(), 100); err != nil || !done {
			t.Error(done, err)
		}
	})
	both.Wait()
	if n := i.value(t, `SELECT count(*) FROM reconciles`) + i.value(t,
		`SELECT count(*) FROM financial_transactions`); n != 0 {
		t.Errorf("%d records are left", n)
	}
	i.agree(t)
}

func TestAutomaticSettlementIsFollowedBySales(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	i.exec(t, `
		INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods) VALUES (1, 1, 'c', 'cielo',
			'credit');
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, document,
			sale_account_id, sales_count)
		VALUES (1, 1, 'receivable', '2026-03-01', 9.9, '2026-03-01', '1', 1, 1);
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			nominal_amount, total_amount,
			receivable_amount, estimated_liquidated_at, financial_account_id, status, awaiting_pricing)
		VALUES (1, 1, 1, 'credit', '2026-01-01', '2026-01-01', 10, 10, 9.9, '2026-03-01', 1, 1, false)`)
	one := item(3, 990, "", "CIELO")
	one.Document = "1"
	i.file(t, []imports.StagedItem{one})
	if n := i.all(t); n != 1 {
		t.Fatalf("%d pairs", n)
	}
	if n := i.value(t, `SELECT count(*) FROM sales WHERE status = 3 AND liquidated_at = '2026-03-03'`); n != 1 {
		t.Error("the sale does not follow its receivable account")
	}
}

// The decision on February's fee may rely on that on January's, which leaves its account to no other.
func TestDecisionsOfTheAmountOfOneThatChangedAreLeft(t *testing.T) {
	t.Parallel()
	i := newAutomatic(t)
	var file []imports.StagedItem
	for k, amount := range []finance.Amount{100, 100, 200} {
		one := item(2+k, amount, "", "PIX")
		one.Document = fmt.Sprint(k + 1)
		i.billed(t, one, fmt.Sprint("NF ", k+1))
		file = append(file, one)
	}
	i.file(t, file)
	books, decided := i.decided(t)
	if len(decided) != 3 {
		t.Fatalf("%d decisions", len(decided))
	}
	i.exec(t, `UPDATE financial_transactions SET document = 'x' WHERE id = 1`)
	if stale, err := i.reconcile(t.Context(), books, decided); err != nil || !stale {
		t.Errorf("stale %v, %v", stale, err)
	}
	if n := i.value(t, `SELECT count(*) FROM financial_transactions WHERE reconcile_id IS NULL AND id < 3`); n != 2 {
		t.Errorf("%d of 2 transactions of the amount are left", n)
	}
	if n := i.value(t, `SELECT count(*) FROM reconciles`); n != 1 {
		t.Errorf("%d reconciles", n)
	}
}
