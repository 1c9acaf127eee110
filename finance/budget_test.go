package finance

import (
	"slices"
	"testing"
)

func TestBudgetRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Budget)
		want   string
	}{
		{"a plain one", func(*Budget) {}, ""},
		{"of a center", func(b *Budget) { b.ClassificationCenterID = ptr(int64(3)) }, ""},
		{"nothing is planned", func(b *Budget) { b.Amount = ptr(Amount(0)) }, ""},
		{"nothing", func(b *Budget) { *b = Budget{} },
			"month: não pode ser vazio\ncategory: não pode ser vazio\namount: não pode ser vazio"},
		{"an expense with a sign", func(b *Budget) { b.Amount = ptr(Amount(-1)) }, "amount: não pode ser negativo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := Budget{Month: MonthOf(date(t, "2026-08-01")), CategoryID: ptr(int64(2)), Amount: ptr(Amount(1))}
			c.change(&b)
			if got := refused(b.Validate()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBudgetsInTheFeedNeedTheirPermission(t *testing.T) {
	t.Parallel()
	for denied, sees := range map[Permission]bool{Budgets: false, CashFlows: true} {
		access := Access{AllEntities: true, Denied: []string{string(denied)}}
		if slices.Contains(access.Families(), BudgetsFamily) != sees {
			t.Errorf("without %s: %v", denied, access.Families())
		}
	}
}
