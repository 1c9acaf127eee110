package finance_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bordero/finance"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPairRules(t *testing.T) {
	t.Parallel()
	id := int64(9)
	for name, c := range map[string]struct {
		change func(debit, credit *finance.FinancialTransaction)
		want   []string // the attributes that are refused
	}{
		"a pair": {func(_, _ *finance.FinancialTransaction) {}, nil},
		"ten days before": {func(debit, credit *finance.FinancialTransaction) {
			debit.OccurredAt = credit.OccurredAt.AddDays(10)
		}, nil},
		"eleven days before": {func(debit, credit *finance.FinancialTransaction) {
			debit.OccurredAt = credit.OccurredAt.AddDays(11)
		}, []string{"occurred_at"}},
		"eleven days after": {func(debit, credit *finance.FinancialTransaction) {
			debit.OccurredAt = credit.OccurredAt.AddDays(-11)
		}, []string{"occurred_at"}},
		"a cent": {func(debit, _ *finance.FinancialTransaction) { debit.Amount-- }, []string{"amount"}},
		"two debits": {func(_, credit *finance.FinancialTransaction) { credit.Amount = -10 },
			[]string{"credit_transaction"}},
		"two credits": {func(debit, _ *finance.FinancialTransaction) { debit.Amount = 10 },
			[]string{"debit_transaction"}},
		"one account": {func(debit, _ *finance.FinancialTransaction) { debit.DepositAccountID = 2 },
			[]string{"credit_transaction"}},
		"two currencies": {func(debit, _ *finance.FinancialTransaction) { debit.CurrencyID = 2 },
			[]string{"credit_transaction"}},
		"a reconciled one": {func(debit, _ *finance.FinancialTransaction) { debit.ReconcileID = &id },
			[]string{"base"}},
		"a side of a transfer": {func(_, credit *finance.FinancialTransaction) { credit.TransferID = &id },
			[]string{"base"}},
		"what is not there": {func(debit, _ *finance.FinancialTransaction) { debit.ID = 9 },
			[]string{"debit_transaction"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			debit := finance.FinancialTransaction{ID: 1, DepositAccountID: 1, Amount: -10, CurrencyID: 1,
				OccurredAt: march(5)}
			credit := finance.FinancialTransaction{ID: 2, DepositAccountID: 2, Amount: 10, CurrencyID: 1,
				OccurredAt: march(5)}
			c.change(&debit, &credit)
			pair := finance.Transfer{DebitTransactionID: 1, CreditTransactionID: 2}
			err := pair.Pair([]finance.FinancialTransaction{debit, credit})
			var invalid *finance.Invalid
			var got []string
			if errors.As(err, &invalid) {
				for _, m := range invalid.Messages {
					got = append(got, m.Attribute)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if err == nil && (pair.DebitDepositAccountID != 1 || pair.CreditDepositAccountID != 2 ||
				pair.Amount != 10) {
				t.Errorf("%+v", pair)
			}
		})
	}
}

func TestTransferSuggestions(t *testing.T) {
	t.Parallel()
	type movements []finance.Movement
	for _, c := range []struct {
		name        string
		here, there movements
		want        []finance.TransferSuggestion
	}{
		{"all that speaks for it",
			movements{movement(1, 5, -150_00, "TED Padaria Central", "123")}, movements{
				movement(2, 5, 150_00, "CREDITO", "DOC 123")},
			[]finance.TransferSuggestion{{DebitTransactionID: 1, CreditTransactionID: 2, Score: 100, Reasons: []string{
				"Mesmo valor, saída e entrada", "Mesma data", "Mesmo documento", "O texto é de uma transferência",
				"O texto tem o nome da entidade"}}}},
		{"into this account", movements{movement(1, 7, 10_00)}, movements{movement(2, 5, -10_00)},
			[]finance.TransferSuggestion{
				{DebitTransactionID: 2, CreditTransactionID: 1, Score: 66, Reasons: []string{"Mesmo valor, saída e " +
					"entrada", "2 dias de diferença"}}}},
		{"a word of either text", movements{movement(1, 5, -10_00)}, movements{
			movement(2, 5, 10_00, "Transferência recebida")},
			[]finance.TransferSuggestion{{DebitTransactionID: 1, CreditTransactionID: 2, Score: 80, Reasons: []string{
				"Mesmo valor, saída e entrada", "Mesma data", "O texto é de uma transferência"}}}},
		{"the end of the window", movements{movement(1, 1, -10_00)}, movements{movement(2, 11, 10_00)},
			[]finance.TransferSuggestion{
				{DebitTransactionID: 1, CreditTransactionID: 2, Score: 50, Reasons: []string{"Mesmo valor, saída e " +
					"entrada", "10 dias de diferença"}}}},
		{"beyond the window", movements{movement(1, 1, -10_00)}, movements{movement(2, 12, 10_00)}, nil},
		{"the same sign", movements{movement(1, 5, 10_00)}, movements{movement(2, 5, 10_00)}, nil},
		{"a cent", movements{movement(1, 5, -10_00)}, movements{movement(2, 5, 10_01)}, nil},
		{"the nearest, and a rival of each side",
			movements{movement(1, 5, -10_00), movement(3, 8, -10_00)},
			movements{movement(2, 6, 10_00), movement(4, 18, 10_00)},
			[]finance.TransferSuggestion{
				{DebitTransactionID: 1, CreditTransactionID: 2, Score: 68, Rivals: 1, Reasons: []string{
					"Mesmo valor, saída e entrada", "1 dia de diferença"}},
				{DebitTransactionID: 3, CreditTransactionID: 4, Score: 50, Rivals: 1, Reasons: []string{
					"Mesmo valor, saída e entrada", "10 dias de diferença"}},
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, finance.SuggestTransfers(c.here, c.there, nil, "Padaria Central Ltda")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// For any transactions: each is in one pair at most, amounts are opposite, days within the window,
// scores in bounds and in order, and the order of the arguments does not matter.
func TestTransferSuggestionsOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string, from int64) (all []finance.Movement) {
			for i := range rapid.IntRange(0, 40).Draw(t, name) {
				all = append(all, movement(from+int64(i), rapid.IntRange(1, 30).Draw(t, "day"),
					finance.Amount(rapid.IntRange(-6, 6).Draw(t, "cents")),
					rapid.SampledFrom([]string{"", "TED", "Padaria", "PIX Padaria"}).Draw(t, "text"),
					rapid.SampledFrom([]string{"", "1", "NF 77"}).Draw(t, "document")))
			}
			return all
		}
		here, there := side("here", 1), side("there", 101)
		got := finance.SuggestTransfers(here, there, nil, "Padaria")
		checkTransfers(t, slices.Concat(here, there), got)
		if len(here) > 0 && len(there) > 0 {
			again := finance.SuggestTransfers(rapid.Permutation(here).Draw(t, "order"),
				rapid.Permutation(there).Draw(t, "order"), nil, "Padaria")
			if d := cmp.Diff(got, again); d != "" {
				t.Errorf("in another order:\n%s", d)
			}
		}
	})
}

func checkTransfers(t interface{ Errorf(string, ...any) }, all []finance.Movement, got []finance.TransferSuggestion) {
	byID, seen := map[int64]finance.Movement{}, map[int64]bool{}
	for _, m := range all {
		byID[m.ID] = m
	}
	last := int64(100)
	for _, s := range got {
		debit, credit := byID[s.DebitTransactionID], byID[s.CreditTransactionID]
		if s.Score > last || s.Score < 50 {
			t.Errorf("score %d after %d", s.Score, last)
		}
		last = s.Score
		if debit.Amount >= 0 || debit.Amount != -credit.Amount || (debit.ID > 100) == (credit.ID > 100) &&
			len(all) < 100 {
			t.Errorf("%+v with %+v", debit, credit)
		}
		if debit.OccurredAt.After(credit.OccurredAt.AddDays(finance.TransferWindow)) ||
			credit.OccurredAt.After(debit.OccurredAt.AddDays(finance.TransferWindow)) {
			t.Errorf("%+v with %+v", debit, credit)
		}
		if seen[debit.ID] || seen[credit.ID] {
			t.Errorf("in two: %+v", s)
		}
		seen[debit.ID], seen[credit.ID] = true, true
	}
}

// transfersOf returns n transactions of each of two accounts within a number of days.
func transfersOf(n, days, amounts int) (here, there []finance.Movement) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		day, amount := 1+r.IntN(days), finance.Amount(1+r.IntN(amounts))
		if i%2 == 0 {
			amount = -amount
		}
		here = append(here, movement(int64(i+1), day, amount, fmt.Sprintf("TED %d", i)))
		there = append(there, movement(int64(n+i+1), day+r.IntN(4), -amount, "Padaria"))
	}
	return here, there
}

func TestManyEqualTransfersAreSuggestedOnce(t *testing.T) {
	t.Parallel()
	here, there := transfersOf(2000, 1, 1)
	got := finance.SuggestTransfers(here, there, nil, "Padaria")
	checkTransfers(t, slices.Concat(here, there), got)
	if len(got) != 2000 {
		t.Errorf("%d suggestions of 2000", len(got))
	}
}

func BenchmarkSuggestTransfers(b *testing.B) {
	for name, c := range map[string]struct{ n, days, amounts int }{
		"year/10000": {10_000, 365, 1_000_000}, "year/20000": {20_000, 365, 1_000_000}, "one day and amount/20000": {
			20_000, 1, 1},
	} {
		b.Run(name, func(b *testing.B) {
			here, there := transfersOf(c.n, c.days, c.amounts)
			found := 0
			for b.Loop() {
				found = len(finance.SuggestTransfers(here, there, nil, "Padaria"))
			}
			b.ReportMetric(float64(found), "suggestions")
		})
	}
}
