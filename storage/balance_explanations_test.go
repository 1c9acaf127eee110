package storage_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"bordero/finance"
	"bordero/storage/imports"

	"pgregory.net/rapid"
)

// Each of these is found alone and named, to the cent, with its record or days.
func TestADifferenceIsExplained(t *testing.T) {
	t.Parallel()
	moved := movement(4, 3, 1)
	for name, test := range map[string]struct {
		without []int
		plant   func(t *testing.T, m *months)
		kind    finance.ExplanationKind
		amount  finance.Amount
		check   func(t *testing.T, m *months, e finance.Explanation) bool
	}{
		"a wrong initial balance": {nil, func(t *testing.T, m *months) { m.initial(t, openingBalance-1234) },
			finance.OpeningBalance, 1234,
			func(t *testing.T, _ *months, e finance.Explanation) bool { return len(e.TransactionIDs) == 0 }},
		"a wrong initial balance, before a period that begins too late": {nil, func(t *testing.T, m *months) {
			m.initial(t, openingBalance-1234)
			m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET period_start = '%v' WHERE id = %d`, proofDay(3),
				m.statements[0]))
		}, finance.OpeningBalance, 1234, func(t *testing.T, _ *months, e finance.Explanation) bool { return true }},
		"a missing week": {[]int{5}, func(*testing.T, *months) {}, finance.MissingPeriod, sumOf(week(5)),
			func(t *testing.T, _ *months, e finance.Explanation) bool {
				return *e.Days == finance.Period{First: proofDay(36), Last: proofDay(42)}
			}},
		"an edited amount": {nil, func(t *testing.T, m *months) {
			m.change(t, moved, func(f *finance.FinancialTransaction) { f.Amount += 99 })
		}, finance.EditedItems, -99, func(t *testing.T, m *months, e finance.Explanation) bool {
			return slices.Equal(e.TransactionIDs, []int64{m.transaction(t, moved)}) &&
				slices.Equal(e.Items, []finance.ItemRef{{BankStatementID: m.statements[4], ID: 11}})
		}},
		"a day moved beyond the end": {nil, func(t *testing.T, m *months) {
			m.change(t, moved, func(f *finance.FinancialTransaction) { f.OccurredAt = proofDay(80) })
		}, finance.EditedItems, moved.Amount, func(t *testing.T, m *months, e finance.Explanation) bool {
			return slices.Equal(e.TransactionIDs, []int64{m.transaction(t, moved)})
		}},
		"a deleted row": {nil, func(t *testing.T, m *months) { m.change(t, moved, nil) }, finance.DeletedItems,
			moved.Amount,
			func(t *testing.T, m *months, e finance.Explanation) bool {
				return slices.Equal(e.Items, []finance.ItemRef{{BankStatementID: m.statements[4], ID: 11}})
			}},
		"a typed row": {nil, func(t *testing.T, m *months) { m.typed(t, proofDay(30), 777) },
			finance.ManualTransactions, -777,
			func(t *testing.T, m *months, e finance.Explanation) bool {
				return len(e.TransactionIDs) == 1 && len(e.Items) == 0
			}},
		"a file that came before its day ended": {nil, func(t *testing.T, m *months) {
			more := imports.StagedItem{Day: proofDay(63), Amount: 55, FITID: "LATE", Description: "PIX LATE"}
			m.file(t, 8, []imports.StagedItem{more})
		}, finance.LaterItems, -55, func(t *testing.T, _ *months, e finance.Explanation) bool {
			return len(e.Items) == 1
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMonths(t, test.without...)
			test.plant(t, m)
			p := m.proof(t)
			if p.Status != finance.ProofDiffers || len(p.Explanations) != 1 {
				t.Fatalf("%s by %s: %+v", p.Status, *p.Difference, p.Explanations)
			}
			e := p.Explanations[0]
			if e.Kind != test.kind || e.Amount != test.amount || string(*p.Difference) != test.amount.String() ||
				!test.check(t, m, e) {
				t.Errorf("differs by %s: %+v", *p.Difference, e)
			}
		})
	}
}

// A suspect duplicate that the bank counted is named, once of two files, until one of them brought it.
func TestASuspectExplainsADifference(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	twin := movement(4, 3, 1)
	twin.FITID, twin.Description = "NEW", "OUTRO PIX"
	for n := 4; n < 9; n++ {
		m.balances[n] += twin.Amount
		m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = %v WHERE id = %d`, m.balances[n],
			m.statements[n]))
	}
	other := m.file(t, 4, []imports.StagedItem{twin, movement(4, 6, 0)})
	m.file(t, 4, []imports.StagedItem{twin, movement(4, 6, 0)})
	p := m.proof(t)
	if len(p.Explanations) != 1 || p.Explanations[0].Kind != finance.SuspectDuplicates ||
		p.Explanations[0].Amount != twin.Amount ||
		!slices.Equal(p.Explanations[0].Items, []finance.ItemRef{{BankStatementID: other, ID: 1}}) {
		t.Errorf("differs by %s: %+v", *p.Difference, p.Explanations)
	}
	if _, err := m.importSuspects(t, other); err != nil {
		t.Fatal(err)
	}
	if p := m.proof(t); p.Status != finance.ProofAgrees {
		t.Errorf("differs by %s", *p.Difference)
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = ledger_balance + %v
		WHERE ledger_balance_on >= '%v'`, twin.Amount, proofDay(35)))
	if p := m.proof(t); p.Status != finance.ProofDiffers || len(p.Explanations) != 0 {
		t.Errorf("beside a third one of its amount, differs by %s: %+v", *p.Difference, p.Explanations)
	}
}

// What was edited before the last statement that agrees is no part of an explanation, however many
// statements differ since then.
func TestADifferenceIsExplainedSinceTheLastAgreement(t *testing.T) {
	t.Parallel()
	bank := newImports(t)
	for _, week := range []int{8, 7, 4} {
		m := bank.another(t).months(t)
		add := func(moved imports.StagedItem, by finance.Amount) {
			m.change(t, moved, func(f *finance.FinancialTransaction) { f.Amount += by })
		}
		add(movement(1, 1, 1), 50)
		add(movement(1, 2, 1), -50)
		add(movement(week, 1, 1), 7)
		p, edited := m.proof(t), m.transaction(t, movement(week, 1, 1))
		if len(p.Explanations) != 1 || p.Explanations[0].Kind != finance.EditedItems ||
			!slices.Equal(p.Explanations[0].TransactionIDs, []int64{edited}) {
			t.Errorf("edited in week %d, differs by %s: %+v", week, *p.Difference, p.Explanations)
		}
	}
}

// A part of any amount is claimed only where nothing else may be a part of it. Week 5 is missing, or the
// initial balance is wrong, and something else may be, too.
func TestAnyAmountIsClaimedOnlyWhereNothingElseFits(t *testing.T) {
	t.Parallel()
	set := func(t *testing.T, m *months, n int, columns string) {
		m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET %s WHERE id = %d`, columns, m.statements[n]))
	}
	number := func(t *testing.T, m *months, n int, account string) {
		set(t, m, n, `file_account_number = '`+account+`'`)
	}
	const missing, opening = finance.MissingPeriod, finance.OpeningBalance
	for name, test := range map[string]struct {
		without []int
		initial finance.Amount
		plant   func(t *testing.T, m *months)
		want    finance.ExplanationKind // none if it is ""
	}{
		"an item without a day, in the file before": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			set(t, m, 4, `invalid_date_items_ignored_count = 1`)
		}, missing},
		"an item without a day, in the file after": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			set(t, m, 5, `invalid_date_items_ignored_count = 1`)
		}, ""},
		"an item without a day, in the first file": {
			nil, 0, func(t *testing.T, m *months) { set(t, m, 0, `invalid_date_items_ignored_count = 1`) }, ""},
		"nothing else, in the first file": {nil, 0, func(*testing.T, *months) {}, opening},
		"a file of another account": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			number(t, m, 5, "2-2")
			number(t, m, 6, "1-1")
		}, ""},
		"a balance of another account": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			number(t, m, 4, "2-2")
			number(t, m, 6, "1-1")
		}, ""},
		"a file of another account, but long before": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			number(t, m, 1, "2-2")
			number(t, m, 6, "1-1")
		}, missing},
		"one number, written differently": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			number(t, m, 5, "0001.1")
			number(t, m, 6, "1-1")
		}, missing},
		"a cheque of a missing day, with a later file": {[]int{5}, openingBalance, func(t *testing.T, m *months) {
			late := imports.StagedItem{Day: proofDay(38), Amount: -70, FITID: "LATE", Description: "CHEQUE"}
			m.balances[8] -= 70
			m.file(t, 8, append(week(8), late))
		}, ""},
		"a cheque of the first week, with a later file": {nil, 0, func(t *testing.T, m *months) {
			m.balances[8] -= 70
			m.file(t, 8, append(week(8), imports.StagedItem{Day: proofDay(2), Amount: -70, FITID: "LATE",
				Description: "CHEQUE"}))
		}, ""},
		"a file without a period, that begins with known items": {
			[]int{5}, openingBalance, func(t *testing.T, m *months) {
				id := m.file(t, 6, append(week(4), week(6)[20:]...))
				m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET period_start = NULL, period_end = NULL WHERE id = %d`,
					id))
			}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMonths(t, test.without...)
			m.initial(t, test.initial)
			test.plant(t, m)
			of := 6 // week 7, before what is planted at the end
			if test.initial == 0 {
				of = 0
			}
			p := m.proofOf(t, m.statements[of])
			found := summary(p)
			var want []finance.ExplanationKind
			if test.want != "" {
				want = append(want, test.want)
			}
			if p.Status != finance.ProofDiffers || !slices.Equal(slices.Collect(maps.Keys(found)), want) {
				t.Errorf("%s by %s: %v", p.Status, *p.Difference, found)
			}
		})
	}
}

// The first file sent again, with its items before its period, is explained as at first.
func TestTheFirstFileSentAgainIsExplained(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	m.initial(t, 0)
	again := m.file(t, 0, week(0))
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET period_start = period_end WHERE id IN (%d, %d)`, m.statements[0],
		again))
	for _, id := range []int64{m.statements[0], again} {
		if p := m.proofOf(t, id); len(p.Explanations) != 1 || p.Explanations[0].Kind != finance.OpeningBalance ||
			p.Explanations[0].Amount != openingBalance {
			t.Errorf("%d differs by %s: %+v", id, *p.Difference, p.Explanations)
		}
	}
}

// Whatever is wrong together, a proof that explains names exactly what is wrong, and the amounts add
// up; one that agrees has nothing wrong.
func TestAnExplanationIsNeverWrong(t *testing.T) {
	t.Parallel()
	explained := 0
	bank := newImports(t)
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(r, name) }
		truth := map[finance.ExplanationKind]finance.Amount{}
		var without []int
		if draw("missing", 2) == 1 {
			n := 1 + draw("week", 7)
			without = []int{n}
			truth[finance.MissingPeriod] = sumOf(week(n))
		}
		m := bank.another(t).months(t, without...)
		there := func() imports.StagedItem {
			for {
				n := draw("changed week", 9)
				if !slices.Contains(without, n) {
					return movement(n, draw("day", 7), draw("number", 3))
				}
			}
		}
		if draw("wrong initial balance", 2) == 1 {
			truth[finance.OpeningBalance] = 4321
			m.initial(t, openingBalance-4321)
		}
		if draw("edited", 2) == 1 {
			m.change(t, there(), func(f *finance.FinancialTransaction) { f.Amount += 50 })
			truth[finance.EditedItems] = -50
		}
		if draw("deleted", 2) == 1 {
			gone := there()
			if d := m.value(t, fmt.Sprintf(`SELECT (amount * 100)::bigint FROM financial_transactions WHERE id = %d`,
				m.transaction(t, gone))); finance.Amount(d) != gone.Amount {
				delete(truth, finance.EditedItems) // it was the edited one
			}
			m.change(t, gone, nil)
			truth[finance.DeletedItems] = gone.Amount
		}
		if draw("typed", 2) == 1 {
			m.typed(t, there().Day, 888)
			truth[finance.ManualTransactions] = -888
		}
		// Banks write periods in their own ways; the items of each week are of all its days.
		written := []string{`period_start = period_start`, `period_start = period_end, period_end = period_start`,
			`period_start = period_end`,
			`period_end = period_start`, `period_start = period_start + 2, period_end = period_end - 2`,
			`period_start = NULL`, `period_end = NULL`}
		m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET %s WHERE deposit_account_id = %d`,
			written[draw("periods", len(written))], m.into.ID))
		doubled := draw("doubled", 2) == 1
		if doubled {
			w := draw("doubled week", 9)
			again := week(w)
			for i := range again {
				again[i].FITID, again[i].Description = fmt.Sprint("NEW", i), fmt.Sprint("NOVO ", i)
			}
			if !slices.Contains(without, w) {
				m.file(t, w, again)
			}
		}
		var wrong finance.Amount
		for _, amount := range truth {
			wrong += amount
		}
		p := m.proof(t)
		found := summary(p)
		switch {
		case string(*p.Difference) != wrong.String() || (p.Status == finance.ProofAgrees) != (wrong == 0):
			r.Fatalf("%s by %s, want %s", p.Status, *p.Difference, wrong)
		case len(found) > 0 && fmt.Sprint(found) != fmt.Sprint(truth):
			r.Fatalf("explained by %v, but it is %v", found, truth)
		case len(found) == 0 && wrong != 0 && !doubled:
			r.Fatalf("not explained: %v", truth)
		case len(found) > 0:
			explained++
		}
	})
	if explained == 0 {
		t.Error("nothing was explained")
	}
}
