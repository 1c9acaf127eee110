package finance

import (
	"fmt"
	"slices"
	"strconv"

	"bordero/internal/messages"
)

// Bounds of one reconciliation.
const (
	// MaxReconciled is the maximum number of accounts, and of transactions.
	MaxReconciled = 1000
	// MaxNewAccounts is the maximum number of accounts that it makes.
	MaxNewAccounts = 100
)

// Names of the lists of a request to reconcile.
const (
	SelectedAccounts     = "selected_financial_account_ids"
	SelectedTransactions = "selected_financial_transaction_ids"
	AdjustmentList       = "adjustments"
	NewAccountList       = "new_accounts"
)

// Reconciling is a client's request to reconcile (OpenAPI: createReconcile).
type Reconciling struct {
	AccountIDs, TransactionIDs []int64
	SettleOpen                 bool // settle outstanding accounts by the amounts due
	Adjustments                []Adjustment
	NewAccounts                []FinancialAccount // with the attributes that the client sent
}

// Adjustment is added to the amounts of one account of a reconciliation, so that its total becomes
// the sum of the transactions. Each amount is above zero, or nil.
type Adjustment struct {
	FinancialAccountID int64
	InterestAmount     *Amount
	TicketAmount       *Amount
	DiscountAmount     *Amount
	WithheldTaxAmount  *Amount
	FeeAmount          *Amount
}

// Validate refuses lists that are empty or too long, and adjustments that are repeated, not above
// zero, or of an account that is not selected.
func (q *Reconciling) Validate() error {
	var invalid Invalid
	if len(q.AccountIDs) == 0 && len(q.NewAccounts) == 0 {
		invalid.Add(SelectedAccounts, messages.Blank)
	}
	if len(q.TransactionIDs) == 0 {
		invalid.Add(SelectedTransactions, messages.Blank)
	}
	long := false
	for _, list := range []struct {
		attribute string
		n, most   int
	}{
		{SelectedAccounts, len(q.AccountIDs), MaxReconciled}, {SelectedTransactions, len(q.TransactionIDs),
			MaxReconciled},
		{AdjustmentList, len(q.Adjustments), MaxReconciled}, {NewAccountList, len(q.NewAccounts), MaxNewAccounts},
	} {
		if list.n > list.most {
			invalid.Add(list.attribute, messages.TooManyItems.With(list.most))
			long = true
		}
	}
	if long { // each adjustment is looked for among the accounts
		return &invalid
	}
	adjusted := map[int64]bool{}
	for i, a := range q.Adjustments {
		place := fmt.Sprintf("%s/%d", AdjustmentList, i)
		refuse := func(fault *messages.Fault) {
			invalid.AddNamed(place+"/financial_account_id", AdjustmentList, fault,
				strconv.FormatInt(a.FinancialAccountID, 10))
		}
		a.validate(&invalid, place)
		switch id := a.FinancialAccountID; {
		case !slices.Contains(q.AccountIDs, id):
			refuse(messages.NotSelected)
		case adjusted[id]:
			refuse(messages.AdjustedTwice)
		}
		adjusted[a.FinancialAccountID] = true
	}
	return invalid.Err()
}

func (a *Adjustment) validate(invalid *Invalid, place string) {
	sent := false
	var attributes []string
	for _, part := range []struct {
		attribute string
		amount    *Amount
	}{
		{"interest_amount", a.InterestAmount}, {"ticket_amount", a.TicketAmount}, {"discount_amount", a.DiscountAmount},
		{"withheld_tax_amount", a.WithheldTaxAmount}, {"fee_amount", a.FeeAmount},
	} {
		sent, attributes = sent || part.amount != nil, append(attributes, AdjustmentList+"."+part.attribute)
		if part.amount != nil && *part.amount <= 0 {
			invalid.AddAt(place+"/"+part.attribute, AdjustmentList+"."+part.attribute, messages.NotPositive)
		}
	}
	if !sent {
		invalid.Append(Message{
			Attribute: AdjustmentList, Fault: messages.EmptyAdjustment.With(a.FinancialAccountID), From: attributes,
			Place: place,
		})
	}
}

// Apply changes the accounts of r, which are locked, as the request asks: it settles outstanding
// ones on the day of the newest transaction and adds the adjustments. It refuses adjustments that
// would make an account negative, or too large, and to settle one that owes more than a total holds.
func (q *Reconciling) Apply(r *Reconcile) error {
	day := r.Newest()
	var negative, large, owing []int64
	for i := range r.Accounts {
		f := &r.Accounts[i]
		if q.SettleOpen {
			f.SettleOn(day)
		}
		if f.Status != Settled { // any other is refused by Reconcile.Validate
			continue
		}
		at := slices.IndexFunc(q.Adjustments, func(a Adjustment) bool { return a.FinancialAccountID == f.ID })
		if at < 0 {
			if OrZero(f.TotalAmount) > MaxAmount {
				owing = append(owing, f.ID)
			}
			continue
		}
		switch total := f.adjust(q.Adjustments[at]); {
		case total < 0 || f.Due() < 0:
			negative = append(negative, f.ID)
		case f.adjustedTooFar():
			large = append(large, f.ID)
		}
	}
	var invalid Invalid
	if len(negative) > 0 {
		invalid.Add(AdjustmentList, messages.AdjustedBelowZero.With(ListIDs(negative)))
	}
	if len(large) > 0 {
		invalid.Add(AdjustmentList, messages.AdjustedTooLarge.With(ListIDs(large)))
	}
	if len(owing) > 0 {
		invalid.Add(SelectedAccounts, messages.AdjustedTooLarge.With(ListIDs(owing)))
	}
	return invalid.Err()
}

// adjustedTooFar reports whether an amount of an adjusted account is above the maximum: one of its
// own, or the gross amount of a receivable of sales, before fees and withheld taxes.
func (f *FinancialAccount) adjustedTooFar() bool {
	gross := *f.TotalAmount
	if f.Kind == Receivable { // a payable has no sales, and its total contains the fee
		gross += OrZero(f.FeeAmount) + OrZero(f.WithheldTaxAmount)
	}
	return max(gross, f.Due(), OrZero(f.InterestAmount), OrZero(f.TicketAmount), OrZero(f.DiscountAmount),
		OrZero(f.WithheldTaxAmount), OrZero(f.FeeAmount)) > MaxAmount
}

// adjust adds the amounts of an adjustment and returns the new total. A fee lowers the total of a
// receivable and raises that of a payable.
func (f *FinancialAccount) adjust(a Adjustment) Amount {
	total := *f.TotalAmount + OrZero(a.InterestAmount) + OrZero(a.TicketAmount) - OrZero(a.DiscountAmount) - OrZero(
		a.WithheldTaxAmount)
	if f.Kind == Payable {
		total += OrZero(a.FeeAmount)
	} else {
		total -= OrZero(a.FeeAmount)
	}
	for _, part := range []struct {
		of    **Amount
		added *Amount
	}{
		{&f.InterestAmount, a.InterestAmount}, {&f.TicketAmount, a.TicketAmount}, {&f.DiscountAmount, a.DiscountAmount},
		{&f.WithheldTaxAmount, a.WithheldTaxAmount}, {&f.FeeAmount, a.FeeAmount},
	} {
		if part.added != nil {
			sum := OrZero(*part.of) + *part.added
			*part.of = &sum
		}
	}
	f.TotalAmount = &total
	return total
}

// ValidateNew completes the new accounts of the request and adds them to r, whose transactions
// decide their kind. They are settled on the day of the newest transaction, which is also their due
// date unless another was sent. It refuses a series.
func (q *Reconciling) ValidateNew(r *Reconcile) error {
	var invalid Invalid
	day := r.Newest()
	for i := range q.NewAccounts {
		f := q.NewAccounts[i]
		f.AccountID, f.EntityID, f.CreatorID, f.NewInReconcile = r.AccountID, r.EntityID, r.CreatorID, true
		f.Kind, f.OccurredAt = r.kindOfTransactions(), &day
		if f.DueDate.IsZero() {
			f.DueDate = day
		}
		if f.CreateAsRecurrent+f.CreateAsParcelled != "" {
			invalid.AddAt(fmt.Sprintf("%s/%d", NewAccountList, i), NewAccountList, messages.SeriesInReconcile)
		}
		if err := invalid.WithinItem(NewAccountList, i, f.Validate()); err != nil {
			return err
		}
		r.Accounts = append(r.Accounts, f)
	}
	return invalid.Err()
}

// kindOfTransactions returns the kind of accounts that the transactions of r can pay. There must be
// at least one transaction.
func (r *Reconcile) kindOfTransactions() AccountKind { return KindOf(r.Transactions[0].Amount) }

// KindOf returns the kind of accounts that a transaction of the amount can pay: a debit pays payable
// accounts.
func KindOf(a Amount) AccountKind {
	if a < 0 {
		return Payable
	}
	return Receivable
}
