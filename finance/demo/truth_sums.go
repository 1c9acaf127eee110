package demo

import (
	"slices"

	"bordero/finance"
)

// TrueSums are the sums of the books before anything is reconciled.
type TrueSums struct {
	DepositAccounts []TrueMovements         `json:"deposit_accounts"`
	Accounts        map[string]TrueAccounts `json:"accounts"` // by kind: payable, receivable
}

// TrueMovements are the sums of the lines of a deposit account; debits are negative.
type TrueMovements struct {
	DepositAccountID int64  `json:"deposit_account_id"`
	Count            int64  `json:"count"`
	Credits          string `json:"credits"`
	Debits           string `json:"debits"`
}

// TrueAccounts are the outstanding accounts of a kind that are due by the end of the month, and their amount due.
type TrueAccounts struct {
	Count int64  `json:"count"`
	Due   string `json:"due"`
}

// sums returns the sums of the month.
func (m *Month) sums() TrueSums {
	all := TrueSums{Accounts: map[string]TrueAccounts{}}
	for _, b := range m.Banks {
		of := TrueMovements{DepositAccountID: b.ID}
		var credits, debits finance.Amount
		for _, l := range m.Lines {
			switch t := l.Transaction; {
			case t.DepositAccountID != b.ID:
				continue
			case t.Amount < 0:
				debits += t.Amount
			default:
				credits += t.Amount
			}
			of.Count++
		}
		of.Credits, of.Debits = credits.String(), debits.String()
		all.DepositAccounts = append(all.DepositAccounts, of)
	}
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		var of TrueAccounts
		var due finance.Amount
		for _, f := range slices.Concat(m.Accounts, m.Settlements) {
			byThen := finance.MonthOf(f.DueDate).String() <= m.month.String()
			if f.Kind == kind && f.Status == finance.Outstanding && byThen {
				of.Count, due = of.Count+1, due+f.Due()
			}
		}
		of.Due = due.String()
		all.Accounts[string(kind)] = of
	}
	return all
}
