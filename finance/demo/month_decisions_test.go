package demo

import (
	"slices"
	"testing"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/internal/tier"
)

// Nothing of a month that is reconciled without a person is wrong, whatever the month, and much of it
// is reconciled.
func TestNothingOfAMonthIsReconciledWrongly(t *testing.T) {
	t.Parallel()
	for seed := range tier.Size[uint64](30, 1000) {
		m := october(seed)
		lines, right := map[int64]*Line{}, 0
		transactions := make([]finance.Candidate, len(m.Lines))
		for i, l := range m.Lines {
			lines[l.Transaction.ID], transactions[i] = l, finance.Candidate{Movement: m.moved(&l.Transaction),
				Unattended: true}
		}
		var accounts []finance.Candidate
		for _, f := range slices.Concat(m.Accounts, m.Settlements) {
			accounts = append(accounts, finance.Candidate{Movement: m.owed(f)})
		}
		for _, d := range finance.Decide(transactions, accounts, m.reconciliationRules()) {
			l := lines[d.Transaction.ID]
			switch {
			case d.Account == nil && l.New != nil, d.Account != nil && len(l.Paid) == 1 &&
				l.Paid[0].Account.ID == d.Account.ID && !l.Paid[0].adjusted():
				right++
			default:
				t.Errorf("seed %d: %s of %v on %v is reconciled with %+v", seed, *l.Transaction.OriginalDescription,
					l.Transaction.Amount, l.Transaction.OccurredAt, d.Account)
			}
		}
		if right < len(m.Lines)*4/10 {
			t.Errorf("seed %d: only %d of %d lines are reconciled", seed, right, len(m.Lines))
		}
	}
}

// moved returns a transaction as it is compared, with the identifiers that an import reads.
func (m *Month) moved(t *finance.FinancialTransaction) finance.Movement {
	moved := finance.Movement{
		ID: t.ID, DepositAccountID: t.DepositAccountID, OccurredAt: t.OccurredAt, Amount: t.Amount,
		Document: finance.OrZero(t.Document), Text: *t.OriginalDescription,
	}
	said := memo.Read(memo.Text{Bank: *m.Banks[t.DepositAccountID-1].BankAccountID, Description: moved.Text,
		References: []string{*t.GUID, moved.Document}})
	moved.EndToEndID, moved.TxID = said.EndToEndID, said.TxID
	moved.CounterpartDocument, moved.CounterpartName = said.CounterpartDocument, said.CounterpartName
	moved.Identify()
	return moved
}

func (m *Month) owed(f *finance.FinancialAccount) finance.Movement {
	a := finance.Movement{ID: f.ID, OccurredAt: f.DueDate, Amount: f.Due(), Nominal: f.Amount, Open: true,
		PersonID: f.PersonID, CategoryID: f.CategoryID}
	if f.Status == finance.Settled {
		a.OccurredAt, a.Amount, a.Open = *f.OccurredAt, *f.TotalAmount, false
	}
	if f.Kind == finance.Payable {
		a.Amount = -a.Amount
	}
	if f.Document != nil {
		a.Document = *f.Document
	}
	if f.PersonID != nil {
		p := m.People[*f.PersonID-1]
		a.Text, a.CounterpartName, a.CounterpartDocument = *f.Description+" "+p.Name, p.Name,
			finance.IdentifiersOf("", *p.FederationSubscriptionNumber).CounterpartDocument
	}
	if f.ExpectedDepositAccountID != nil {
		a.DepositAccountID = *f.ExpectedDepositAccountID
	}
	return a
}

func (m *Month) reconciliationRules() (all []finance.ReconciliationRule) {
	for i, rule := range m.Rules() {
		all = append(all, finance.ReconciliationRule{
			ID: int64(i + 1), Name: rule.Name, Automatic: rule.Automatic, TextContains: rule.TextContains,
			Type: &rule.Type, NewAccount: true,
		})
	}
	return all
}
