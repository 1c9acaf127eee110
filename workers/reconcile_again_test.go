package workers

import (
	"context"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/pricing"
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
		matched(rule)
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
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.InsertPeople(ctx, []*finance.Person{&person})
	})
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

// While a card's days are about to change, its open invoices are left, without holding up the other records; after the
// change they are decided, also an invoice that keeps its dates.
func TestAnInvoiceIsReconciledAfterTheDaysOfItsCard(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	closing, due := int64(5), int64(15)
	k := &finance.CreditCard{AccountID: r.AccountID, EntityID: r.EntityID, Name: "Loja", Flag: "Visa",
		ClosingDay: &closing, ExpirationDay: &due}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if err := cards.Insert(ctx, tx, k); err != nil {
			return err
		}
		return cards.InsertTransaction(ctx, tx, &finance.CreditCardTransaction{AccountID: r.AccountID,
			CreditCardID: k.ID, Amount: 1000, OccurredAt: january(2)})
	})
	r.Exec(`UPDATE financial_accounts SET document = '555'`)
	r.Exec(`INSERT INTO pending_card_days VALUES ($1, $2, '0001-01-01', '0001-01-01', $3, $4)`, r.AccountID, k.ID,
		closing, due)
	r.InTx(func(ctx context.Context, tx *storage.Tx) error { // of a queue that rests
		return tx.Enqueue(ctx, r.AccountID, jobs.ApplyCardDays{AccountID: r.AccountID, CreditCardID: k.ID})
	})
	invoice, other := r.moved(15, -1000, "555"), r.moved(16, -2000, "777")
	bill := r.billed(16, 2000, "777")
	r.work()
	r.left(pair(other, bill))
	r.InTx(func(ctx context.Context, tx *storage.Tx) error { return cards.ApplyDays(ctx, tx, r.AccountID, k.ID) })
	r.are(pair(invoice, bill-1), pair(other, bill))
}

// left waits until runs have looked again at what a run left, and compares.
func (r *reconciling) left(want ...string) {
	r.T.Helper()
	r.Eventually("three runs have ended", func() bool {
		return r.Count(`SELECT count(*) FROM finished_jobs WHERE kind = 'reconcile_automatically'`) >= 3
	})
	r.reconciled(want)
}

// While a sale awaits its new price, its receivable account is left, with decisions on the same amount on other days,
// which may rely on it. Afterwards all are decided, also if the price is the old one.
func TestAReceivableIsReconciledAfterThePriceOfItsSale(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	account := &finance.SaleAccount{AccountID: r.AccountID, EntityID: r.EntityID, Name: "Loja",
		PaymentMethods: "pix"}
	sale := &finance.Sale{AccountID: r.AccountID, EntityID: r.EntityID, PaymentMethod: "pix", NominalAmount: 1000,
		OccurredAt: january(15)}
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertSaleAccount(ctx, account); err != nil {
			return err
		}
		if err := tx.InsertSaleRule(ctx, &finance.SaleRule{AccountID: r.AccountID, SaleAccountID: account.ID,
			PaymentMethod: "pix", FeePercentage: new(finance.Percentage)}); err != nil {
			return err
		}
		sale.SaleAccountID = account.ID
		if err := sale.Validate(); err != nil {
			return err
		}
		return tx.InsertSales(ctx, []*finance.Sale{sale})
	})
	price := func() {
		r.InTx(func(ctx context.Context, tx *storage.Tx) error {
			_, err := pricing.Price(ctx, tx, r.AccountID, account.ID, 10)
			return err
		})
	}
	price()
	r.Exec(`UPDATE financial_accounts SET document = '555'`)
	r.Exec(`UPDATE sales SET awaiting_pricing = true`)
	r.Exec(`INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount, document)
		VALUES ($1, $2, 'receivable', $3, '2026-07-01', 10, '999')`, r.AccountID, r.EntityID, january(200))
	paid, other, later := r.moved(15, 1000, "555"), r.moved(16, -3000, "777"), r.moved(200, 1000, "999")
	bill := r.billed(16, 3000, "777")
	r.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.Enqueue(ctx, r.AccountID, jobs.ReconcileAutomatically{AccountID: r.AccountID, EntityID: r.EntityID})
	})
	r.work()
	r.left(pair(other, bill))
	price()
	r.are(pair(paid, 1), pair(other, bill), pair(later, 2))
}

// A chunk that reconciles nothing is no progress: a job whose next chunk fails in each run is dead after its attempts.
func TestARunThatReconcilesNothingUsesUpItsAttempts(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.firstDay(r.fee(1, -100)) // a rule's account of these days would not be valid
	r.moved(16, -2000, "777")
	r.billed(16, 2000, "777")
	r.ruled(func(*finance.ReconciliationRule) {})
	r.Exec(`ALTER TABLE reconciles ADD CONSTRAINT none CHECK (false) NOT VALID`)
	defer r.Exec(`ALTER TABLE reconciles DROP CONSTRAINT none`)
	h := r.kind()
	h.batch = 1
	e := h.handler()
	e.Kind.Attempts, e.Kind.Delay = 3, func(int) time.Duration { return 0 }
	r.Start(nil, e)
	r.Eventually("the job is dead", func() bool {
		return r.Count(`SELECT count(*) FROM jobs
		WHERE kind = 'reconcile_automatically' AND failed_at IS NOT NULL`) > 0
	})
}

// firstDay moves a transaction to a day at the beginning of the calendar.
func (r *reconciling) firstDay(transaction int64) int64 {
	r.T.Helper()
	r.Exec(`UPDATE financial_transactions SET occurred_at = '0001-01-10' WHERE id = $1`, transaction)
	return transaction
}

func TestTheFirstDaysOfTheCalendarAreReconciled(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	first, later := r.firstDay(r.moved(1, -100, "1")), r.moved(1, -200, "2")
	bill, other := r.billed(1, 100, "1"), r.billed(1, 200, "2")
	r.Exec(`UPDATE financial_accounts SET due_date = '0001-01-12' WHERE id = $1`, bill)
	r.ruled(func(*finance.ReconciliationRule) {}) // all days are looked at
	r.work()
	r.are(pair(first, bill), pair(later, other))
}

// An account of January of the year 1 would have no competency month.
func TestARuleMakesNoAccountThatIsNotValid(t *testing.T) {
	t.Parallel()
	r := newReconciling(t)
	r.firstDay(r.fee(1, -100)) // of the chunk of two, both are left
	r.firstDay(r.fee(1, -200))
	r.firstDay(r.fee(1, -300)) // of this one, one is
	paid := r.firstDay(r.moved(1, -400, "1"))
	bill := r.billed(1, 400, "1")
	r.Exec(`UPDATE financial_accounts SET due_date = '0001-01-12' WHERE id = $1`, bill)
	later := r.fee(1, -500)
	r.ruled(func(*finance.ReconciliationRule) {})
	r.work()
	r.are(pair(paid, bill), pair(later, bill+1))
}
