package finance_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// owes returns an outstanding account of somebody that is due on a day of March 2026, a Sunday on the first.
func owes(id int64, day int, amount finance.Amount) finance.Movement {
	m := outstanding(movement(id, day, amount))
	m.Nominal, m.CounterpartDocument, m.CounterpartName = amount.Abs(), someone, "Ana Souza"
	return m
}

// pays returns a transaction with the CPF of somebody.
func pays(id int64, day int, amount finance.Amount) finance.Movement {
	m := movement(id, day, amount)
	m.CounterpartDocument = someone
	return m
}

// adjusted formats the adjustment of a suggestion: "fine 20.0, interest 10.0".
func adjusted(s finance.Suggestion) string {
	var parts []string
	for _, a := range s.Adjustments {
		for _, part := range []struct {
			name   string
			amount *finance.Amount
		}{
			{"fine", a.TicketAmount}, {"interest", a.InterestAmount}, {"discount", a.DiscountAmount},
			{"tax", a.WithheldTaxAmount}, {"fee", a.FeeAmount},
		} {
			if part.amount != nil {
				parts = append(parts, part.name+" "+part.amount.String())
			}
		}
	}
	return strings.Join(parts, ", ")
}

func TestUsualDifferencesAreExplained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		day          int // of the payment; the account is due on Tuesday the 10th
		amount, paid finance.Amount
		want         string
	}{
		{"the whole fine", 12, 1000_00, 1020_00, "fine 20.0"},
		{"a part of the fine", 12, 1000_00, 1012_34, "fine 12.34"},
		{"a day's interest", 11, 1000_00, 1000_33, "interest 0.33"},
		{"interest of nine days, and not a part of the fine", 19, 1000_00, 1003_00, "interest 3.0"},
		{"a month's interest, and not a part of the fine", 12, 1000_00, 1010_00, "interest 10.0"},
		{"the fine and a day's interest", 11, 1000_00, 1020_33, "fine 20.0, interest 0.33"},
		{"the fine and a month's interest", 12, 1000_00, 1030_00, "fine 20.0, interest 10.0"},
		{"both cut to the cent", 12, 1033_33, 1064_32, "fine 20.66, interest 10.33"},
		{"both rounded", 12, 1033_33, 1064_33, "fine 20.67, interest 10.33"},
		{"the fine and some interest", 12, 1000_00, 1025_00, "fine 20.0, interest 5.0"},
		{"more than both", 12, 1000_00, 1030_01, ""},
		{"two months' interest", 50, 1000_00, 1040_00, "fine 20.0, interest 20.0"},
		{"61 days late", 71, 1000_00, 1020_00, ""},
		{"higher and not late", 10, 1000_00, 1020_00, ""},

		{"a discount two weekdays before", 6, 1000_00, 950_00, "discount 50.0"},
		{"a discount on the day", 10, 1000_00, 930_00, "discount 70.0"},
		{"more than a discount", 6, 1000_00, 899_99, ""},
		{"31 days before", -21, 1000_00, 950_00, ""},

		{"a tax on the day", 10, 1000_00, 950_00, "tax 50.0"},
		{"a tax one weekday before", 9, 1000_00, 985_00, "tax 15.0"},
		{"a tax that is late", 13, 1000_00, 938_50, "tax 61.5"},
		{"a tax cut to the cent", 10, 333_33, 317_83, "tax 15.5"},
		{"two taxes", 13, 1000_00, 903_50, "tax 96.5"},
		{"no rate, and late", 13, 1000_00, 929_99, ""},

		{"the fee of a bank", 13, 1000_00, 985_01, "fee 14.99"},
		{"a fee of 1 %", 13, 5000_00, 4950_00, "fee 50.0"},
		{"more than a fee", 13, 5000_00, 4949_99, ""},

		{"a fee that is paid", 10, -1000_00, -1015_00, "fee 15.0"},
		{"more than a fee that is paid", 10, -1000_00, -1015_01, ""},
		{"a late fee is a fine", 12, -1000_00, -1015_00, "fine 15.0"},
		{"a discount that is got", 3, -1000_00, -970_00, "discount 30.0"},
		{"a tax that is withheld", 12, -1000_00, -890_00, "tax 110.0"},
		{"a fee lowers no payment", 12, -1000_00, -999_00, ""},
		{"the other side", 12, 1000_00, -1020_00, ""},
	} {
		got := ""
		for _, s := range suggest(nil, []finance.Movement{pays(1, c.day, c.paid)},
			[]finance.Movement{owes(2, 10, c.amount)}) {
			got = adjusted(s)
			if s.Score >= finance.BlindScore || len(s.Settles) != 1 {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Friday is one weekday before Monday.
func TestAWeekendIsNotEarly(t *testing.T) {
	t.Parallel()
	got := suggest(nil, []finance.Movement{pays(1, 6, 985_00)}, []finance.Movement{owes(2, 9, 1000_00)})
	if len(got) != 1 || adjusted(got[0]) != "tax 15.0" {
		t.Errorf("%+v", got)
	}
}

// A month's interest of this entity is higher than its fine.
func TestSomeInterestComesBeforeFineAndInterest(t *testing.T) {
	t.Parallel()
	charges := finance.LateCharges{SuggestedFinePercentage: 2_0000, SuggestedMonthlyInterestPercentage: 5_0000}
	got := finance.Suggest(charges, nil, []finance.Movement{pays(1, 12, 1045_00)},
		[]finance.Movement{owes(2, 10, 1000_00)}, nil)
	if len(got) != 1 || adjusted(got[0]) != "interest 45.0" {
		t.Errorf("%+v", got)
	}
}

func TestThePayerOfADifferenceIsCertain(t *testing.T) {
	t.Parallel()
	const name, other = "PIX RECEBIDO ANA SOUZA 12/03", "PIX RECEBIDO ANA SOUZA LIMA 12/03"
	with := func(set func(t, a *finance.Movement)) [2]finance.Movement {
		t, a := movement(1, 12, 1020_00), owes(2, 10, 1000_00)
		a.CounterpartDocument, a.CounterpartName = "", ""
		set(&t, &a)
		return [2]finance.Movement{t, a}
	}
	for _, c := range []struct {
		name string
		pair [2]finance.Movement
		want string // the reason beside the difference and the days
	}{
		{"nothing", with(func(*finance.Movement, *finance.Movement) {}), ""},
		{"a CPF", with(func(t, a *finance.Movement) {
			t.CounterpartDocument, a.CounterpartDocument = someone, someone
		}), "Mesmo CPF ou CNPJ"},
		{"a Pix", with(func(t, a *finance.Movement) { t.EndToEndID, a.EndToEndID = pixID, pixID }), "Mesmo Pix"},
		{"a charge", with(func(t, a *finance.Movement) { t.TxID, a.TxID = charge, charge }), "Mesmo txid"},
		{"a document", with(func(t, a *finance.Movement) { t.Document, a.Document = "1135", "NF 1135" }),
			"Mesmo documento"},
		{"a short document", with(func(t, a *finance.Movement) { t.Document, a.Document = "35", "NF 35" }), ""},
		{"a document in the text", with(func(t, a *finance.Movement) { t.Text, a.Document = "LIQ 1135", "NF 1135" }),
			""},
		{"a name in the text", with(func(t, a *finance.Movement) { t.Text, a.CounterpartName = name, "Ana Souza" }),
			"O texto do banco tem o nome da pessoa"},
		{"a name of one word", with(func(t, a *finance.Movement) { t.Text, a.CounterpartName = name, "Ana" }), ""},
		{"a part of a name", with(func(t, a *finance.Movement) { t.Text, a.CounterpartName = name, "Ana Souza Lima" }),
			""},
		{"a name in its place", with(func(t, a *finance.Movement) {
			t.Text, t.CounterpartName, a.CounterpartName = other, "ANA SOUZA", "Ana Souza"
		}), "O texto do banco tem o nome da pessoa"},
		{"a longer name in its place", with(func(t, a *finance.Movement) {
			t.Text, t.CounterpartName, a.CounterpartName = other, "ANA SOUZA LIMA", "Ana Souza"
		}), ""},
	} {
		got := suggest(nil, c.pair[:1], c.pair[1:])
		if len(got) > 1 || len(got) == 0 != (c.want == "") {
			t.Errorf("%s: %+v", c.name, got)
		}
		for _, s := range got {
			want := []string{"Pagamento 2 dias depois do vencimento: multa de R$ 20,00", "2 dias de diferença", c.want,
				"Ainda em aberto: a conciliação paga ou recebe a conta"}
			if d := cmp.Diff(want, s.Reasons); d != "" {
				t.Errorf("%s: -want +got:\n%s", c.name, d)
			}
		}
	}
}

func TestDifferencesComeAfterEqualAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		transactions, accounts []finance.Movement
		want                   string
	}{
		{"an equal amount", []finance.Movement{pays(1, 12, 1020_00)},
			[]finance.Movement{owes(2, 10, 1000_00), owes(3, 12, 1020_00)}, "1-3"},
		{"a likely sum", []finance.Movement{pays(1, 12, 1020_00)},
			[]finance.Movement{owes(2, 10, 1000_00), owes(3, 12, 1015_00), owes(4, 12, 5_00)}, "1-3,4"},
		{"one kind before two", []finance.Movement{pays(1, 12, 1030_00)},
			[]finance.Movement{owes(2, 10, 1000_00), owes(3, 5, 1010_00)}, "1-3 fine 20.0 of 2"},
		{"the nearest", []finance.Movement{pays(1, 12, 1020_00), pays(5, 13, 1020_00)},
			[]finance.Movement{owes(2, 9, 1000_00), owes(3, 10, 1000_00)},
			"1-3 fine 20.0 of 3; 5-2 fine 20.0 of 3"},
		{"last month's account before this month's", []finance.Movement{pays(1, 12, 250_00)},
			[]finance.Movement{owes(2, -13, 250_00), owes(3, 14, 250_00)}, "1-2 of 2"},
		{"unless this month's was paid", []finance.Movement{pays(1, 12, 250_00)},
			[]finance.Movement{owes(2, -13, 250_00), pays(3, 12, 250_00)}, "1-3"},
	} {
		var got []string
		for _, s := range suggest(nil, c.transactions, c.accounts) {
			ids := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.AccountIDs), "[]"), " ", ",")
			text := strings.TrimSpace(fmt.Sprintf("%d-%s %s", s.TransactionIDs[0], ids, adjusted(s)))
			if s.Rivals > 0 {
				text += fmt.Sprintf(" of %d", s.Rivals+1)
			}
			got = append(got, text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whatever is paid of whatever is due, the reconcile that a suggestion proposes is accepted: the adjustments are above
// zero, and the adjusted amount due is what was paid. The order of the records does not matter.
func TestAdjustmentsOfSuggestionsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.OneOf(rapid.IntRange(1, 40_00), rapid.IntRange(1, 9_000_00))
		side := func(name string, record func(int64, int, finance.Amount) finance.Movement) (all []finance.Movement) {
			for i := range rapid.IntRange(0, 12).Draw(t, name) {
				sign := rapid.SampledFrom([]int{1, -1}).Draw(t, "sign")
				all = append(all, record(int64(i+1), rapid.IntRange(-40, 70).Draw(t, "day"),
					finance.Amount(sign*amount.Draw(t, "amount"))))
			}
			return all
		}
		accounts := side("accounts", owes)
		transactions := side("transactions", pays)
		for i := range transactions { // most differ a little from an account
			if len(accounts) > 0 && rapid.IntRange(0, 3).Draw(t, "apart") > 0 {
				of := accounts[i%len(accounts)].Amount
				transactions[i].Amount = of + of/1000*finance.Amount(rapid.IntRange(-110, 40).Draw(t, "per mille"))
			}
		}
		got := suggest(nil, transactions, accounts)
		for _, s := range got {
			if s.Adjustments != nil {
				checkAdjusted(t, transactions[s.TransactionIDs[0]-1], accounts[s.AccountIDs[0]-1], s)
			}
		}
		if len(transactions) > 0 && len(accounts) > 0 {
			again := suggest(nil, rapid.Permutation(transactions).Draw(t, "order"),
				rapid.Permutation(accounts).Draw(t, "order"))
			if d := cmp.Diff(got, again); d != "" {
				t.Errorf("in another order:\n%s", d)
			}
		}
	})
}

func checkAdjusted(t *rapid.T, paid, due finance.Movement, s finance.Suggestion) {
	kind := finance.KindOf(paid.Amount)
	q := finance.Reconciling{AccountIDs: s.AccountIDs, TransactionIDs: s.TransactionIDs, SettleOpen: true,
		Adjustments: s.Adjustments}
	r := finance.Reconcile{
		Accounts: []finance.FinancialAccount{{ID: due.ID, Kind: kind, Status: finance.Outstanding,
			Amount: due.Amount.Abs(), DueDate: due.OccurredAt}},
		Transactions: []finance.FinancialTransaction{{ID: paid.ID, Amount: paid.Amount, OccurredAt: paid.OccurredAt,
			CurrencyID: finance.BRL}},
	}
	for _, err := range []error{q.Validate(), q.Apply(&r), r.Validate()} {
		if err != nil {
			t.Errorf("%v of %v: %+v: %v", paid.Amount, due.Amount, s, err)
		}
	}
}
