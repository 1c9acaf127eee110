package demo

import (
	"fmt"
	"slices"
	"strings"
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
		right, wrong := m.reconciled(func(l *Line) finance.Movement { return m.moved(&l.Transaction) })
		for _, what := range wrong {
			t.Errorf("seed %d: %s", seed, what)
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

// Fields of JSON that name the counterpart, as those of Pluggy and Open Finance, let more lines be reconciled without
// a person than the texts of the same lines do, and none wrongly. A table of a bank has texts alone, without the ids
// of an OFX.
func TestMoreOfAMonthIsReconciledByItsFields(t *testing.T) {
	t.Parallel()
	doors := []struct {
		name string
		said func(m *Month, l *Line) finance.Movement
	}{
		{"texts alone", func(m *Month, l *Line) finance.Movement {
			bare := l.Transaction
			bare.GUID, bare.Document = new(string), nil
			return m.moved(&bare)
		}},
		{"texts and ids", func(m *Month, l *Line) finance.Movement { return m.moved(&l.Transaction) }},
		{"fields", func(m *Month, l *Line) finance.Movement {
			moved := m.moved(&l.Transaction)
			if p := m.payer(l); p != nil {
				moved.CounterpartName, moved.CounterpartDocument = p.Name,
					finance.IdentifiersOf("", *p.FederationSubscriptionNumber).CounterpartDocument
			}
			return moved
		}},
	}
	var right [3]int
	lines := 0
	for seed := range tier.Size[uint64](30, 1000) {
		m := october(seed + 1)
		lines += len(m.Lines)
		for i, door := range doors {
			n, wrong := m.reconciled(func(l *Line) finance.Movement { return door.said(m, l) })
			right[i] += n
			if len(wrong) > 0 {
				t.Errorf("seed %d, %s: %s", seed+1, door.name, strings.Join(wrong, "; "))
			}
		}
	}
	t.Logf("of %d lines: texts alone %d, with ids %d, with fields %d", lines, right[0], right[1], right[2])
	if right[0] > right[1] || right[1]*11 > right[2]*10 {
		t.Errorf("texts alone %d, with ids %d, with fields %d", right[0], right[1], right[2])
	}
}

// payer returns the only person whose accounts a line pays, or nil.
func (m *Month) payer(l *Line) *finance.Person {
	var payer *finance.Person
	for _, paid := range l.Paid {
		if paid.Account.PersonID == nil || payer != nil && payer.ID != *paid.Account.PersonID {
			return nil
		}
		payer = &m.People[*paid.Account.PersonID-1]
	}
	return payer
}

// reconciled returns how many lines are reconciled rightly without a person, and which are wrongly.
func (m *Month) reconciled(said func(*Line) finance.Movement) (right int, wrong []string) {
	lines := map[int64]*Line{}
	transactions := make([]finance.Candidate, len(m.Lines))
	for i, l := range m.Lines {
		lines[l.Transaction.ID], transactions[i] = l, finance.Candidate{Movement: said(l), Unattended: true}
	}
	var accounts []finance.Candidate
	for _, f := range slices.Concat(m.Accounts, m.SaleReceivables) {
		accounts = append(accounts, finance.Candidate{Movement: m.owed(f)})
	}
	for _, d := range finance.Decide(transactions, accounts, m.reconciliationRules()) {
		l := lines[d.Transaction.ID]
		if d.Account == nil && l.New != nil || d.Account != nil && len(l.Paid) == 1 &&
			l.Paid[0].Account.ID == d.Account.ID && !l.Paid[0].adjusted() {
			right++
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s of %v on %v is reconciled with %+v", *l.Transaction.OriginalDescription,
			l.Transaction.Amount, l.Transaction.OccurredAt, d.Account))
	}
	return right, wrong
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
