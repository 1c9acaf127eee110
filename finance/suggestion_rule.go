package finance

import (
	"fmt"
	"slices"

	"bordero/internal/messages"
)

// ruleScore is the least score of a rule's proposal. No new account is made where an existing
// account scores more.
const ruleScore = 85

// proposal is a rule's proposal for a transaction.
type proposal struct {
	rule        *ReconciliationRule
	transaction *entry
	account     *entry // nil: a new one
}

// ApplyRules returns the proposals of the rules, which are in their order, for transactions: each
// alone, with a new account or with the only account that its rule matches. undecided are the ids
// of transactions that a rule fits without a proposal: no account matches, several do, or the new
// account seems to exist. Transactions elsewhere are counted as rivals.
func ApplyRules(rules []ReconciliationRule, transactions, accounts []Movement, elsewhere []Elsewhere) (
	proposed []Suggestion, undecided []int64) {
	m := newMatcher(transactions, accounts)
	m.elsewhere = elsewhere
	proposals, left := m.applyRules(rules)
	x := m.index()
	for _, p := range proposals {
		if p.account == nil && x.better(p.transaction) {
			left = append(left, p.transaction)
			continue
		}
		m.found = append(m.found, p.suggestion())
	}
	m.countRivals()
	for _, t := range left {
		undecided = append(undecided, t.id)
	}
	slices.Sort(undecided)
	return m.found, undecided
}

// applyRules returns the proposals of the rules, and the transactions without a unique account.
func (m *matcher) applyRules(rules []ReconciliationRule) (proposals []proposal, undecided []*entry) {
	if len(rules) == 0 {
		return nil, nil
	}
	accounts := indexed(m.accounts, byAmount)
	claims := map[*entry]int{} // transactions of an account
	for _, t := range m.transactions {
		r := FirstFitting(rules, t.of)
		if r == nil {
			continue
		}
		p := proposal{rule: r, transaction: t}
		if r.Match {
			if p.account = r.match(t, accounts[pairKey{amount: t.amount}]); p.account == nil {
				undecided = append(undecided, t)
				continue
			}
			claims[p.account]++
		}
		proposals = append(proposals, p)
	}
	unique := proposals[:0]
	for _, p := range proposals {
		if p.account != nil && claims[p.account] > 1 {
			undecided = append(undecided, p.transaction)
			continue
		}
		unique = append(unique, p)
	}
	return unique, undecided
}

// matches reports whether the rule may match an account of the right amount and day.
func (r *ReconciliationRule) matches(a *Movement) bool {
	return (r.CategoryID == nil || SameID(r.CategoryID, a.CategoryID)) &&
		(r.PersonID == nil || SameID(r.PersonID, a.PersonID))
}

// match returns the only account, among those of the amount of a transaction, that the rule
// matches; nil for zero or several.
func (r *ReconciliationRule) match(t *entry, accounts []*entry) (only *entry) {
	for _, a := range accounts {
		if apart(a, t) > int(r.Days) || !r.matches(a.of) {
			continue
		}
		if only != nil {
			return nil
		}
		only = a
	}
	return only
}

// AccountOf returns the account that the rule makes for a transaction of the amount, without the
// values that follow from the transaction.
func (r *ReconciliationRule) AccountOf(amount Amount) FinancialAccount {
	return FinancialAccount{
		Amount: amount.Abs(), References: r.References, Description: r.Description, Document: r.Document,
		Observation: r.Observation,
	}
}

// suggestion returns the proposal for the user.
func (p proposal) suggestion() Suggestion {
	s := Suggestion{AccountIDs: []int64{}, TransactionIDs: []int64{p.transaction.id}}
	because := []string{fmt.Sprintf(messages.ByRulef, p.rule.Name)}
	if p.account != nil {
		m := newMatch(p.transaction, []*entry{p.account}, false)
		s = m.suggestion()
		s.Score, s.Reasons = int64(m.score()), append(because, m.reasons()...)
	} else {
		s.Reasons = append(because, messages.MakesAccount)
		s.NewAccounts = []FinancialAccount{p.rule.AccountOf(p.transaction.amount)}
	}
	s.RuleID, s.Score = &p.rule.ID, max(s.Score, ruleScore)
	return s
}

// takeProposed takes the proposals for transactions that are not used, except for a new account
// that seems to exist.
func (m *matcher) takeProposed(proposals []proposal) {
	if len(proposals) == 0 {
		return
	}
	x := m.index()
	for _, p := range proposals {
		switch a := p.account; {
		case p.transaction.used, a != nil && a.used, a == nil && x.better(p.transaction):
			continue
		case a != nil:
			a.used = true
		}
		p.transaction.used = true
		m.found = append(m.found, p.suggestion())
	}
}

// identifying are the keys by which two records are the same payment if no other has them.
var identifying = []keyOf{byEndToEndID, byCharge, byDocument, byTaxID}

// index has the unused records of a matcher by amount, and by each of identifying.
type index struct {
	accounts                            map[pairKey][]*entry
	identifiedAccounts, identifiedMoves []map[pairKey][]*entry
}

func (m *matcher) index() index {
	x := index{accounts: indexed(m.accounts, byAmount)}
	for _, key := range identifying {
		x.identifiedAccounts = append(x.identifiedAccounts, indexed(m.accounts, key))
		x.identifiedMoves = append(x.identifiedMoves, indexed(m.transactions, key))
	}
	return x
}

// better reports whether an unused account fits a transaction better than a new one: it scores more,
// or it alone has the amount and an identifier of the transaction, and the transaction alone its.
func (x index) better(t *entry) bool {
	unused := func(near []*entry) []*entry {
		return slices.DeleteFunc(slices.Clone(near), func(e *entry) bool { return e.used })
	}
	for i, key := range identifying {
		if k, has := key(t); has {
			found := unused(near(x.identifiedAccounts[i][k], t.day, 0, SuggestionWindow))
			if len(found) == 1 && len(unused(near(x.identifiedMoves[i][k], found[0].day, 0, SuggestionWindow))) == 1 {
				return true
			}
		}
	}
	return slices.ContainsFunc(betterThanNew(t, x.accounts[pairKey{amount: t.amount}]), func(a *entry) bool {
		return !a.used
	})
}

// betterThanNew returns the accounts that score more than a new one, among the accounts of the
// amount of a transaction, which are in their order. Decide and ApplyRules have it in common.
func betterThanNew(t *entry, accounts []*entry) (found []*entry) {
	for _, a := range near(accounts, t.day, 0, SuggestionWindow) {
		if newMatch(t, []*entry{a}, false).score() > ruleScore {
			found = append(found, a)
		}
	}
	return found
}

// MaxPreviewed bounds each of the two lists of a preview.
const MaxPreviewed = 100

// RulePreview is the effect that a rule would have on the open transactions of a period.
type RulePreview struct {
	TransactionsCount int64        // all that are open, whether the rule fits them or not
	ProposedCount     int64        // transactions with a proposal
	UndecidedCount    int64        // transactions that the rule fits, without a proposal; see ApplyRules
	Proposed          []Suggestion // the first MaxPreviewed
	Undecided         []FinancialTransaction
}

// MatchWindow returns the maximum distance, in days, between a transaction and an account that is
// suggested for it, or that one of the rules matches with it.
func MatchWindow(rules []ReconciliationRule) int64 {
	window := int64(SuggestionWindow)
	for _, r := range rules {
		if r.Match {
			window = max(window, r.Days)
		}
	}
	return window
}
