package finance_test

import (
	"testing"

	"bordero/finance"

	"pgregory.net/rapid"
)

// What the worker makes for a transaction is what the preview of its deposit account shows.
func TestOnlyWhatThePreviewShowsIsMade(t *testing.T) {
	t.Parallel()
	credit := finance.Credit
	rules := []finance.ReconciliationRule{{ID: 1, Type: &credit, Automatic: true, NewAccount: true}}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{3, 10, 80}).Draw(t, "most")
		side := func(name string, first int64, depositAccounts ...int64) []finance.Candidate {
			all := make([]finance.Candidate, rapid.IntRange(1, most).Draw(t, name))
			for i := range all {
				m := movement(first+int64(i), rapid.IntRange(1, 12).Draw(t, "day"),
					finance.Amount(rapid.IntRange(1, 2).Draw(t, "amount")),
					rapid.SampledFrom([]string{"ANA", "ana 777", "ANA BIA 888", ""}).Draw(t, "text"),
					rapid.SampledFrom([]string{"", "", "777", "NF 888"}).Draw(t, "document"))
				m.EndToEndID = rapid.SampledFrom([]string{"", "", "", pixID + "a", pixID + "A"}).Draw(t, "Pix")
				all[i] = candidate(m, in(rapid.SampledFrom(depositAccounts).Draw(t, "deposit account")),
					by(rapid.SampledFrom([]string{"", "", "", someone}).Draw(t, "counterpart")))
				all[i].Open = name == "accounts" && rapid.Bool().Draw(t, "open")
			}
			return all
		}
		transactions, accounts := side("transactions", 1, 1, 2), side("accounts", 1001, 0, 1, 2)
		shown := map[int64]bool{}
		for _, depositAccount := range []int64{1, 2} {
			proposed, _ := finance.ApplyRules(rules, movementsIn(transactions, depositAccount),
				append(movementsIn(accounts, 0), movementsIn(accounts, depositAccount)...), nil)
			for _, s := range proposed {
				shown[s.TransactionIDs[0]] = len(s.NewAccounts) == 1
			}
		}
		for _, d := range finance.Decide(transactions, accounts, rules) {
			if d.Account == nil && !shown[d.Transaction.ID] {
				t.Errorf("an account is made for %+v", d.Transaction.Movement)
			}
		}
	})
}

// movementsIn returns the movements of candidates of one deposit account.
func movementsIn(candidates []finance.Candidate, depositAccount int64) (found []finance.Movement) {
	for _, c := range candidates {
		if c.DepositAccountID == depositAccount {
			found = append(found, c.Movement)
		}
	}
	return found
}
