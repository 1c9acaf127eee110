package finance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/finance"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// candidate is a movement of a deposit account that is reconciled automatically.
func candidate(m finance.Movement, changes ...func(*finance.Candidate)) finance.Candidate {
	m.DepositAccountID = 1
	m.Identify()
	c := finance.Candidate{Movement: m, Unattended: true}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func by(number string) func(*finance.Candidate) {
	return func(c *finance.Candidate) { c.CounterpartDocument = number }
}

func in(depositAccount int64) func(*finance.Candidate) {
	return func(c *finance.Candidate) { c.DepositAccountID = depositAccount }
}

func pix(c *finance.Candidate)          { c.EndToEndID = pixID }
func attended(c *finance.Candidate)     { c.Unattended = false }
func leftToPeople(c *finance.Candidate) { c.LeftToPeople = true }

const (
	someone = "52998224725"
	other   = "39053344705"
	pixID   = "E1234567820260305101500000000001"
	charge  = "bordero2026fatura0000000004711"
)

func TestUnmistakablePairsAreReconciled(t *testing.T) {
	t.Parallel()
	paid := candidate(movement(1, 5, -150_00, "PIX ENVIADO", "NF 0123"))
	for _, c := range []struct {
		name                   string
		transactions, accounts []finance.Candidate
		want                   string // transaction-account, and the reasons
	}{
		{"a document", []finance.Candidate{paid}, []finance.Candidate{
			candidate(movement(2, 7, -150_00, "Farinha", "123"))},
			"1-2 Mesmo valor; 2 dias de diferença; Mesmo documento"},
		{"an account that is open", []finance.Candidate{paid}, []finance.Candidate{
			candidate(outstanding(movement(2, 5, -150_00, "", "123")))},
			"1-2 Mesmo valor; Mesma data; Mesmo documento; Estava em aberto: a conciliação pagou ou recebeu a conta"},
		{"a Pix", []finance.Candidate{
			candidate(finance.Movement{ID: 1, OccurredAt: march(5), Amount: 1, EndToEndID: pixID})},
			[]finance.Candidate{candidate(finance.Movement{ID: 2, OccurredAt: march(5), Amount: 1, EndToEndID: pixID})},
			"1-2 Mesmo valor; Mesma data; Mesmo Pix"},
		{"a Pix whose letters are capitals in one of them", []finance.Candidate{
			candidate(finance.Movement{ID: 1, OccurredAt: march(5), Amount: 1, EndToEndID: pixID + "a"})},
			[]finance.Candidate{
				candidate(finance.Movement{ID: 2, OccurredAt: march(5), Amount: 1, EndToEndID: pixID + "A"})},
			"1-2 Mesmo valor; Mesma data; Mesmo Pix"},
		{"a charge that one names in its text, the other as its document",
			[]finance.Candidate{candidate(movement(1, 5, 90_00, "PIX RECEBIDO "+charge))}, []finance.Candidate{
				candidate(movement(2, 5, 90_00, "", charge))},
			"1-2 Mesmo valor; Mesma data; Mesmo txid"},
		{"a counterpart", []finance.Candidate{candidate(movement(1, 5, -9_00), by(someone))}, []finance.Candidate{
			candidate(movement(2, 6, -9_00), by(someone), in(0))},
			"1-2 Mesmo valor; 1 dia de diferença; Mesmo CPF ou CNPJ"},
		{"a document, but another counterpart", []finance.Candidate{candidate(paid.Movement, by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"), by(other))}, ""},
		{"a document and a masked counterpart", []finance.Candidate{
			candidate(func() finance.Movement {
				m := paid.Movement
				m.CounterpartDocument = "***.982.247-**"
				return m
			}())}, []finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"), by(someone))},
			"1-2 Mesmo valor; Mesma data; Mesmo documento"},
		{"a document, and a number that is no CPF or CNPJ", []finance.Candidate{
			candidate(paid.Movement, by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"), by("123"))},
			"1-2 Mesmo valor; Mesma data; Mesmo documento"},
		{"a document and a Pix, but another counterpart", []finance.Candidate{
			candidate(paid.Movement, by(someone), pix)},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"), by(other), pix)},
			"1-2 Mesmo valor; Mesma data; Mesmo documento; Mesmo Pix"},
		{"the end of the window", []finance.Candidate{paid}, []finance.Candidate{
			candidate(movement(2, 12, -150_00, "", "123"))},
			"1-2 Mesmo valor; 7 dias de diferença; Mesmo documento"},
		{"beyond the window", []finance.Candidate{paid}, []finance.Candidate{
			candidate(movement(2, 13, -150_00, "", "123"))}, ""},
		{"another amount", []finance.Candidate{paid}, []finance.Candidate{
			candidate(movement(2, 5, -150_01, "", "123"))}, ""},
		{"the other kind", []finance.Candidate{paid}, []finance.Candidate{candidate(movement(2, 5, 150_00, "", "123"))},
			""},
		{"no identifier", []finance.Candidate{candidate(movement(1, 5, -1, "Farinha"))}, []finance.Candidate{
			candidate(movement(2, 5, -1, "Farinha"))}, ""},
		{"expected elsewhere", []finance.Candidate{paid}, []finance.Candidate{
			candidate(movement(2, 5, -150_00, "", "123"), in(9))}, ""},
		{"a deposit account that people reconcile", []finance.Candidate{candidate(paid.Movement, attended)},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"))}, ""},
		{"a transaction that a person has taken back", []finance.Candidate{candidate(paid.Movement, leftToPeople)},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"))}, ""},
		{"another account of the same amount and key", []finance.Candidate{paid},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123")),
				candidate(movement(3, 12, -150_00, "", "123"))}, ""},
		{"another transaction, of any deposit account", []finance.Candidate{
			paid, candidate(movement(3, 12, -150_00, "", "123"), in(9), attended)},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123"))}, ""},
		{"a rival of the account alone", []finance.Candidate{paid},
			[]finance.Candidate{candidate(movement(2, 12, -150_00, "", "123")),
				candidate(movement(3, 19, -150_00, "", "123"))}, ""},
		{"a rival by another key", []finance.Candidate{candidate(paid.Movement, by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123")),
				candidate(movement(3, 5, -150_00), by(someone))}, ""},
		{"the next month's", []finance.Candidate{paid, candidate(movement(3, 35, -150_00, "", "123"))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123")),
				candidate(movement(4, 36, -150_00, "", "123"))},
			"1-2 Mesmo valor; Mesma data; Mesmo documento\n3-4 Mesmo valor; 1 dia de diferença; Mesmo documento"},
		{"the next month's, while one before is overdue", []finance.Candidate{
			candidate(movement(3, 35, -150_00, "", "123"))},
			[]finance.Candidate{candidate(outstanding(movement(2, 5, -150_00, "", "123"))),
				candidate(movement(4, 36, -150_00, "", "123"))}, ""},
		{"both months', of which the first is paid by now", []finance.Candidate{
			paid, candidate(movement(3, 35, -150_00, "", "123"))},
			[]finance.Candidate{candidate(outstanding(movement(2, 5, -150_00, "", "123"))),
				candidate(outstanding(movement(4, 36, -150_00, "", "123")))},
			"1-2 Mesmo valor; Mesma data; Mesmo documento; Estava em aberto: a conciliação pagou ou recebeu a conta\n" +
				"3-4 Mesmo valor; 1 dia de diferença; Mesmo documento; Estava em aberto: a conciliação pagou ou " +
				"recebeu a conta"},
		{"one that is due later", []finance.Candidate{paid},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "123")),
				candidate(outstanding(movement(4, 36, -150_00, "", "123")))},
			"1-2 Mesmo valor; Mesma data; Mesmo documento"},
		{"the counterpart's account, while the text names another one", []finance.Candidate{
			candidate(movement(1, 5, -150_00, "TITULO 01463"), by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "NF 1487"), by(someone)),
				candidate(outstanding(movement(3, 25, -170_00, "", "NF 1463")), by(someone))}, ""},
		{"while the document is another one's", []finance.Candidate{
			candidate(movement(1, 5, -150_00, "TITULO", "1463"), by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "NF 1487"), by(someone)),
				candidate(movement(3, 5, -170_00, "", "NF 1463"), by(someone))}, ""},
		{"the counterpart's account, while the text names accounts of others", []finance.Candidate{
			candidate(movement(1, 5, -150_00, "TITULO 1463"), by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "NF 1487"), by(someone)),
				candidate(movement(3, 5, 170_00, "", "NF 1463"), by(someone)),
				candidate(movement(4, 5, -170_00, "", "NF 1463"), by(other))},
			"1-2 Mesmo valor; Mesma data; Mesmo CPF ou CNPJ"},
		{"the counterpart's account, while the text names one that another transaction pays", []finance.Candidate{
			candidate(movement(1, 5, -150_00, "TITULO 1463"), by(someone)),
			candidate(movement(4, 6, -170_00, "", "1463"), by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "NF 1487"), by(someone)),
				candidate(movement(3, 6, -170_00, "", "NF 1463"), by(someone))},
			"1-2 Mesmo valor; Mesma data; Mesmo CPF ou CNPJ\n" +
				"4-3 Mesmo valor; Mesma data; Mesmo documento; Mesmo CPF ou CNPJ"},
		{"the account that the text names beside another one", []finance.Candidate{
			candidate(movement(1, 5, -150_00, "TITULOS 1463 1487"), by(someone))},
			[]finance.Candidate{candidate(movement(2, 5, -150_00, "", "NF 1487"), by(someone)),
				candidate(movement(3, 5, -170_00, "", "NF 1463"), by(someone))},
			"1-2 Mesmo valor; Mesma data; Mesmo CPF ou CNPJ"},
	} {
		if got := decisions(finance.Decide(c.transactions, c.accounts, nil)); got != c.want {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, got))
		}
	}
}

func decisions(all []finance.Decision) string {
	lines := make([]string, len(all))
	for i, d := range all {
		of := "new"
		if d.Account != nil {
			of = fmt.Sprint(d.Account.ID)
		}
		lines[i] = fmt.Sprintf("%d-%s %s", d.Transaction.ID, of, strings.Join(d.Reasons, "; "))
	}
	return strings.Join(lines, "\n")
}

func TestRulesDecide(t *testing.T) {
	t.Parallel()
	fee := candidate(movement(1, 5, -9_90, "TARIFA", "77"), attended)
	accounts := func(all ...finance.Candidate) []finance.Candidate { return all }
	bill := func(id int64, day int, changes ...func(*finance.Candidate)) finance.Candidate {
		return candidate(movement(id, day, -9_90), changes...)
	}
	making := finance.ReconciliationRule{ID: 1, Name: "Tarifas", TextContains: finance.Texts{"tarifa"},
		NewAccount: true, Automatic: true}
	matching, narrow, suggesting := making, making, making
	matching.NewAccount, matching.Match, matching.Days = false, true, 7
	narrow = matching
	person := int64(4)
	narrow.PersonID, narrow.Days = &person, 60
	suggesting.Automatic = false
	of := func(person int64) func(*finance.Candidate) {
		return func(c *finance.Candidate) { c.PersonID = &person }
	}
	for _, c := range []struct {
		name         string
		rules        []finance.ReconciliationRule
		transactions []finance.Candidate
		accounts     []finance.Candidate
		want         string
	}{
		{"a new account", []finance.ReconciliationRule{making}, []finance.Candidate{fee}, accounts(bill(2, 5)),
			"1-new Regra de conciliação: Tarifas; A conciliação criou a conta"},
		{"no new account where one has the same document", []finance.ReconciliationRule{making}, []finance.Candidate{
			candidate(fee.Movement)},
			accounts(candidate(movement(2, 12, -9_90, "", "77")), candidate(movement(3, 12, -9_90, "", "77"))), ""},
		{"no new account where one is alike and of the same day", []finance.ReconciliationRule{making},
			[]finance.Candidate{fee},
			accounts(candidate(movement(2, 5, -9_90, "Tarifa"))), ""},
		{"nor where the text names the document of one", []finance.ReconciliationRule{making}, []finance.Candidate{
			candidate(movement(1, 5, -9_90, "TARIFA 1234"), attended)},
			accounts(candidate(movement(2, 6, -9_90, "", "NF 1234"), in(0))), ""},
		{"a new account where one is alike, but expected elsewhere", []finance.ReconciliationRule{making},
			[]finance.Candidate{fee},
			accounts(candidate(movement(2, 5, -9_90, "Tarifa"), in(9))),
			"1-new Regra de conciliação: Tarifas; A conciliação criou a conta"},
		{"nothing for another transaction, of what a new account would repeat", []finance.ReconciliationRule{making},
			[]finance.Candidate{fee, candidate(movement(3, 5, -9_90, "boleto", "88"))},
			accounts(candidate(movement(2, 5, -9_90, "Tarifa", "88"))), ""},
		{"one that a person has taken back", []finance.ReconciliationRule{making}, []finance.Candidate{
			candidate(fee.Movement, leftToPeople)}, nil, ""},
		{"the open account", []finance.ReconciliationRule{matching}, []finance.Candidate{fee}, accounts(bill(2, 6)),
			"1-2 Regra de conciliação: Tarifas; Mesmo valor; 1 dia de diferença"},
		{"two open accounts", []finance.ReconciliationRule{matching}, []finance.Candidate{fee},
			accounts(bill(2, 6), bill(3, 12)), ""},
		{"two transactions for one account", []finance.ReconciliationRule{matching}, []finance.Candidate{
			fee, candidate(movement(3, 6, -9_90, "tarifa"))},
			accounts(bill(2, 6)), ""},
		{"no open account", []finance.ReconciliationRule{matching}, []finance.Candidate{fee}, accounts(bill(2, 13)),
			""},
		{"of one person, within other days", []finance.ReconciliationRule{narrow}, []finance.Candidate{fee},
			accounts(bill(2, 60, of(4)), bill(3, 5, of(5)), bill(4, 5)),
			"1-2 Regra de conciliação: Tarifas; Mesmo valor; 55 dias de diferença"},
		{"an overdue account of the same document", []finance.ReconciliationRule{narrow}, []finance.Candidate{
			candidate(fee.Movement, attended)},
			accounts(candidate(outstanding(movement(2, -14, -9_90, "", "77")), of(4))),
			"1-2 Regra de conciliação: Tarifas; Mesmo valor; 19 dias de diferença; Mesmo documento; Estava em " +
				"aberto: a conciliação pagou ou recebeu a conta"},
		{"one of two overdue accounts of the same document", []finance.ReconciliationRule{narrow}, []finance.Candidate{
			candidate(fee.Movement, attended)},
			accounts(candidate(outstanding(movement(2, -30, -9_90, "", "77")), of(4)),
				candidate(outstanding(movement(3, -14, -9_90, "", "77")), of(5))), ""},
		{"expected elsewhere", []finance.ReconciliationRule{matching}, []finance.Candidate{fee},
			accounts(bill(2, 5, in(9)), bill(3, 5, in(0))),
			"1-3 Regra de conciliação: Tarifas; Mesmo valor; Mesma data"},
		{"the first that fits counts, and it only suggests", []finance.ReconciliationRule{suggesting, making},
			[]finance.Candidate{fee}, nil, ""},
		{"an identifier, where a rule only suggests", []finance.ReconciliationRule{suggesting},
			[]finance.Candidate{candidate(fee.Movement)}, accounts(candidate(movement(2, 5, -9_90, "", "77"))),
			"1-2 Mesmo valor; Mesma data; Mesmo documento"},
		{"an account that something else is linked with", []finance.ReconciliationRule{matching},
			[]finance.Candidate{fee, candidate(movement(3, 5, -9_90, "boleto"), by(someone))},
			accounts(bill(2, 5, by(someone), in(9))), ""},
		{"an account that an identifier gives to another transaction", []finance.ReconciliationRule{matching},
			[]finance.Candidate{fee, candidate(movement(3, 5, -9_90, "boleto"), by(someone))},
			accounts(bill(2, 5, by(someone)), bill(4, 5)),
			"1-4 Regra de conciliação: Tarifas; Mesmo valor; Mesma data\n3-2 Mesmo valor; Mesma data; Mesmo CPF ou " +
				"CNPJ"},
	} {
		if got := decisions(finance.Decide(c.transactions, c.accounts, c.rules)); got != c.want {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, got))
		}
	}
}

// TestDecisionsOfAnything looks at each record's rivals one by one. What is decided stays decided,
// and nothing is added, once some of it is done.
func TestDecisionsOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(side string, first int64) []finance.Candidate {
			n := rapid.IntRange(0, 8).Draw(t, side)
			all := make([]finance.Candidate, n)
			for i := range all {
				m := movement(first+int64(i), rapid.IntRange(1, 40).Draw(t, "day"),
					finance.Amount(rapid.IntRange(1, 2).Draw(t, "amount")),
					rapid.SampledFrom([]string{"taxa", "pix", ""}).Draw(t, "text"),
					rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "document"))
				all[i] = candidate(m, in(rapid.Int64Range(1, 2).Draw(t, "deposit account")),
					by(rapid.SampledFrom([]string{"", "", someone, other}).Draw(t, "counterpart")))
				all[i].Open = rapid.Bool().Draw(t, "open")
				all[i].Unattended, all[i].LeftToPeople = rapid.Bool().Draw(t, "unattended"),
					rapid.IntRange(0, 9).Draw(t, "left") == 0
			}
			return all
		}
		days := rapid.Int64Range(0, 20).Draw(t, "days")
		transactions, accounts := draw("transactions", 1), draw("accounts", 101)
		rules := []finance.ReconciliationRule{
			{ID: 1, TextContains: finance.Texts{"taxa"}, Automatic: rapid.Bool().Draw(t, "makes"), NewAccount: true},
			{ID: 2, TextContains: finance.Texts{"pix"}, Automatic: rapid.Bool().Draw(t, "matches"), Match: true,
				RuleAction: finance.RuleAction{Days: days}},
		}
		got := finance.Decide(transactions, accounts, rules)
		used := map[int64]bool{}
		open := slices.DeleteFunc(slices.Concat(transactions, accounts), func(c finance.Candidate) bool {
			return slices.ContainsFunc(got, func(d finance.Decision) bool {
				return d.Account == nil && d.Transaction.ID == c.ID
			})
		})
		for _, d := range got {
			checkDecision(t, d, open, used)
		}
		some := map[int64]bool{}
		var rest []finance.Decision
		for _, d := range got {
			if rapid.Bool().Draw(t, "done") {
				some[d.Transaction.ID] = true
				if d.Account != nil {
					some[d.Account.ID] = true
				}
			} else {
				rest = append(rest, d)
			}
		}
		want := decisions(rest)
		done := func(c finance.Candidate) bool { return some[c.ID] }
		again := finance.Decide(slices.DeleteFunc(slices.Clone(transactions), done),
			slices.DeleteFunc(slices.Clone(accounts), done), rules)
		if diff := cmp.Diff(want, decisions(again)); diff != "" {
			t.Errorf("after some of it: %s", diff)
		}
	})
}

func checkDecision(t *rapid.T, d finance.Decision, open []finance.Candidate, used map[int64]bool) {
	if used[d.Transaction.ID] || d.Transaction.LeftToPeople || d.Rule == nil && !d.Transaction.Unattended ||
		d.Rule != nil && !d.Rule.Automatic {
		t.Errorf("%+v", d)
	}
	used[d.Transaction.ID] = true
	if d.Account == nil {
		return
	}
	if used[d.Account.ID] || d.Account.Amount != d.Transaction.Amount ||
		d.Account.DepositAccountID != d.Transaction.DepositAccountID {
		t.Errorf("%+v", d)
	}
	used[d.Account.ID] = true
	near := func(a, b *finance.Candidate) bool {
		return !a.OccurredAt.Before(b.OccurredAt.AddDays(-7)) && !a.OccurredAt.After(b.OccurredAt.AddDays(7))
	}
	linked := func(a, b *finance.Candidate) bool {
		return a.ID != b.ID && a.Amount == b.Amount && near(a, b) && (a.Document != "" && a.Document == b.Document ||
			a.CounterpartDocument != "" && a.CounterpartDocument == b.CounterpartDocument)
	}
	if by, of := d.Transaction.CounterpartDocument, d.Account.CounterpartDocument; d.Rule == nil && by != "" &&
		of != "" && by != of {
		t.Errorf("%+v are of others", d)
	}
	if d.Rule == nil && !linked(d.Transaction, d.Account) {
		t.Errorf("nothing links %+v", d)
	}
	for i := range open {
		rival := &open[i]
		if rival.ID != d.Transaction.ID && rival.ID != d.Account.ID &&
			(linked(rival, d.Transaction) || linked(rival, d.Account)) {
			t.Errorf("%+v is a rival of %+v", rival, d)
		}
	}
}

func TestManyAlikeAreLeft(t *testing.T) {
	t.Parallel()
	const n = 50_000
	var transactions, accounts []finance.Candidate
	for i := range int64(n) {
		transactions = append(transactions, candidate(movement(i, 5, -1, "tarifa", "1")))
		accounts = append(accounts, candidate(movement(n+i, 5, -1, "tarifa", "1")))
	}
	rules := []finance.ReconciliationRule{{ID: 1, TextContains: finance.Texts{"tarifa"}, Match: true, Automatic: true,
		RuleAction: finance.RuleAction{Days: 7}}}
	for _, rules := range [][]finance.ReconciliationRule{nil, rules} {
		if got := finance.Decide(transactions, accounts, rules); len(got) != 0 {
			t.Errorf("%d were reconciled", len(got))
		}
	}
}
