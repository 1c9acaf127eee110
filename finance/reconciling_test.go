package finance

import (
	"errors"
	"strings"
	"testing"

	"bordero/internal/messages"
)

// Each adjustment is looked for among the accounts, which takes long for as many as a body may have.
func TestListsThatAreTooLongAreNotCompared(t *testing.T) {
	t.Parallel()
	q := Reconciling{AccountIDs: make([]int64, MaxReconciled+1), TransactionIDs: []int64{1},
		Adjustments: make([]Adjustment, MaxReconciled+1)}
	for i := range q.Adjustments {
		q.Adjustments[i].FinancialAccountID = -1
	}
	want := Invalid{Messages: []Message{
		{Attribute: SelectedAccounts, Fault: messages.TooManyItems.With(MaxReconciled)},
		{Attribute: AdjustmentList, Fault: messages.TooManyItems.With(MaxReconciled)},
	}}
	if err := q.Validate(); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, &want)
	}
}

func TestAReceivableThatOwesMoreThanATotalCanChange(t *testing.T) {
	t.Parallel()
	saleAccount, total, day := int64(1), Amount(5), Date{}
	f := FinancialAccount{ID: 7, Kind: Receivable, SaleAccountID: &saleAccount, Amount: 2 * MaxAmount}
	var invalid Invalid
	f.validateAmounts(&invalid)
	f.OccurredAt, f.TotalAmount = &day, &total
	f.validateAmounts(&invalid)
	if err := invalid.Err(); err != nil {
		t.Error(err)
	}
	f.TotalAmount = nil
	if f.validateAmounts(&invalid); invalid.Err() == nil {
		t.Error("its total is taken from what it owes")
	}
}

// The columns of an account, and the difference that its sales share, hold no more.
func TestWhatIsAboveTheMaximumIsNotReconciled(t *testing.T) {
	t.Parallel()
	const large = MaxAmount - 1
	amount := func(a Amount) *Amount { return &a }
	settled := func(change func(*FinancialAccount)) FinancialAccount {
		f := FinancialAccount{ID: 7, Kind: Receivable, Status: Settled, Amount: 1000, TotalAmount: amount(1000)}
		change(&f)
		return f
	}
	adjusted := func(a Adjustment) []Adjustment {
		a.FinancialAccountID = 7
		return []Adjustment{a}
	}
	for _, c := range []struct {
		name    string
		account FinancialAccount
		by      []Adjustment
		refused string // the attribute; empty for none
	}{
		{"a total", settled(func(*FinancialAccount) {}), adjusted(Adjustment{InterestAmount: amount(large)}),
			AdjustmentList},
		{
			"parts that cancel out",
			settled(func(f *FinancialAccount) { f.InterestAmount, f.DiscountAmount = amount(large), amount(large) }),
			adjusted(Adjustment{InterestAmount: amount(large), DiscountAmount: amount(large)}), AdjustmentList,
		},
		{
			"what its sales brought", settled(func(f *FinancialAccount) { f.TotalAmount = amount(large) }),
			adjusted(Adjustment{InterestAmount: amount(large), FeeAmount: amount(large)}), AdjustmentList,
		},
		{
			"a fee that a payable's total contains",
			settled(func(f *FinancialAccount) { f.Kind, f.TotalAmount = Payable, amount(MaxAmount/2) }),
			adjusted(Adjustment{FeeAmount: amount(MaxAmount / 3)}), "",
		},
		{
			"fees that a withheld tax cancels out",
			settled(func(f *FinancialAccount) { f.Kind, f.FeeAmount = Payable, amount(large) }),
			adjusted(Adjustment{FeeAmount: amount(1000), WithheldTaxAmount: amount(1000)}), AdjustmentList,
		},
		{"what is owed", settled(func(f *FinancialAccount) { f.Status, f.Amount = Outstanding, 2*large }), nil,
			SelectedAccounts},
		{
			"the maximum", settled(func(f *FinancialAccount) { f.Status, f.Amount = Outstanding, MaxAmount-1000 }),
			adjusted(Adjustment{TicketAmount: amount(1000)}), "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := Reconciling{SettleOpen: true, Adjustments: c.by}
			err := q.Apply(&Reconcile{Accounts: []FinancialAccount{c.account}, Transactions: []FinancialTransaction{
				{Amount: 1}}})
			var invalid *Invalid
			refused := ""
			if errors.As(err, &invalid) {
				refused = invalid.Messages[0].Attribute
			}
			if refused != c.refused {
				t.Errorf("%v, want a refusal of %q", err, c.refused)
			}
		})
	}
}

// The amount of an account of an invoice or of sales is theirs.
func TestOnlyAmountsOfUsersCanBeReduced(t *testing.T) {
	t.Parallel()
	reconcile := func(f FinancialAccount) string {
		r := Reconcile{Kind: Payable, Accounts: []FinancialAccount{f}}
		return r.differ(1000, 400).Error()
	}
	of := int64(1)
	own, derived := reconcile(FinancialAccount{}), reconcile(FinancialAccount{CreditCardInvoiceID: &of})
	if !strings.HasSuffix(own, messages.OrPaidInPart) || strings.HasSuffix(derived, messages.OrPaidInPart) {
		t.Errorf("of an account of a user %q, of an invoice %q", own, derived)
	}
}
