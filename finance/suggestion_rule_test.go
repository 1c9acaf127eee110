package finance_test

import (
	"fmt"
	"slices"
	"testing"

	"bordero/finance"

	"pgregory.net/rapid"
)

// made and matching are rules that fit every debit.
func made(id int64) finance.ReconciliationRule {
	debit := finance.Debit
	return finance.ReconciliationRule{ID: id, Name: "Regra", Type: &debit, NewAccount: true}
}

func matching(id, days int64) finance.ReconciliationRule {
	r := made(id)
	r.NewAccount, r.Match, r.Days = false, true, days
	return r
}

func pointer[T any](v T) *T { return &v }

func TestWhatRulesPropose(t *testing.T) {
	t.Parallel()
	type movements []finance.Movement
	ofPerson := func(m finance.Movement, person int64) finance.Movement {
		m.PersonID = &person
		return m
	}
	narrow := matching(1, 60)
	narrow.PersonID = pointer(int64(7))
	for _, c := range []struct {
		name                   string
		rule                   finance.ReconciliationRule
		transactions, accounts movements
		want                   string // accounts, or "new", of each transaction; those undecided
	}{
		{"a new account", made(1), movements{movement(1, 5, -10_00)}, nil, "1: new; []"},
		{"none that it does not fit", made(1), movements{movement(1, 5, 10_00)}, nil, "; []"},
		{"a new one beside a pair of one day alone", made(1), movements{movement(1, 5, -10_00)}, movements{
			movement(2, 5, -10_00)}, "1: new; []"},
		{"not one that exists by its text", made(1), movements{movement(1, 5, -10_00, "ANA")},
			movements{movement(2, 5, -10_00, "Ana")}, "; [1]"},
		{"not one that exists by its document", made(1), movements{movement(1, 5, -10_00, "", "77")}, movements{
			movement(2, 1, -10_00, "", "NF 77")}, "; [1]"},
		{"a new one if two have the document", made(1), movements{movement(1, 5, -10_00, "", "77")},
			movements{movement(2, 1, -10_00, "", "77"), movement(3, 1, -10_00, "", "77")}, "1: new; []"},
		{"the only account", matching(1, 60), movements{movement(1, 60, -10_00)}, movements{movement(2, 1, -10_00)},
			"1: [2]; []"},
		{"none beyond its days", matching(1, 58), movements{movement(1, 60, -10_00)}, movements{movement(2, 1, -10_00)},
			"; [1]"},
		{"none of two", matching(1, 60), movements{movement(1, 5, -10_00)}, movements{
			movement(2, 1, -10_00), movement(3, 9, -10_00)}, "; [1]"},
		{"none for two", matching(1, 60), movements{movement(1, 5, -10_00), movement(4, 6, -10_00)},
			movements{movement(2, 1, -10_00)}, "; [1 4]"},
		{"the only one of its person", narrow, movements{movement(1, 5, -10_00)},
			movements{ofPerson(movement(2, 5, -10_00), 7), ofPerson(movement(3, 5, -10_00), 8), movement(4, 5, -10_00)},
			"1: [2] beside 2; []"},
	} {
		proposed, undecided := finance.ApplyRules([]finance.ReconciliationRule{c.rule}, c.transactions, c.accounts, nil)
		got := ""
		for _, s := range proposed {
			of := fmt.Sprint(s.AccountIDs)
			if len(s.NewAccounts) == 1 && len(s.AccountIDs) == 0 && s.NewAccounts[0].Amount == 10_00 {
				of = "new"
			}
			if s.Rivals > 0 {
				of += fmt.Sprint(" beside ", s.Rivals)
			}
			got += fmt.Sprintf("%d: %s", s.TransactionIDs[0], of)
		}
		if got += fmt.Sprintf("; %v", undecided); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What a rule proposes comes before a weaker match, and after a certain one.
func TestRulesAmongSuggestions(t *testing.T) {
	t.Parallel()
	pix := func(m finance.Movement) finance.Movement {
		m.EndToEndID = "E60746948202603051432A1b2C3d4E5f"
		return m
	}
	counterpart := func(m finance.Movement) finance.Movement {
		m.CounterpartDocument = "52998224725"
		return m
	}
	ofPerson := func(m finance.Movement, person int64) finance.Movement {
		m.PersonID = &person
		return m
	}
	narrow := matching(1, 60)
	narrow.PersonID = pointer(int64(7))
	for _, c := range []struct {
		name                   string
		rules                  []finance.ReconciliationRule
		transactions, accounts []finance.Movement
		want                   []string // score, rivals, accounts, transactions, new accounts and reasons
	}{
		{"a rule before the amount alone", []finance.ReconciliationRule{made(1)}, []finance.Movement{
			movement(1, 5, -10_00)}, []finance.Movement{movement(2, 6, -10_00)},
			[]string{"85 0 [] [1] 1 [Regra de conciliação: Regra A conciliação cria a conta]"}},
		{"a document before a rule", []finance.ReconciliationRule{made(1)}, []finance.Movement{
			movement(1, 5, -10_00, "", "77")}, []finance.Movement{movement(2, 1, -10_00, "", "77")},
			[]string{"78 0 [2] [1] 0 [Mesmo valor 4 dias de diferença Mesmo documento]"}},
		{"one account for two transactions", []finance.ReconciliationRule{made(1)}, []finance.Movement{
			movement(1, 5, -10_00, "ANA"), movement(2, 5, -10_00, "ANA")},
			[]finance.Movement{movement(3, 5, -10_00, "Ana")},
			[]string{"90 1 [3] [1] 0 [Mesmo valor Mesma data Descrição parecida]",
				"85 0 [] [2] 1 [Regra de conciliação: Regra A conciliação cria a conta]"}},
		{"a match", []finance.ReconciliationRule{matching(1, 60)}, []finance.Movement{movement(1, 35, -10_00)},
			[]finance.Movement{outstanding(movement(2, 5, -10_00))},
			[]string{"85 0 [2] [1] 0 [Regra de conciliação: Regra Mesmo valor 30 dias de diferença Ainda em aberto: " +
				"a conciliação paga ou recebe a conta]"}},
		{"a match that scores more than a rule", []finance.ReconciliationRule{matching(1, 60)}, []finance.Movement{
			movement(1, 5, -10_00, "", "77")}, []finance.Movement{movement(2, 5, -10_00, "", "77")},
			[]string{"90 0 [2] [1] 0 [Regra de conciliação: Regra Mesmo valor Mesma data Mesmo documento]"}},
		{"a match with rivals of other persons", []finance.ReconciliationRule{narrow}, []finance.Movement{
			movement(1, 5, -10_00)}, []finance.Movement{ofPerson(movement(2, 5, -10_00), 7),
			ofPerson(movement(3, 12, -10_00), 8), ofPerson(movement(4, 13, -10_00), 8)},
			[]string{"85 1 [2] [1] 0 [Regra de conciliação: Regra Mesmo valor Mesma data]"}},
		{"the first rule", []finance.ReconciliationRule{matching(1, 7), made(2)}, []finance.Movement{
			movement(1, 5, -10_00)}, nil, nil},
		{"a Pix", nil, []finance.Movement{pix(movement(1, 5, -10_00)), movement(3, 5, -10_00)}, []finance.Movement{
			movement(2, 5, -10_00), pix(movement(4, 9, -10_00))},
			[]string{"88 2 [4] [1] 0 [Mesmo valor 4 dias de diferença Mesmo Pix]",
				"80 2 [2] [3] 0 [Mesmo valor Mesma data]"}},
		{"a counterpart", nil, []finance.Movement{counterpart(movement(1, 5, -10_00))}, []finance.Movement{
			movement(2, 5, -10_00), counterpart(movement(4, 5, -10_00))},
			[]string{"90 1 [4] [1] 0 [Mesmo valor Mesma data Mesmo CPF ou CNPJ]"}},
		{"at most 100", nil, []finance.Movement{pix(counterpart(movement(1, 5, -10_00, "ANA", "77")))},
			[]finance.Movement{pix(counterpart(movement(2, 5, -10_00, "ANA", "77")))},
			[]string{"100 0 [2] [1] 0 [Mesmo valor Mesma data Mesmo Pix Mesmo documento Mesmo CPF ou CNPJ " +
				"Descrição parecida]"}},
	} {
		var got []string
		for _, s := range suggest(c.rules, c.transactions, c.accounts) {
			got = append(got, fmt.Sprint(s.Score, " ", s.Rivals, " ", s.AccountIDs, s.TransactionIDs,
				len(s.NewAccounts), " ", s.Reasons))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// For any records and rules: no record is in two suggestions, each transaction that a rule fits has
// at most one proposal, and a proposed account has the amount.
func TestProposalsOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) (all []finance.Movement) {
			for i := range rapid.IntRange(0, 30).Draw(t, name) {
				all = append(all, movement(int64(i+1), rapid.IntRange(1, 20).Draw(t, "day"),
					finance.Amount(rapid.IntRange(-3, 3).Draw(t, "cents")),
					rapid.SampledFrom([]string{"", "Ana"}).Draw(t, "text"), rapid.SampledFrom([]string{"", "1"}).Draw(t,
						"document")))
			}
			return all
		}
		transactions, accounts := side("transactions"), side("accounts")
		cent := finance.Amount(1)
		small := matching(2, rapid.Int64Range(0, 20).Draw(t, "days"))
		small.AmountLte = &cent
		rules := []finance.ReconciliationRule{small, made(1)}
		var used [2][]int64
		for _, s := range suggest(rules, transactions, accounts) {
			used[0], used[1] = append(used[0], s.TransactionIDs...), append(used[1], s.AccountIDs...)
			if s.RuleID == nil {
				continue
			}
			of := transactions[s.TransactionIDs[0]-1]
			if len(s.TransactionIDs) != 1 || len(s.AccountIDs)+len(s.NewAccounts) != 1 || s.Score < 85 ||
				of.Amount > 0 {
				t.Errorf("%+v", s)
			}
			if len(s.AccountIDs) == 1 && accounts[s.AccountIDs[0]-1].Amount != of.Amount || len(s.NewAccounts) == 1 &&
				s.NewAccounts[0].Amount != of.Amount.Abs() {
				t.Errorf("%+v of %+v", s, of)
			}
		}
		for _, ids := range used {
			slices.Sort(ids)
			if len(slices.Compact(slices.Clone(ids))) != len(ids) {
				t.Errorf("a record is in two: %v", ids)
			}
		}
	})
}
