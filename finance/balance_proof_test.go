package finance_test

import (
	"slices"
	"testing"
	"time"

	"bordero/finance"
)

func TestUncoveredDays(t *testing.T) {
	t.Parallel()
	day := func(n int) finance.Date {
		d, _ := finance.NewDate(2026, time.March, n)
		return d
	}
	days := func(first, last int) finance.Period { return finance.Period{First: day(first), Last: day(last)} }
	for name, test := range map[string]struct {
		periods []finance.Period
		want    []finance.Period
	}{
		"no file":            {nil, []finance.Period{days(5, 20)}},
		"one file":           {[]finance.Period{days(5, 20)}, nil},
		"files that touch":   {[]finance.Period{days(11, 25), days(1, 10)}, nil},
		"files that overlap": {[]finance.Period{days(1, 15), days(8, 9), days(12, 20)}, nil},
		"a day between":      {[]finance.Period{days(1, 10), days(12, 20)}, []finance.Period{days(11, 11)}},
		"the beginning":      {[]finance.Period{days(9, 20)}, []finance.Period{days(5, 8)}},
		"the end":            {[]finance.Period{days(1, 17)}, []finance.Period{days(18, 20)}},
		"three holes": {[]finance.Period{days(12, 18), days(7, 9)}, []finance.Period{
			days(5, 6), days(10, 11), days(19, 20)}},
		"files of another time":   {[]finance.Period{days(1, 4), days(21, 30)}, []finance.Period{days(5, 20)}},
		"a file that ends before": {[]finance.Period{days(5, 20), days(3, 2)}, nil},
	} {
		if got := finance.Uncovered(days(5, 20), test.periods); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCoveredDays(t *testing.T) {
	t.Parallel()
	day := func(n int) *finance.Date {
		if n == 0 {
			return nil
		}
		d, _ := finance.NewDate(2026, time.March, n)
		return &d
	}
	for name, test := range map[string]struct {
		start, end, first, last int // 0: none
		from, to                int
	}{
		"a period":                               {5, 20, 7, 9, 5, 20},
		"a period without items":                 {5, 20, 0, 0, 5, 20},
		"a period from its last day":             {20, 5, 7, 9, 5, 20},
		"items around the period":                {5, 20, 3, 22, 3, 22},
		"items before the period":                {5, 20, 1, 2, 1, 20},
		"no period":                              {0, 0, 7, 9, 7, 9},
		"half a period":                          {5, 0, 7, 9, 5, 9},
		"half a period, which the items go past": {0, 5, 7, 9, 5, 9},
		"half a period without items":            {5, 0, 0, 0, 0, 0},
		"nothing":                                {0, 0, 0, 0, 0, 0},
		"a day with its items":                   {5, 5, 5, 5, 5, 5},
		"a day without items":                    {5, 5, 0, 0, 5, 5},
		"the day of the export":                  {20, 20, 7, 9, 7, 9},
		"the day of the export, with an item":    {20, 20, 7, 20, 7, 20},
		"the day before the items":               {5, 5, 7, 9, 7, 9},
	} {
		period := func(first, last int) finance.Period {
			return finance.Period{First: finance.OrZero(day(first)), Last: finance.OrZero(day(last))}
		}
		if got := finance.Covered(day(test.start), day(test.end), period(test.first, test.last)); got != period(
			test.from, test.to) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestExplainIsSureOrSilent(t *testing.T) {
	t.Parallel()
	loose := func(amounts ...finance.Amount) (items []finance.LooseItem) {
		for i, a := range amounts {
			items = append(items, finance.LooseItem{ItemRef: finance.ItemRef{BankStatementID: 1, ID: int64(i + 1)},
				Amount: a})
		}
		return items
	}
	moved := func(items []finance.LooseItem) (all []finance.MovedItem) {
		for _, i := range items {
			all = append(all, finance.MovedItem{LooseItem: i})
		}
		return all
	}
	hole := []finance.Period{{}}
	for name, test := range map[string]struct {
		span finance.ProofSpan // its gap is 70
		want finance.ExplanationKind
	}{
		"nothing":                         {finance.ProofSpan{}, ""},
		"a hole":                          {finance.ProofSpan{Uncovered: hole}, finance.MissingPeriod},
		"a hole, and rows exported twice": {finance.ProofSpan{Uncovered: hole, Doubtful: true}, ""},
		"two holes":                       {finance.ProofSpan{Uncovered: append(hole, hole...)}, ""},
		"a hole, and a suspect":           {finance.ProofSpan{Uncovered: hole, Suspects: loose(10)}, ""},
		"one suspect": {finance.ProofSpan{Suspects: loose(10, 70, 5)},
			finance.SuspectDuplicates},
		"two suspects": {finance.ProofSpan{Suspects: loose(60, 3, 10)},
			finance.SuspectDuplicates},
		"all suspects": {finance.ProofSpan{Suspects: loose(10, 20, 25, 15)},
			finance.SuspectDuplicates},
		"three of four suspects":             {finance.ProofSpan{Suspects: loose(10, 20, 40, 7)}, ""},
		"either of two suspects":             {finance.ProofSpan{Suspects: loose(70, 70)}, ""},
		"a suspect or an item of the future": {finance.ProofSpan{Suspects: loose(70), Future: loose(70)}, ""},
		"an item of the future":              {finance.ProofSpan{Future: loose(70)}, finance.IgnoredItems},
		"a balance written as a movement":    {finance.ProofSpan{Balances: loose(70, 1000)}, finance.IgnoredItems},
		"a moved item": {finance.ProofSpan{Moved: moved(loose(70)), Doubtful: true},
			finance.MovedItems},
		"one of two moved items":    {finance.ProofSpan{Moved: moved(loose(70, 70))}, ""},
		"a moved item or a suspect": {finance.ProofSpan{Moved: moved(loose(70)), Suspects: loose(70)}, ""},
		"a hole, and a moved item":  {finance.ProofSpan{Uncovered: hole, Moved: moved(loose(10))}, ""},
		"the opening, and a moved item": {
			finance.ProofSpan{First: true, Openable: true, Moved: moved(loose(70))}, ""},
		"the opening": {finance.ProofSpan{First: true, Openable: true},
			finance.OpeningBalance},
		"the opening, written as a movement": {finance.ProofSpan{First: true, Openable: true, Balances: loose(70)},
			finance.OpeningBalance},
		"the opening, after other movements": {finance.ProofSpan{First: true}, ""},
		"the opening, and a suspect": {finance.ProofSpan{First: true, Openable: true, Suspects: loose(70)},
			""},
		"the opening, and rows without a day":  {finance.ProofSpan{First: true, Openable: true, Doubtful: true}, ""},
		"the opening, and days without a file": {finance.ProofSpan{First: true, Openable: true, Uncovered: hole}, ""},
	} {
		test.span.Bank, test.span.Items = 100, 30
		got := finance.Explain(70, []finance.ProofSpan{test.span}, nil)
		if test.want == "" && got != nil || test.want != "" && (len(got) != 1 || got[0].Kind != test.want ||
			got[0].Amount != 70) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	facts := []finance.Explanation{{Kind: finance.DeletedItems, Amount: 5},
		{Kind: finance.ManualTransactions, Amount: -15}, {Kind: finance.EditedItems}}
	got := finance.Explain(60, []finance.ProofSpan{{Bank: 100, Items: 30, Uncovered: hole}, {Bank: 8, Items: 8}}, facts)
	if len(got) != 3 || got[0].Kind != finance.MissingPeriod || got[1].Kind != finance.ManualTransactions ||
		got[2].Kind != finance.DeletedItems {
		t.Errorf("together: %+v", got)
	}
	if got := finance.Explain(61, []finance.ProofSpan{{Bank: 100, Items: 30, Uncovered: hole}}, facts); got != nil {
		t.Errorf("a cent is missing: %+v", got)
	}
}

func TestAnOpeningBalanceTakesAllButLaterItems(t *testing.T) {
	t.Parallel()
	difference := finance.Sum("12.50")
	for name, c := range map[string]struct {
		explained []finance.Explanation
		want      finance.Amount
	}{
		"nothing explained": {nil, 12_50},
		"its own part":      {[]finance.Explanation{{Kind: finance.OpeningBalance, Amount: 12_50}}, 12_50},
		"a typed one too": {
			[]finance.Explanation{{Kind: finance.OpeningBalance, Amount: 10_00},
				{Kind: finance.ManualTransactions, Amount: 2_50}}, 12_50},
		"later items": {[]finance.Explanation{{Kind: finance.OpeningBalance, Amount: 10_00},
			{Kind: finance.LaterItems, Amount: 2_50}}, 10_00},
	} {
		p := finance.BalanceProof{Difference: &difference, Explanations: c.explained}
		if got, fits := p.Opening(); got != c.want || !fits {
			t.Errorf("%s: %d, %v, want %d", name, got, fits, c.want)
		}
	}
}
