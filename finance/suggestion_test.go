package finance_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bordero/finance"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// movement returns a movement on a day of March 2026.
func movement(id int64, day int, amount finance.Amount, text ...string) finance.Movement {
	m := finance.Movement{ID: id, OccurredAt: march(day), Amount: amount}
	if len(text) > 0 {
		m.Text = text[0]
	}
	if len(text) > 1 {
		m.Document = text[1]
	}
	return m
}

func outstanding(m finance.Movement) finance.Movement {
	m.Open = true
	return m
}

func suggest(rules []finance.ReconciliationRule, transactions, accounts []finance.Movement) []finance.Suggestion {
	return finance.Suggest(finance.DefaultLateCharges, rules, transactions, accounts, nil)
}

func march(day int) finance.Date {
	d, _ := finance.NewDate(2026, time.March, 1)
	return d.AddDays(day - 1)
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	type movements []finance.Movement
	const alfa, beta = "11222333000181", "11444777000161"
	of := func(counterpart string, m finance.Movement) finance.Movement {
		m.CounterpartDocument = counterpart
		return m
	}
	for _, c := range []struct {
		name                   string
		transactions, accounts movements
		want                   []finance.Suggestion
	}{
		{"a pair of one day, document and text",
			movements{movement(1, 5, -150_00, "PIX ENVIADO MOINHO SÃO JORGE", "NF 00123")},
			movements{movement(2, 5, -150_00, "Moinho Sao Jorge", "123")},
			[]finance.Suggestion{{
				AccountIDs: []int64{2}, TransactionIDs: []int64{1}, Score: 100,
				Reasons: []string{"Mesmo valor", "Mesma data", "Mesmo documento", "Descrição parecida"},
			}}},
		{"a document that the bank's text says",
			movements{movement(1, 5, -150_00, "PAGTO NF 4711")}, movements{movement(2, 6, -150_00, "Farinha", "4711")},
			[]finance.Suggestion{{
				AccountIDs: []int64{2}, TransactionIDs: []int64{1}, Score: 87,
				Reasons: []string{"Mesmo valor", "1 dia de diferença", "Mesmo documento"},
			}}},
		{"the end of the window", movements{movement(1, 8, 10_00)}, movements{movement(2, 1, 10_00)},
			[]finance.Suggestion{{AccountIDs: []int64{2}, TransactionIDs: []int64{1}, Score: 60, Reasons: []string{
				"Mesmo valor", "7 dias de diferença"}}}},
		{"beyond the window", movements{movement(1, 9, 10_00)}, movements{movement(2, 1, 10_00)}, nil},
		{"one paid and one received", movements{movement(1, 5, 10_00)}, movements{movement(2, 5, -10_00)}, nil},
		{"a cent", movements{movement(1, 5, 10_00)}, movements{movement(2, 5, 10_01)}, nil},
		{"nothing", movements{movement(1, 5, 0)}, movements{movement(2, 5, 0)}, nil},
		{"the text decides between two",
			movements{movement(1, 5, 10_00, "ANA"), movement(2, 5, 10_00, "RUI")},
			movements{movement(3, 5, 10_00, "Rui"), movement(4, 5, 10_00, "Ana")},
			[]finance.Suggestion{
				{AccountIDs: []int64{4}, TransactionIDs: []int64{1}, Score: 90, Rivals: 2, Reasons: []string{
					"Mesmo valor", "Mesma data", "Descrição parecida"}},
				{AccountIDs: []int64{3}, TransactionIDs: []int64{2}, Score: 90, Rivals: 2, Reasons: []string{
					"Mesmo valor", "Mesma data", "Descrição parecida"}},
			}},
		{"an outstanding account", movements{movement(1, 5, -10_00)}, movements{outstanding(movement(2, 5, -10_00))},
			[]finance.Suggestion{{
				AccountIDs: []int64{2}, TransactionIDs: []int64{1}, Settles: []int64{2}, Score: 75,
				Reasons: []string{"Mesmo valor", "Mesma data", "Ainda em aberto: a conciliação paga ou recebe a conta"},
			}}},
		{"a settled account before an outstanding one", movements{movement(1, 5, 10_00)}, movements{
			outstanding(movement(2, 5, 10_00)), movement(3, 5, 10_00)},
			[]finance.Suggestion{{AccountIDs: []int64{3}, TransactionIDs: []int64{1}, Score: 80, Rivals: 1,
				Reasons: []string{"Mesmo valor", "Mesma data"}}}},
		{"a rival within the window and one beyond", movements{movement(1, 8, 10_00), movement(4, 1, 10_00)},
			movements{movement(2, 8, 10_00), movement(3, 16, 10_00)},
			[]finance.Suggestion{{AccountIDs: []int64{2}, TransactionIDs: []int64{1}, Score: 80, Rivals: 1,
				Reasons: []string{"Mesmo valor", "Mesma data"}}}},
		{"a sum with a rival", movements{movement(1, 5, 10_00)},
			movements{movement(2, 5, 4_00), outstanding(movement(3, 5, 6_00)), movement(4, 6, 3_00),
				movement(5, 6, 7_00)},
			[]finance.Suggestion{{
				AccountIDs: []int64{4, 5}, TransactionIDs: []int64{1}, Score: 67, Rivals: 1,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "1 dia de diferença"},
			}}},
		{"a document of another counterpart", movements{of(alfa, movement(1, 5, 10_00, "PAGTO NF 123", "123"))},
			movements{of(beta, movement(2, 5, 10_00, "Pagto NF 123", "123"))},
			[]finance.Suggestion{{AccountIDs: []int64{2}, TransactionIDs: []int64{1}, Score: finance.BlindScore - 1,
				Reasons: []string{"Mesmo valor", "Mesma data", "Mesmo documento", "Descrição parecida"}}}},
		{"a sum of whose parts one alone has the document and the counterpart",
			movements{of(alfa, movement(1, 5, 300_00, "PIX RECEBIDO ALFA COMERCIO LTDA NF 123"))},
			movements{of(alfa, outstanding(movement(2, 5, 200_00, "Alfa Comercio", "123"))),
				outstanding(movement(3, 5, 100_00, "Beta Serviços"))},
			[]finance.Suggestion{{
				AccountIDs: []int64{2, 3}, TransactionIDs: []int64{1}, Settles: []int64{2, 3}, Score: 70,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "Mesma data", "Descrição parecida",
					"Ainda em aberto: a conciliação paga ou recebe a conta"},
			}}},
		{"a sum of which a part is of another counterpart",
			movements{of(alfa, movement(1, 5, 300_00, "PIX RECEBIDO ALFA COMERCIO LTDA NF 123"))},
			movements{of(alfa, outstanding(movement(2, 5, 200_00, "Alfa Comercio", "123"))),
				of(beta, outstanding(movement(3, 5, 100_00, "Beta Serviços")))}, nil},
		{"a sum of transactions of which one is of another counterpart",
			movements{of(alfa, movement(1, 5, 200_00, "ALFA", "123")), of(beta, movement(2, 5, 100_00, "BETA"))},
			movements{of(alfa, movement(3, 5, 300_00, "Alfa", "123"))}, nil},
		{"a sum beside a number that is no CPF or CNPJ",
			movements{of(alfa, movement(1, 5, 10_00))},
			movements{of("123", movement(3, 5, 4_00)), of("", movement(4, 5, 6_00))},
			[]finance.Suggestion{{AccountIDs: []int64{3, 4}, TransactionIDs: []int64{1}, Score: 70,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "Mesma data"}}}},
		{"a sum whose parts all have the document and the counterpart",
			movements{of(alfa, movement(1, 5, 300_00, "", "123"))},
			movements{of(alfa, movement(2, 5, 200_00, "", "123")), of(alfa, movement(3, 5, 100_00, "", "123"))},
			[]finance.Suggestion{{
				AccountIDs: []int64{2, 3}, TransactionIDs: []int64{1}, Score: 90,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "Mesma data", "Mesmo documento",
					"Mesmo CPF ou CNPJ"},
			}}},
		{"one transaction for five accounts",
			movements{movement(1, 5, -15_00)},
			movements{movement(11, 5, -1_00), movement(12, 5, -2_00), movement(13, 5, -3_00), movement(14, 5, -4_00),
				movement(15, 5, -5_00), movement(16, 5, -50_00)},
			[]finance.Suggestion{{
				AccountIDs: []int64{11, 12, 13, 14, 15}, TransactionIDs: []int64{1}, Score: 40,
				Reasons: []string{"A soma de 5 contas é o valor da transação", "Mesma data"},
			}}},
		{"two transactions for one account",
			movements{movement(1, 5, 4_00), movement(2, 6, 6_00)}, movements{movement(3, 5, 10_00)},
			[]finance.Suggestion{{
				AccountIDs: []int64{3}, TransactionIDs: []int64{1, 2}, Score: 67,
				Reasons: []string{"A soma de 2 transações é o valor da conta", "1 dia de diferença"},
			}}},
		{"of equal parts, the nearest ones", movements{movement(1, 5, 100_00)},
			movements{movement(2, 5, 60_00), movement(3, 5, 40_00), movement(4, 10, 40_00)},
			[]finance.Suggestion{{
				AccountIDs: []int64{2, 3}, TransactionIDs: []int64{1}, Score: 70, Rivals: 1,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "Mesma data"},
			}}},
		{"of equal parts, the ones of the text", movements{movement(1, 5, 100_00, "PIX MOINHO SAO JORGE")},
			movements{movement(2, 5, 50_00, "Padaria"), movement(3, 5, 50_00, "Moinho São Jorge"),
				movement(4, 5, 50_00, "Moinho São Jorge")},
			[]finance.Suggestion{{
				AccountIDs: []int64{3, 4}, TransactionIDs: []int64{1}, Score: 80, Rivals: 2,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "Mesma data", "Descrição parecida"},
			}}},
		{"a sum of five alone is too little", // a day apart, without other similarities
			movements{movement(1, 5, -15_00)},
			movements{movement(11, 6, -1_00), movement(12, 5, -2_00), movement(13, 5, -3_00), movement(14, 5, -4_00),
				movement(15, 5, -5_00)}, nil},
		{"a sum of six", movements{movement(1, 5, 6_00)},
			movements{movement(11, 5, 1_00), movement(12, 5, 1_00), movement(13, 5, 1_00), movement(14, 5, 1_00),
				movement(15, 5, 1_00), movement(16, 5, 1_00)}, nil},
		{"a group of one day before a pair of a week apart",
			movements{movement(1, 12, 10_00)},
			movements{movement(2, 5, 10_00), movement(3, 12, 4_00), movement(4, 12, 6_00)},
			[]finance.Suggestion{{
				AccountIDs: []int64{3, 4}, TransactionIDs: []int64{1}, Score: 70,
				Reasons: []string{"A soma de 2 contas é o valor da transação", "Mesma data"},
			}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, suggest(nil, c.transactions, c.accounts)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// A customer with an invoice on each weekday, at 30 days, pays one late: its exact amount is found among all.
func TestALatePaymentIsFoundAmongManyInvoices(t *testing.T) {
	t.Parallel()
	var accounts []finance.Movement
	for day := -56; day <= 60; day++ { // march(30) is the day of the payment
		if weekday := march(day).Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			continue
		}
		a := outstanding(movement(int64(100+day), day, finance.Amount(100_00+day)))
		a.CounterpartDocument = "11222333000181"
		accounts = append(accounts, a)
	}
	for _, c := range []struct {
		due  int
		want string
	}{
		{-30, "[[70]]"}, {-31, "[]"}, // 60 days before, and 61
		{6, "[[106]]"}, {10, "[[110]]"}, {27, "[[127]]"},
	} {
		paid := movement(1, 30, finance.Amount(100_00+c.due))
		paid.CounterpartDocument = "11222333000181"
		found := [][]int64{}
		for _, s := range suggest(nil, []finance.Movement{paid}, accounts) {
			if s.Adjustments == nil {
				found = append(found, s.AccountIDs)
			}
		}
		if got := fmt.Sprint(found); got != c.want {
			t.Errorf("due on day %d: %s, want %s", c.due, got, c.want)
		}
	}
}

// Transactions beyond the period, or of another deposit account, are rivals within the window of the account.
func TestTransactionsElsewhereAreRivals(t *testing.T) {
	t.Parallel()
	paid, of := movement(1, 31, 500_00), movement(2, 31, 500_00)
	paid.DepositAccountID = 1
	one := func(depositAccount int64, day int, amount finance.Amount) finance.Elsewhere {
		return finance.Elsewhere{DepositAccountID: depositAccount, OccurredAt: march(day), Amount: amount, Count: 1}
	}
	many := one(2, 31, 500_00)
	many.Count = 9
	for name, c := range map[string]struct {
		elsewhere []finance.Elsewhere
		want      int64
	}{
		"the next day":               {[]finance.Elsewhere{one(1, 32, 500_00)}, 1},
		"another bank":               {[]finance.Elsewhere{one(2, 31, 500_00)}, 1},
		"many of one day":            {[]finance.Elsewhere{many, one(1, 32, 500_00)}, 10},
		"both ends of the window":    {[]finance.Elsewhere{one(2, 24, 500_00), one(1, 38, 500_00)}, 2},
		"beyond the window":          {[]finance.Elsewhere{one(2, 23, 500_00), one(1, 39, 500_00)}, 0},
		"another amount, or a debit": {[]finance.Elsewhere{one(2, 31, 500_01), one(2, 31, -500_00)}, 0},
	} {
		got := finance.Suggest(finance.DefaultLateCharges, nil, []finance.Movement{paid}, []finance.Movement{of},
			c.elsewhere)
		if len(got) != 1 || got[0].Rivals != c.want {
			t.Errorf("%s: %+v, want %d rivals", name, got, c.want)
		}
	}
	debit, credit := movement(1, 31, -500_00), movement(2, 40, 500_00)
	debit.DepositAccountID, credit.DepositAccountID = 1, 2
	for _, c := range []struct {
		elsewhere finance.Elsewhere
		want      int64
	}{
		{one(1, 50, -500_00), 1}, {one(3, 40, -500_00), 1}, {one(2, 40, -500_00), 0}, {one(3, 51, -500_00), 0},
		{one(3, 40, 500_00), 0},
	} {
		got := finance.SuggestTransfers([]finance.Movement{debit}, []finance.Movement{credit},
			[]finance.Elsewhere{c.elsewhere}, "")
		if len(got) != 1 || got[0].Rivals != c.want {
			t.Errorf("a transfer beside %+v: %+v, want %d rivals", c.elsewhere, got, c.want)
		}
	}
}

func TestAmountsOfBothSidesAreShared(t *testing.T) {
	t.Parallel()
	got := finance.SharedBy([]finance.Movement{movement(1, 5, 10), movement(2, 6, 10), movement(3, 7, 20)},
		[]finance.Movement{movement(4, 9, 10), movement(5, 2, 10), movement(6, 1, 30), movement(7, 4, 10)})
	if !slices.Equal(got.Amounts, []finance.Amount{10}) || got.First != march(2) || got.Last != march(9) {
		t.Errorf("%+v", got)
	}
}

// A group is found among the maximum number of candidates, wherever its parts are, and not among
// more.
func TestGroupsAreFoundAmongThirtyCandidates(t *testing.T) {
	t.Parallel()
	powers := func(n int) (all []finance.Movement) { // no two groups have the same sum
		for i := range n {
			all = append(all, movement(int64(i+1), 5, 1<<i))
		}
		return all
	}
	accounts := powers(finance.MaxSuggestionCandidates)
	one := movement(1, 5, 1<<0+1<<7+1<<15+1<<20+1<<29)
	got := suggest(nil, []finance.Movement{one}, accounts)
	if len(got) != 1 || !slices.Equal(got[0].AccountIDs, []int64{1, 8, 16, 21, 30}) {
		t.Errorf("%+v", got)
	}
	one.Amount = 1<<29 + 1<<30 // the 31st record is not a candidate
	if got := suggest(nil, []finance.Movement{one}, powers(31)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// For any records: each record is used once, sums and signs are right, days are within the
// window, scores are in bounds and in order, and the order of the arguments does not matter.
func TestSuggestionsOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) []finance.Movement {
			var all []finance.Movement
			for i := range rapid.IntRange(0, 40).Draw(t, name) {
				all = append(all, movement(int64(i+1), rapid.IntRange(1, 20).Draw(t, "day"),
					finance.Amount(rapid.IntRange(-12, 12).Draw(t, "cents")),
					rapid.SampledFrom([]string{"", "Ana", "Rui Ana", "PIX RUI"}).Draw(t, "text"),
					rapid.SampledFrom([]string{"", "1", "NF 77"}).Draw(t, "document")))
			}
			return all
		}
		transactions, accounts := side("transactions"), side("accounts")
		got := suggest(nil, transactions, accounts)
		check(t, transactions, accounts, got)
		shuffled := func(all []finance.Movement) []finance.Movement {
			return rapid.Permutation(all).Draw(t, "order")
		}
		if len(transactions) > 0 && len(accounts) > 0 {
			if d := cmp.Diff(got, suggest(nil, shuffled(transactions), shuffled(accounts))); d != "" {
				t.Errorf("in another order:\n%s", d)
			}
		}
	})
}

// For any parts of one day: rivals are all other groups of the sum, of a size the first 16.
func TestRivalsOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := movement(1, 5, finance.Amount(rapid.IntRange(2, 12).Draw(t, "sum")))
		amounts := rapid.SliceOfN(rapid.IntRange(1, int(one.Amount)-1), 0, 9).Draw(t, "amounts")
		var parts []finance.Movement
		for i, cents := range amounts {
			parts = append(parts, movement(int64(i+1), 5, finance.Amount(cents)))
		}
		var ofSize [10]int64
		for chosen := range 1 << len(amounts) {
			sum := 0
			for i, cents := range amounts {
				sum += chosen >> i & 1 * cents
			}
			if sum == int(one.Amount) {
				ofSize[bits.OnesCount(uint(chosen))]++
			}
		}
		groups := int64(0)
		for _, n := range ofSize[:finance.MaxSuggestedParts+1] {
			groups += min(n, 16)
		}
		got := suggest(nil, []finance.Movement{one}, parts)
		if groups == 0 && len(got) > 0 || groups > 0 && (len(got) != 1 || got[0].Rivals != groups-1) {
			t.Errorf("%d groups, suggested: %+v", groups, got)
		}
	})
}

func check(t interface{ Errorf(string, ...any) }, transactions, accounts []finance.Movement, got []finance.Suggestion) {
	seen := [2]map[int64]bool{{}, {}}
	last := int64(100)
	for _, s := range got {
		if s.Score > last || s.Score < 40 {
			t.Errorf("score %d after %d", s.Score, last)
		}
		last = s.Score
		if n := len(s.AccountIDs) + len(s.TransactionIDs); n > 1+finance.MaxSuggestedParts ||
			min(len(s.AccountIDs), len(s.TransactionIDs)) != 1 {
			t.Errorf("%d records: %+v", n, s)
		}
		var sums [2]finance.Amount
		var days []finance.Date
		for i, side := range [][]int64{s.TransactionIDs, s.AccountIDs} {
			for _, id := range side {
				if seen[i][id] {
					t.Errorf("%d is in two: %+v", id, got)
				}
				seen[i][id] = true
				m := [][]finance.Movement{transactions, accounts}[i][id-1]
				sums[i] += m.Amount
				days = append(days, m.OccurredAt)
			}
		}
		slices.SortFunc(days, finance.Date.Compare)
		if sums[0] != sums[1] || sums[0] == 0 || days[len(days)-1].After(days[0].AddDays(2*finance.SuggestionWindow)) {
			t.Errorf("%v, %v: %+v", sums, days, s)
		}
	}
}

// spread returns n records of each side over a year: most in pairs a day or two apart, some in
// groups, and some without a match.
func spread(n int) (transactions, accounts []finance.Movement) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(side *[]finance.Movement, day int, amount finance.Amount, text string) {
		*side = append(*side, movement(int64(len(*side)+1), day, amount, text, fmt.Sprint(r.IntN(1000))))
	}
	for len(accounts) < n {
		day, text := 1+r.IntN(365), fmt.Sprintf("FORNECEDOR %d COMERCIO DE ALIMENTOS", r.IntN(500))
		amount := finance.Amount(1_00 + r.IntN(5000_00))
		if r.IntN(3) > 0 {
			amount = -amount
		}
		switch r.IntN(10) {
		case 0: // alone
			add(&accounts, day, amount, text)
			add(&transactions, 1+r.IntN(365), finance.Amount(1_00+r.IntN(5000_00)), text)
		case 1: // a group
			var sum finance.Amount
			for range 2 + r.IntN(4) {
				part := finance.Amount(1_00 + r.IntN(900_00))
				add(&accounts, day, part, text)
				sum += part
			}
			add(&transactions, day+r.IntN(2), sum, text)
		default:
			add(&accounts, day, amount, text)
			add(&transactions, day+r.IntN(3), amount, text)
		}
	}
	for len(transactions) < n {
		add(&transactions, 1+r.IntN(365), -finance.Amount(1_00+r.IntN(5000_00)), "TARIFA")
	}
	return transactions, accounts[:n]
}

// equalOnes returns n records of each side with the same amount on one day; with parts above 1,
// groups instead of pairs.
func equalOnes(n int, parts finance.Amount) (transactions, accounts []finance.Movement) {
	for i := range n {
		transactions = append(transactions, movement(int64(i+1), 5, parts*100))
		accounts = append(accounts, movement(int64(i+1), 5, 100))
	}
	return transactions, accounts
}

func TestManyEqualOnesAreSuggestedOnce(t *testing.T) {
	t.Parallel()
	for parts, want := range map[finance.Amount]int{1: 2000, 4: 500} {
		transactions, accounts := equalOnes(2000, parts)
		got := suggest(nil, transactions, accounts)
		check(t, transactions, accounts, got)
		if len(got) != want {
			t.Errorf("%d suggestions for sums of %d, want %d", len(got), parts, want)
		}
	}
}

func BenchmarkSuggest(b *testing.B) {
	for name, records := range map[string]func() (transactions, accounts []finance.Movement){
		"year/10000":        func() (t, a []finance.Movement) { return spread(10_000) },
		"year/20000":        func() (t, a []finance.Movement) { return spread(20_000) },
		"one day/20000":     func() (t, a []finance.Movement) { return equalOnes(20_000, 1) },
		"sums of one day":   func() (t, a []finance.Movement) { return equalOnes(20_000, 5) },
		"nothing fits/year": func() (t, a []finance.Movement) { return unfit(20_000, 365) },
		"nothing fits/day":  func() (t, a []finance.Movement) { return unfit(20_000, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			transactions, accounts := records()
			found := 0
			for b.Loop() {
				found = len(suggest(nil, transactions, accounts))
			}
			b.ReportMetric(float64(found), "suggestions")
		})
	}
}

// unfit returns n records of each side where nothing adds up: five times 50 cents are less than
// 10.00, which divides every amount of the other side.
func unfit(n, days int) (transactions, accounts []finance.Movement) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		transactions = append(transactions, movement(int64(i+1), 1+r.IntN(days), finance.Amount(1000*r.IntN(5_000)+50)))
		accounts = append(accounts, movement(int64(i+1), 1+r.IntN(days), finance.Amount(1000*r.IntN(2_000))))
	}
	return transactions, accounts
}
