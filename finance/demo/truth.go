package demo

import (
	"bordero/finance"
)

// Truth is the right reconciliation of a Month, to compare another with. Each line has the request
// that closes it, as it can be posted.
type Truth struct {
	EntityID          int64      `json:"entity_id"`
	Month             string     `json:"month"`
	From              string     `json:"from"` // the first and the last day of Month
	To                string     `json:"to"`
	DepositAccountIDs []int64    `json:"deposit_account_ids"`
	Lines             []TrueLine `json:"lines"`
	UnpaidAccountIDs  []int64    `json:"unpaid_account_ids"` // accounts that no line paid
	Rules             []Rule     `json:"rules"`              // as a bookkeeper would make them
	Sums              TrueSums   `json:"sums"`
}

// TrueLine is the true meaning of one line.
type TrueLine struct {
	TransactionID    int64      `json:"financial_transaction_id"`
	DepositAccountID int64      `json:"deposit_account_id"`
	Is               string     `json:"is"`                  // "accounts", "transfer", "new_account" or "nothing"
	Reconcile        *Reconcile `json:"reconcile,omitempty"` // the body for POST …/reconciles
	Transfer         *Pair      `json:"transfer,omitempty"`  // the body for POST …/transfers
}

// Reconcile is a request to reconcile.
type Reconcile struct {
	AccountIDs     []int64      `json:"selected_financial_account_ids"`
	TransactionIDs []int64      `json:"selected_financial_transaction_ids"`
	SettleOpen     bool         `json:"settle_open"`
	Adjustments    []Adjustment `json:"adjustments,omitempty"`
	NewAccounts    []NewAccount `json:"new_accounts,omitempty"`
}

// Adjustment is the difference between a payment and the amount due.
type Adjustment struct {
	AccountID         int64  `json:"financial_account_id"`
	InterestAmount    string `json:"interest_amount,omitempty"`
	TicketAmount      string `json:"ticket_amount,omitempty"`
	DiscountAmount    string `json:"discount_amount,omitempty"`
	WithheldTaxAmount string `json:"withheld_tax_amount,omitempty"`
	FeeAmount         string `json:"fee_amount,omitempty"`
}

// NewAccount is an account that was not recorded before.
type NewAccount struct {
	Amount      string `json:"amount,omitempty"`
	CategoryID  *int64 `json:"category_id"`
	Description string `json:"description"`
}

// Pair is the two sides of a transfer.
type Pair struct {
	DebitID  int64 `json:"debit_transaction_id"`
	CreditID int64 `json:"credit_transaction_id"`
}

// Rule is a reconciliation rule that makes an account for the bank's fees or interest.
type Rule struct {
	Name         string     `json:"name"`
	Automatic    bool       `json:"automatic"`
	TextContains []string   `json:"text_contains"`
	Type         string     `json:"type"`
	NewAccount   NewAccount `json:"new_account"`
}

// Rules returns the rules that a bookkeeper would make for the month.
func (m *Month) Rules() (all []Rule) {
	for _, b := range bankFees() {
		all = append(all, Rule{
			Name: b.rule, Automatic: true, TextContains: []string{b.rule}, Type: b.kind,
			NewAccount: NewAccount{CategoryID: m.category(b.category), Description: described(b.category)},
		})
	}
	return all
}

func trueLine(l *Line) TrueLine {
	t := TrueLine{TransactionID: l.Transaction.ID, DepositAccountID: l.Transaction.DepositAccountID, Is: "nothing"}
	ids := []int64{t.TransactionID}
	switch {
	case l.Other != nil:
		t.Is, t.Transfer = "transfer", &Pair{t.TransactionID, l.Other.Transaction.ID}
		if l.Transaction.Amount > 0 {
			t.Transfer = &Pair{l.Other.Transaction.ID, t.TransactionID}
		}
	case l.New != nil:
		t.Is, t.Reconcile = "new_account", &Reconcile{AccountIDs: []int64{}, TransactionIDs: ids,
			NewAccounts: []NewAccount{
				{l.New.Amount.String(), l.New.CategoryID, *l.New.Description},
			}}
	case l.Paid != nil:
		t.Is, t.Reconcile = "accounts", &Reconcile{TransactionIDs: ids, SettleOpen: true}
		for _, p := range l.Paid {
			t.Reconcile.AccountIDs = append(t.Reconcile.AccountIDs, p.Account.ID)
			if p.adjusted() {
				t.Reconcile.Adjustments = append(t.Reconcile.Adjustments, Adjustment{
					p.Account.ID, written(p.InterestAmount), written(p.TicketAmount), written(p.DiscountAmount),
					written(p.WithheldTaxAmount), written(p.FeeAmount),
				})
			}
		}
	}
	return t
}

func written(a *finance.Amount) string {
	if a == nil {
		return ""
	}
	return a.String()
}
