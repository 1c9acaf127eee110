package demo

import (
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/tier"
)

// october is a month as it was stored: with ids.
func october(seed uint64) *Month {
	month := finance.MonthOf(today).AddMonths(-1)
	m := NewMonth(1, month, seed)
	m.Entity.ID, m.Categories = 1, map[string]int64{}
	for i, k := range finance.DefaultCategories() {
		m.Categories[k.Parent+finance.CategorySeparator+k.Name] = int64(i + 1)
	}
	for i := range m.People {
		m.People[i].ID = int64(i + 1)
	}
	for i := range m.Banks {
		m.Banks[i].ID, m.Statements[i].ID = int64(i+1), int64(i+1)
	}
	m.Centers[0].ID, m.Classifier.ID, m.Outlets[0].Account.ID = 1, 1, 1
	m.Generate()
	for i, f := range slices.Concat(m.Accounts, m.SaleReceivables) {
		f.ID = int64(i + 1)
	}
	m.Invoice.ID = int64(len(m.Accounts) + len(m.SaleReceivables) + 1)
	for i, l := range m.Lines {
		l.Transaction.ID = int64(i + 1)
	}
	return m
}

// Each request of the truth is accepted by the rules of reconciliations, to the cent, and each account
// is paid once.
func TestTheTruthOfAMonthAddsUp(t *testing.T) {
	t.Parallel()
	for seed := range tier.Size[uint64](20, 500) {
		m := october(seed)
		if n := len(m.Lines); n < 300 || n > 450 {
			t.Errorf("seed %d: %d lines", seed, n)
		}
		paid := map[int64]bool{}
		for _, l := range m.Lines {
			tr := &l.Transaction
			if tr.Amount == 0 || tr.OriginalDescription == nil || strings.ContainsAny(*tr.OriginalDescription, "{}") ||
				finance.MonthOf(tr.OccurredAt) != m.month {
				t.Errorf("seed %d: a line that cannot be: %+v", seed, tr)
			}
			if other := l.Other; other != nil && (other.Other != l || other.Transaction.Amount != -tr.Amount ||
				other.Transaction.DepositAccountID == tr.DepositAccountID) {
				t.Errorf("seed %d: a transfer of %v and %v", seed, tr.Amount, other.Transaction.Amount)
			}
			if l.Paid == nil && l.New == nil {
				continue
			}
			for _, p := range l.Paid {
				if paid[p.Account.ID] {
					t.Errorf("seed %d: account %d is paid twice", seed, p.Account.ID)
				}
				paid[p.Account.ID] = true
			}
			if err := reconciled(l); err != nil {
				t.Errorf("seed %d: %s of %v: %v", seed, *tr.OriginalDescription, tr.Amount, err)
			}
		}
		truth := m.Truth()
		if len(truth.UnpaidAccountIDs)+len(paid) != len(m.Accounts)+len(m.SaleReceivables)+1 ||
			len(truth.UnpaidAccountIDs) < 40 || len(truth.Lines) != len(m.Lines) {
			t.Errorf("seed %d: %d lines, %d accounts paid and %d not", seed, len(truth.Lines), len(paid),
				len(truth.UnpaidAccountIDs))
		}
		for what, least := range map[string]int{"accounts": 220, "transfer": 24, "new_account": 60, "nothing": 6} {
			n := 0
			for _, l := range truth.Lines {
				if l.Is == what {
					n++
				}
			}
			if n < least {
				t.Errorf("seed %d: %d lines are %s, want %d at least", seed, n, what, least)
			}
		}
	}
}

// reconciled reconciles a line with what it really is.
func reconciled(l *Line) error {
	q := finance.Reconciling{SettleOpen: true, TransactionIDs: []int64{l.Transaction.ID}}
	r := finance.Reconcile{Transactions: []finance.FinancialTransaction{l.Transaction}}
	for _, p := range l.Paid {
		r.Accounts, q.AccountIDs = append(r.Accounts, *p.Account), append(q.AccountIDs, p.Account.ID)
		if p.adjusted() {
			p.FinancialAccountID = p.Account.ID
			q.Adjustments = append(q.Adjustments, p.Adjustment)
		}
	}
	if l.New != nil {
		q.NewAccounts = []finance.FinancialAccount{*l.New}
	}
	for _, check := range []func() error{q.Validate, func() error { return q.Apply(&r) }, func() error {
		return q.ValidateNew(&r)
	}, r.Validate} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func TestAMonthIsTheSameBySeed(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, seed := range []uint64{1, 1, 2} {
		var all strings.Builder
		for _, l := range october(seed).Lines {
			all.WriteString(*l.Transaction.OriginalDescription + l.Transaction.Amount.String() +
				l.Transaction.OccurredAt.String())
		}
		texts = append(texts, all.String())
	}
	if texts[0] != texts[1] || texts[1] == texts[2] {
		t.Error("seeds 1, 1 and 2 do not generate one month twice, and another")
	}
}

// No rule fits a line that is something else, and each line for which there is no account has one.
func TestTheRulesOfAMonthFitTheirLines(t *testing.T) {
	t.Parallel()
	m := october(3)
	for _, l := range m.Lines {
		fitting := 0
		for _, rule := range m.Rules() {
			if rule.Type == finance.TypeOf(l.Transaction.Amount) && strings.Contains(*l.Transaction.OriginalDescription,
				rule.TextContains[0]) {
				fitting++
				if l.New == nil || *rule.NewAccount.CategoryID != *l.New.CategoryID {
					t.Errorf("%s fits %s", rule.Name, *l.Transaction.OriginalDescription)
				}
			}
		}
		if l.New != nil && fitting != 1 {
			t.Errorf("%d rules fit %s", fitting, *l.Transaction.OriginalDescription)
		}
	}
}
