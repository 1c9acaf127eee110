package workers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/matching"
	"bordero/storage/storagetest"
	"bordero/workers/runtime/runtimetest"
)

// reconciling is a harness with a deposit account that is reconciled automatically.
type reconciling struct {
	*runtimetest.Harness
	storagetest.Tenant
	account int64
}

func newReconciling(t testing.TB) *reconciling {
	h := runtimetest.New(t, jobs.ReconcileAutomaticallyKind.Queue)
	r := &reconciling{Harness: h, Tenant: storagetest.NewTenant(t, h.Store)}
	r.account = storagetest.NewDepositAccount(t, h.Store, r.Scope, func(d *finance.DepositAccount) {
		d.AutomaticReconciliation = true
	}).ID
	return r
}

// work starts a worker that stores two decisions at once, of periods of three transactions.
func (r *reconciling) work() (stop func()) {
	r.T.Helper()
	return r.Start(nil, r.kind().handler())
}

func (r *reconciling) kind() reconcileAutomatically {
	return reconcileAutomatically{store: r.Store, read: 3, most: 1000, batch: 2, later: 50 * time.Millisecond}
}

func january(day int) finance.Date {
	d, _ := finance.NewDate(2026, 1, 1)
	return d.AddDays(day - 1)
}

// moved inserts a transaction without its event, and so without a job.
func (r *reconciling) moved(day int, cents finance.Amount, document string) int64 {
	r.T.Helper()
	t := &finance.FinancialTransaction{
		AccountID: r.AccountID, DepositAccountID: r.account, Type: finance.TypeOf(cents), Amount: cents,
		OccurredAt: january(day), Document: &document,
	}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{t})
	})
	return t.ID
}

// billed inserts an open account and emits its creation, as a request does.
func (r *reconciling) billed(day int, cents finance.Amount, document string) int64 {
	r.T.Helper()
	f := &finance.FinancialAccount{
		AccountID: r.AccountID, EntityID: r.EntityID, Kind: finance.Payable, DueDate: january(day), Amount: cents,
		Document: &document,
	}
	if err := f.Validate(); err != nil {
		r.T.Fatal(err)
	}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertFinancialAccounts(ctx, []*finance.FinancialAccount{f}); err != nil {
			return err
		}
		return tx.Emit(ctx, finance.Event{
			Family: finance.PayableAccountsFamily, Action: finance.Created, AccountID: r.AccountID,
			EntityID: r.EntityID, IDs: []int64{f.ID},
		})
	})
	return f.ID
}

// are waits until no job of the queue is left, and compares the pairs, each as "transaction-account".
func (r *reconciling) are(want ...string) {
	r.T.Helper()
	r.Eventually("the end of all jobs", func() bool {
		return r.Count(`SELECT count(*) FROM jobs WHERE queue = $1`, r.Queue) == 0
	})
	r.reconciled(want)
}

func (r *reconciling) reconciled(want []string) {
	r.T.Helper()
	var got string
	err := r.DB.QueryRowContext(r.T.Context(), `
		SELECT coalesce(string_agg(t.id || '-' || f.id, ' ' ORDER BY t.id), '') FROM reconciles r
		JOIN financial_transactions t ON t.reconcile_id = r.id JOIN financial_accounts f ON f.reconcile_id = r.id
			WHERE r.made_by = 'automatic'`).Scan(&got)
	if err != nil || got != strings.Join(want, " ") {
		r.T.Errorf("reconciled %s, want %s, %v", got, strings.Join(want, " "), err)
	}
	storagetest.Agrees(r.T, r.Store)
}

// undo undoes a reconciliation as a person does.
func (r *reconciling) undo(id int64) {
	r.T.Helper()
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		f, err := tx.LockReconcileForDelete(ctx, r.Scope, id)
		if err != nil {
			return err
		}
		return tx.RemoveReconcile(ctx, f)
	})
}

func pair(transaction, account int64) string { return fmt.Sprintf("%d-%d", transaction, account) }

func TestTheWorkerReconcilesWhatIsUnmistakable(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.work()
	var want []string
	for n := range 12 { // several periods and chunks
		paid := r.moved(3*n, -100, fmt.Sprint("NF ", n+1))
		if n != 5 {
			want = append(want, pair(paid, r.billed(3*n+2, 100, fmt.Sprint(n+1))))
		}
	}
	r.are(want...)
	made, err := r.Store.Reconcile(t.Context(), r.Scope, 1)
	if err != nil || made.MadeBy != "automatic" || made.CreatorID != nil ||
		fmt.Sprint(made.Reasons) != "[Mesmo valor 2 dias de diferença Mesmo documento Estava em aberto: a "+
			"conciliação pagou ou recebeu a conta]" {
		t.Errorf("%+v, %v", made, err)
	}
	if f := made.Accounts[0]; f.OccurredAt.String() != "2025-12-31" || *f.TotalAmount != 100 ||
		*f.ExpectedDepositAccountID != r.account {
		t.Errorf("the account is %+v", f)
	}
	storagetest.Seal(t, r.Store)
	changes, _, err := r.Store.Changes(t.Context(), r.AccountID, 0, 1000, storage.ChangeFilter{
		Family: finance.ReconcilesFamily}, storage.Viewer{All: true}, 1000)
	if err != nil || len(changes) == 0 || changes[0].Job == nil || *changes[0].Job != "reconcile_automatically" ||
		changes[0].UserID != nil {
		t.Errorf("the feed has %+v, %v", changes, err)
	}
}

func TestWhatAPersonTakesBackIsLeftToPeople(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.work()
	one, other := r.moved(1, -100, "1"), r.moved(5, -200, "2")
	bill := r.billed(1, 100, "1")
	r.are(pair(one, bill))
	r.undo(1)
	r.are() // the account is open again, and the change of it has been looked at
	r.are()
	second := r.billed(5, 200, "2")
	r.are(pair(other, second))
	listed, err := matching.Suggestions(t.Context(), r.Store.Queries, r.Scope, finance.DefaultLateCharges,
		[]finance.AccountKind{finance.Payable}, list.Query{
			Size: 10, Search: map[string]string{"deposit_account_id": fmt.Sprint(r.account),
				"occurred_at_gte": "2026-01-01", "occurred_at_lte": "2026-01-31"},
		})
	if err != nil || len(listed.Items) != 1 || listed.Items[0].TransactionIDs[0] != one {
		t.Errorf("suggested is %+v, %v", listed.Items, err)
	}
}

// A request that has nothing to do with automatic reconciliation enqueues nothing.
func TestOnlyBooksThatAreReconciledAutomaticallyHaveTheJob(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	d, err := r.Store.DepositAccount(t.Context(), r.Scope, r.account)
	if err != nil {
		t.Fatal(err)
	}
	set := func(on bool) {
		d.AutomaticReconciliation = on
		r.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateDepositAccount(ctx, d) })
	}
	waiting := func() int { return r.Count(`SELECT count(*) FROM jobs WHERE queue = $1`, r.Queue) }
	set(true)
	set(false)
	one, bill := r.moved(1, -100, "1"), r.billed(1, 100, "1")
	if waiting() > 0 {
		t.Error("a job for an account that people reconcile")
	}
	set(true)
	if waiting() != 1 {
		t.Error("no job, or several, for what is there already")
	}
	r.work()
	r.are(pair(one, bill))
}

// Who pays a fee every month may be paying an old one, however long ago it was due.
func TestWhatMayPayAnOverdueAccountIsLeftToPeople(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.billed(1, 100, "1")
	r.billed(1, 200, "2") // of another amount
	r.work()
	r.moved(200, -100, "1")
	r.billed(200, 100, "1")
	other := r.moved(200, -300, "2")
	r.are(pair(other, r.billed(200, 300, "2")))
}

// A run looks at the days of its jobs alone.
func TestARunLooksAtTheDaysOfWhatIsNew(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.moved(1, -100, "2")
	r.billed(1, 100, "2")
	r.Exec(`DELETE FROM jobs`) // as if a run had left it open
	paid := r.moved(100, -100, "1")
	last := r.moved(130, -100, "1")
	want := []string{pair(paid, r.billed(107, 100, "1")), pair(last, r.billed(130, 100, "1"))}
	r.work()
	r.are(want...)
}

// A second run finds nothing, and one that lost its claim stores nothing.
func TestARunThatIsRepeatedChangesNothing(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	paid, bill := r.moved(1, -100, "1"), r.billed(1, 100, "1")
	r.work()
	r.are(pair(paid, bill))
	changes := r.Count(`SELECT max(id) FROM unsealed_changes`)
	for range 2 {
		r.InTx(func(ctx context.Context, tx *storage.Tx) error {
			return tx.Enqueue(ctx, r.AccountID, jobs.ReconcileAutomatically{
				AccountID: r.AccountID, EntityID: r.EntityID})
		})
		r.are(pair(paid, bill))
	}
	if n := r.Count(`SELECT max(id) FROM unsealed_changes`); n != changes {
		t.Errorf("%d changes more", n-changes)
	}
}

// A job whose entity is gone ends.
func TestTheBooksOfADeletedEntityAreLeft(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.moved(1, -100, "1")
	r.billed(1, 100, "1")
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		e, err := tx.LockEntityForDelete(ctx, r.Scope)
		if err != nil {
			return err
		}
		return tx.RemoveEntity(ctx, e)
	})
	r.work()
	r.are()
}

// ruled inserts a rule for transactions whose document-less text has a part, and emits its creation.
func (r *reconciling) ruled(change func(*finance.ReconciliationRule)) *finance.ReconciliationRule {
	r.T.Helper()
	rule := &finance.ReconciliationRule{
		AccountID: r.AccountID, EntityID: r.EntityID, Name: "Tarifas", TextContains: finance.Texts{"tarifa"},
		NewAccount: true, Automatic: true,
	}
	change(rule)
	if err := rule.Validate(); err != nil {
		r.T.Fatal(err)
	}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertReconciliationRule(ctx, rule); err != nil {
			return err
		}
		return tx.Emit(ctx, ruleEvent(rule, finance.Created))
	})
	return rule
}

func ruleEvent(r *finance.ReconciliationRule, action finance.Action) finance.Event {
	return finance.Event{Family: finance.ReconciliationRulesFamily, Action: action, AccountID: r.AccountID,
		EntityID: r.EntityID, IDs: []int64{r.ID}}
}

// fee inserts a transaction that the rules of these tests fit.
func (r *reconciling) fee(day int, cents finance.Amount) int64 {
	r.T.Helper()
	id := r.moved(day, cents, "")
	r.Exec(`UPDATE financial_transactions SET original_description = 'TARIFA BANCÁRIA' WHERE id = $1`, id)
	return id
}

func matched(r *finance.ReconciliationRule) { r.NewAccount, r.Match, r.Days = false, true, 7 }

// Rules count whatever the deposit account says.
func TestTheWorkerFollowsRules(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.Exec(`UPDATE deposit_accounts SET automatic_reconciliation = false`)
	category := finance.Category{AccountID: r.AccountID, Name: "Bancos", Cost: true}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertCategory(ctx, &category) })
	one, other := r.fee(1, -990), r.fee(2, -990)
	bill := r.billed(1, 990, "") // no rule matches it yet
	r.work()
	r.ruled(func(rule *finance.ReconciliationRule) {
		description := "Tarifa"
		rule.Description, rule.CategoryID = &description, &category.ID
	})
	r.are(pair(one, bill+1), pair(other, bill+2))
	made, err := r.Store.Reconcile(t.Context(), r.Scope, 1)
	if err != nil || made.RuleID == nil || *made.RuleID != 1 ||
		fmt.Sprint(made.Reasons) != "[Regra de conciliação: Tarifas A conciliação criou a conta]" {
		t.Errorf("%+v, %v", made, err)
	}
	if f := made.Accounts[0]; *f.Description != "Tarifa" || *f.CategoryID != category.ID || f.Amount != 990 ||
		f.DueDate != january(1) || !f.NewInReconcile {
		t.Errorf("the account is %+v", f)
	}
	r.undo(1)
	if n := r.Count(`SELECT count(*) FROM financial_accounts WHERE id = $1`, bill+1); n != 0 {
		t.Error("the account stays")
	}
	third := r.fee(9, -100)
	r.ruled(func(rule *finance.ReconciliationRule) { rule.Name = "Depois" }) // also looks at what is new for the first
	r.are(pair(other, bill+2), pair(third, bill+3))
	if made, err := r.Store.Reconcile(t.Context(), r.Scope, 3); err != nil || *made.RuleID != 1 {
		t.Errorf("%+v, %v", made, err)
	}
}

func TestTheFirstRuleThatFitsDecides(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	only, two := r.fee(1, -100), r.fee(2, -200)
	bill := r.billed(3, 100, "")
	r.billed(3, 200, "")
	r.billed(4, 200, "")
	r.ruled(func(rule *finance.ReconciliationRule) { rule.Position = 2 })
	r.ruled(func(rule *finance.ReconciliationRule) { matched(rule); rule.Position = 1 })
	r.work()
	r.are(pair(only, bill)) // the other has two to choose
	if n := r.Count(`SELECT count(*) FROM financial_transactions WHERE id = $1 AND reconcile_id IS NULL`, two); n != 1 {
		t.Error("the ambiguous one is reconciled")
	}
}

// Where too much is open to be held in memory, everything is left to people.
func TestTooLargeBooksAreLeft(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	for n := range 4 {
		r.moved(1, finance.Amount(-100-n), fmt.Sprint(n))
		r.billed(1, finance.Amount(100+n), fmt.Sprint(n))
	}
	paid := r.moved(200, -100, "200")
	bill := r.billed(200, 100, "200")
	k := r.kind()
	k.most = 7
	r.Start(nil, k.handler())
	r.are(pair(paid, bill))
	if !strings.Contains(r.Log.String(), "too many records are open") {
		t.Error(r.Log.String())
	}
}

// A rule that changes while a run has read it decides as it is then.
func TestARuleThatChangesMeanwhileDecidesAsItIs(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	fees := []int64{r.fee(1, -100), r.fee(1, -200), r.fee(1, -300), r.fee(1, -400)}
	rule := r.ruled(func(*finance.ReconciliationRule) {})
	p := finance.Period{First: january(1), Last: january(1)}
	books, err := matching.ReadOpenBooks(t.Context(), r.Store, r.Scope, p, r.kind().most)
	if err != nil {
		t.Fatal(err)
	}
	decided := books.Decide(p)
	if len(decided) != len(fees) {
		t.Fatalf("%d decisions", len(decided))
	}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		_, err := matching.ReconcileDecided(ctx, tx, books, decided[:2])
		return err
	})
	rule.AmountLte = new(finance.Amount)
	*rule.AmountLte = 300
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.UpdateReconciliationRule(ctx, rule); err != nil {
			return err
		}
		return tx.Emit(ctx, ruleEvent(rule, finance.Updated))
	})
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if c, err := matching.ReconcileDecided(ctx, tx, books, decided[2:]); err != nil || !c.Stale {
			t.Errorf("%+v, %v", c, err)
		}
		return nil
	})
	if n := r.Count(`SELECT count(*) FROM reconciles`); n != 2 {
		t.Errorf("%d reconciles by a rule that is no more", n)
	}
	r.work()
	r.are(pair(fees[0], 1), pair(fees[1], 2), pair(fees[2], 3))
}

// A rule whose category is being deleted makes no account until the deletion has cleared it.
func TestARuleWhoseCategoryGoesMakesNoAccountMeanwhile(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	category := finance.Category{AccountID: r.AccountID, Name: "Bancos", Cost: true}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertCategory(ctx, &category) })
	r.fee(1, -100)
	paid, bill := r.moved(5, -200, "1"), r.billed(5, 200, "1")
	r.ruled(func(rule *finance.ReconciliationRule) { rule.CategoryID = &category.ID })
	r.Exec(`UPDATE categories SET deleted_at = now() WHERE id = $1`, category.ID)
	r.work()
	r.Eventually("the end of all jobs", func() bool {
		return r.Count(`SELECT count(*) FROM jobs WHERE queue = $1`, r.Queue) == 0
	})
	if n := r.Count(`SELECT count(*) FROM financial_transactions t JOIN financial_accounts f USING (reconcile_id)
		WHERE t.id = $1 AND f.id = $2`, paid, bill); n != 1 {
		t.Error("the rest is not reconciled")
	}
	if n := r.Count(`SELECT count(*) FROM reconciles`); n != 1 {
		t.Errorf("%d reconciles", n)
	}
}
