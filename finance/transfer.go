package finance

import (
	"slices"
	"time"

	"bordero/internal/messages"
)

// TransferWindow is the maximum distance in days between the two transactions of a pair.
const TransferWindow = 10

// Transfer is a pair: a transfer made of two existing transactions (OpenAPI: Transfer). A transfer
// that was typed as one has no Transfer: its sides change and are deleted together, while the sides
// of a pair stay transactions of their own.
type Transfer struct {
	ID                     int64
	AccountID              int64
	EntityID               int64
	DebitTransactionID     int64
	CreditTransactionID    int64
	DebitDepositAccountID  int64
	CreditDepositAccountID int64
	Amount                 Amount // of the credit
	CreatedAt              time.Time
}

// Validate requires both transactions.
func (t *Transfer) Validate() error {
	var invalid Invalid
	if t.DebitTransactionID == 0 {
		invalid.Add("debit_transaction", messages.Blank)
	}
	if t.CreditTransactionID == 0 {
		invalid.Add("credit_transaction", messages.Blank)
	}
	return invalid.Err()
}

// Pair checks the rules for the two transactions. found are the existing ones: a debit and a credit
// of the same amount and currency in two deposit accounts, at most TransferWindow days apart,
// neither reconciled nor a side of another transfer. Pair sets the values that follow from them.
func (t *Transfer) Pair(found []FinancialTransaction) error {
	var invalid Invalid
	transaction := func(id int64) *FinancialTransaction {
		if i := slices.IndexFunc(found, func(f FinancialTransaction) bool { return f.ID == id }); i >= 0 {
			return &found[i]
		}
		return nil
	}
	debit, credit := transaction(t.DebitTransactionID), transaction(t.CreditTransactionID)
	switch {
	case debit == nil:
		invalid.Add("debit_transaction", messages.NotExisting)
	case debit.Amount > 0:
		invalid.Add("debit_transaction", messages.NotDebit)
	}
	switch {
	case credit == nil:
		invalid.Add("credit_transaction", messages.NotExisting)
	case credit.Amount < 0:
		invalid.Add("credit_transaction", messages.NotCredit)
	}
	if debit != nil && credit != nil && debit != credit {
		t.compare(&invalid, debit, credit)
	}
	both := Reconcile{Transactions: found}
	if ids := both.transactions(func(f FinancialTransaction) bool { return f.ReconcileID != nil }); len(ids) > 0 {
		invalid.Add(Base, messages.TransactionsReconciled.With(ListIDs(ids)))
	}
	if ids := both.transactions(func(f FinancialTransaction) bool { return f.TransferID != nil }); len(ids) > 0 {
		invalid.Add(Base, messages.TransactionsPaired.With(ListIDs(ids)))
	}
	return invalid.Err()
}

// compare checks the values that the two transactions must share.
func (t *Transfer) compare(invalid *Invalid, debit, credit *FinancialTransaction) {
	switch {
	case debit.DepositAccountID == credit.DepositAccountID:
		invalid.Add("credit_transaction", messages.OfSameAccount)
	case debit.CurrencyID != credit.CurrencyID:
		invalid.Add("credit_transaction", messages.OtherCurrency)
	case debit.Amount.Abs() != credit.Amount.Abs():
		invalid.Add("amount", messages.AmountsNotOpposite.With(debit.Amount.Abs().Brazilian(),
			credit.Amount.Abs().Brazilian(), (debit.Amount.Abs()-credit.Amount.Abs()).Abs().Brazilian()))
	}
	days := debit.OccurredAt.day() - credit.OccurredAt.day()
	if days = max(days, -days); days > TransferWindow {
		invalid.Add("occurred_at", messages.TooFarApart.With(debit.OccurredAt.Brazilian(),
			credit.OccurredAt.Brazilian(), days, TransferWindow))
	}
	t.DebitDepositAccountID, t.CreditDepositAccountID, t.Amount = debit.DepositAccountID, credit.DepositAccountID,
		credit.Amount
}
