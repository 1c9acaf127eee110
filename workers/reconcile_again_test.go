package workers

import (
	"context"
	"testing"

	"bordero/finance"
	"bordero/storage"
)

// said sets the bank's text of a transaction.
func (r *reconciling) said(transaction int64, text string) {
	r.T.Helper()
	r.Exec(`UPDATE financial_transactions SET original_description = $2 WHERE id = $1`, transaction, text)
}

// A rule decides on what it fits, also to leave it. Without the rule its account may be unmistakable.
func TestWhatARuleLeftIsDecidedAnewWithoutIt(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	category := finance.Category{AccountID: r.AccountID, Name: "Aluguel", Cost: true}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertCategory(ctx, &category) })
	paid := r.moved(1, -100, "555")
	r.said(paid, "ALUGUEL")
	bill := r.billed(1, 100, "555")
	rule := r.ruled(func(rule *finance.ReconciliationRule) {
		matching(rule)
		rule.TextContains, rule.CategoryID = finance.Texts{"aluguel"}, &category.ID
	})
	r.work()
	r.are()
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.RemoveReconciliationRule(ctx, rule); err != nil {
			return err
		}
		return tx.Emit(ctx, ruleEvent(rule, finance.Destroyed))
	})
	r.are(pair(paid, bill))
}

// The number of a person is the counterpart of its accounts, and its name a text of its transactions.
func TestWhatAPersonIsCalledByIsComparedAnew(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	person := finance.Person{AccountID: r.AccountID, Name: "Moinho", Supplier: true}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertPerson(ctx, &person) })
	paid, bill := r.moved(1, -100, ""), r.billed(3, 100, "")
	r.said(paid, "PIX 529.982.247-25")
	fee := r.moved(100, -200, "")
	r.Exec(`UPDATE financial_accounts SET person_id = $1`, person.ID)
	r.Exec(`UPDATE financial_transactions SET person_id = $1 WHERE id = $2`, person.ID, fee)
	r.ruled(func(*finance.ReconciliationRule) {})
	r.work()
	r.are()
	number := "529.982.247-25"
	for _, step := range []struct {
		change func()
		want   []string
	}{
		{func() { person.FederationSubscriptionNumber = &number }, []string{pair(paid, bill)}},
		{func() { person.Name = "Tarifas do Moinho" }, []string{pair(paid, bill), pair(fee, bill+1)}},
	} {
		step.change()
		r.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.UpdatePerson(ctx, &person) })
		r.are(step.want...)
	}
}
