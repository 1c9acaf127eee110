package finance

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"

	"bordero/finance/taxid"
	"bordero/internal/messages"
)

// Candidate is a transaction, or a payable or receivable account, that is not reconciled, as the
// worker decides on it.
type Candidate struct {
	Movement            // DepositAccountID of an account is that in which it is expected; 0 for any
	Unattended   bool   // a transaction of a deposit account with AutomaticReconciliation
	LeftToPeople bool   // a transaction of which a person undid a reconcile
	Version      int64  // of the row as it was read; Decide ignores it
	member       member // of the work of Decide
}

// Decision is the reconciliation of one transaction without a person, with the one account that it
// paid.
type Decision struct {
	Transaction *Candidate
	Account     *Candidate          // nil: a new one, with the attributes of the rule
	Rule        *ReconciliationRule // nil: they share an identifier that nothing else has
	Reasons     []string            // texts for the user
}

// member holds the findings of Decide about a candidate.
type member struct {
	account bool
	day     int
	keys    []sharedKey
	rule    *ReconciliationRule // the automatic one that decides on the transaction
	meets   bool                // an account shares an identifier with the transaction
	linked  *Candidate          // one that shares an identifier
	rivals  bool                // there are several, or a new account would repeat it
	claims  int                 // of transactions that a rule may match with the account
	taken   bool
}

// Decide returns the reconciliations of an entity that need no person, in the order of their
// transactions. rules are all rules of the entity, in their order. The first rule that fits a
// transaction decides on it, if the rule is automatic. A transaction without such a rule, of a
// deposit account that is reconciled automatically, needs a linked account: of equal amount, within
// the window, with the same document, end-to-end id, txid or counterpart.
//
// A transaction and an account are reconciled only if neither is linked with a third record, the bank
// names no other account (leaveNamed), and no overdue account could be meant (leaveLate). Where they share
// a document alone, their counterparts must not differ (disputed). An account is
// made only for a transaction without linked accounts, if no existing account fits better than a new one
// (fitting).
//
// So no decision changes another: decisions may be applied in any order, or only in part. The work
// grows with the number of records, even if all are alike.
func Decide(transactions, accounts []Candidate, rules []ReconciliationRule) (decided []Decision) {
	open, bills := prepared(transactions, false), prepared(accounts, true)
	for _, group := range byKey(open, bills) {
		meet(group)
	}
	open, decided = makeAccounts(open, bills, rules)
	for _, group := range byKey(open, bills) {
		link(group)
	}
	for _, t := range open {
		a := t.member.linked
		if t.Unattended && !t.LeftToPeople && t.member.rule == nil && a != nil && a.member.account &&
			t.onlyLinkedWith(a) && a.payableBy(t) && !t.disputed(a) {
			a.member.taken = true
			decided = append(decided, Decision{Transaction: t, Account: a, Reasons: reasons(t, a)})
		}
	}
	decided = leaveNamed(append(decided, matchByRules(open, bills)...), bills)
	slices.SortFunc(decided, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(a.Transaction.member.day, b.Transaction.member.day),
			cmp.Compare(a.Transaction.ID, b.Transaction.ID))
	})
	return leaveLate(decided, bills)
}

// makeAccounts sets the rules of transactions, after meet has marked them. It returns the decisions
// to make an account, and the transactions that are left.
func makeAccounts(transactions, accounts []*Candidate, rules []ReconciliationRule) (left []*Candidate,
	decided []Decision) {
	existing := sync.OnceValue(func() *existing { return newExisting(accounts) })
	for _, t := range transactions {
		rule := FirstFitting(rules, &t.Movement)
		if rule == nil || !rule.Automatic || t.LeftToPeople {
			left = append(left, t)
			continue
		}
		t.member.rule = rule
		if !rule.NewAccount || t.member.meets || existing().fitting(t) {
			left = append(left, t)
			continue
		}
		decided = append(decided, Decision{Transaction: t, Rule: rule, Reasons: []string{
			fmt.Sprintf(messages.ByRulef, rule.Name), messages.MadeAccount}})
	}
	return left, decided
}

// leaveLate removes the decisions on transactions that may have paid an older outstanding account,
// of the same amount and identifier and from before the window. For example, a customer with a
// monthly fee pays last month's fee first. Two accounts do not count: the account of the decision
// itself, which a rule may find before the window, and an account that an earlier decision
// reconciles.
func leaveLate(decided []Decision, accounts []*Candidate) []Decision {
	open, reconciled := byKey(nil, accounts), map[*Candidate]bool{}
	waiting := func(accounts []*Candidate) []*Candidate {
		for len(accounts) > 0 && (reconciled[accounts[0]] || !accounts[0].Open) {
			accounts = accounts[1:]
		}
		return accounts
	}
	return slices.DeleteFunc(decided, func(d Decision) bool {
		if d.Account == nil {
			return false
		}
		for _, k := range d.Transaction.member.keys {
			open[k] = waiting(open[k])
			others := open[k]
			if len(others) > 0 && others[0] == d.Account {
				others = waiting(others[1:])
			}
			if len(others) > 0 && others[0].member.day < d.Transaction.member.day-SuggestionWindow {
				return true
			}
		}
		reconciled[d.Account] = true
		return false
	})
}

// debtName identifies the accounts that a bank's text may mean, by their counterpart and document.
type debtName struct {
	counterpart, document string
	payable               bool
}

// leaveNamed removes the decisions on transactions that share only the counterpart with their account, while the bank
// names the document of another account of that counterpart, of whatever amount. For example, 987.90 for "TITULO 1463"
// may have paid invoice 1463, of 1,110.00 less withheld tax, although invoice 1487 is of 987.90. Accounts that are
// linked with a record, or that a rule matches, do not count: then decisions may be applied in part.
func leaveNamed(decided []Decision, accounts []*Candidate) []Decision {
	matched, named := map[*Candidate]bool{}, map[debtName]bool{}
	for _, d := range decided {
		matched[d.Account] = d.Rule != nil
	}
	for _, a := range accounts {
		if document := documentKey(a.Document); document != "" && a.member.linked == nil && !matched[a] {
			named[debtName{a.CounterpartDocument, document, a.Amount < 0}] = true
		}
	}
	return slices.DeleteFunc(decided, func(d Decision) bool {
		t := d.Transaction
		if d.Rule != nil || t.CounterpartDocument == "" || t.sharesMore(d.Account, messages.SameTaxID) {
			return false
		}
		words := append(split(t.Text), documentKey(t.Document))
		for i := range words {
			words[i] = strings.TrimLeft(words[i], "0")
		}
		own := documentKey(d.Account.Document)
		return (own == "" || !slices.Contains(words, own)) && slices.ContainsFunc(words, func(word string) bool {
			return named[debtName{t.CounterpartDocument, word, t.Amount < 0}]
		})
	})
}

// sharesMore reports whether a transaction shares with an account more than the identifier of a reason.
func (c *Candidate) sharesMore(account *Candidate, reason string) bool {
	return slices.ContainsFunc(c.member.keys, func(k sharedKey) bool {
		return k.reason != reason && slices.Contains(account.member.keys, k)
	})
}

// disputed reports whether a transaction shares at most the document with an account of another counterpart:
// numbers of different people's documents are often equal, and a few digits long.
func (c *Candidate) disputed(account *Candidate) bool {
	return c.CounterpartDocument != account.CounterpartDocument && !c.sharesMore(account, messages.SameDocument) &&
		taxid.Valid(c.CounterpartDocument) && taxid.Valid(account.CounterpartDocument)
}

// prepared returns the candidates, by day, with the members that Decide needs.
func prepared(candidates []Candidate, account bool) []*Candidate {
	all := make([]*Candidate, 0, len(candidates))
	for i := range candidates {
		c := &candidates[i]
		c.member = member{account: account, day: c.OccurredAt.day(), keys: c.sharedKeys()}
		if c.Amount != 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Candidate) int { return cmp.Compare(a.member.day, b.member.day) })
	return all
}

// Reach returns the distance in days from a transaction within which Decide must see all records
// to decide on it. Of the time before it must see the outstanding accounts of the same amount.
func Reach(rules []ReconciliationRule) int {
	// Twice the distance: an account is that far from its transaction, and a rival that far from
	// the account.
	return 2 * max(2*SuggestionWindow, int(MatchWindow(rules)))
}

// sharedKey is an amount and an identifier that records may share if they belong together.
type sharedKey struct {
	amount Amount
	reason string
	text   string
}

func (c *Candidate) sharedKeys() (keys []sharedKey) {
	for _, k := range []sharedKey{
		{c.Amount, messages.SameDocument, documentKey(c.Document)},
		{c.Amount, messages.SameEndToEndID, strings.ToLower(c.EndToEndID)},
		{c.Amount, messages.SameCharge, c.TxID}, {c.Amount, messages.SameTaxID, c.CounterpartDocument},
	} {
		if k.text != "" {
			keys = append(keys, k)
		}
	}
	return keys
}

// byKey groups the records by the keys that they share, each group by day.
func byKey(transactions, accounts []*Candidate) map[sharedKey][]*Candidate {
	groups := map[sharedKey][]*Candidate{}
	for _, side := range [][]*Candidate{transactions, accounts} {
		for _, c := range side {
			for _, k := range c.member.keys {
				groups[k] = append(groups[k], c)
			}
		}
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b *Candidate) int { return cmp.Compare(a.member.day, b.member.day) })
	}
	return groups
}

// meet marks the transactions of one key that have an account within the window: the nearest one
// before them, or after.
func meet(group []*Candidate) {
	for _, one := range []func([]*Candidate) iter.Seq2[int, *Candidate]{
		slices.All[[]*Candidate], slices.Backward[[]*Candidate]} {
		var nearest *Candidate
		for _, c := range one(group) {
			if c.member.account {
				nearest = c
			} else if nearest != nil && c.apart(nearest) <= SuggestionWindow {
				c.member.meets = true
			}
		}
	}
}

// link links the records of one key with their neighbours within the window. A record between two
// neighbours gets rivals: of three records in a row, no two are linked only with each other.
func link(group []*Candidate) {
	for i, c := range group {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(group) && c.apart(group[j]) <= SuggestionWindow {
				c.member.rivals = c.member.rivals || c.member.linked != nil && c.member.linked != group[j]
				c.member.linked = group[j]
			}
		}
	}
}

func (c *Candidate) apart(other *Candidate) int {
	return max(c.member.day-other.member.day, other.member.day-c.member.day)
}

// onlyLinkedWith reports whether c and other are linked with each other at most.
func (c *Candidate) onlyLinkedWith(other *Candidate) bool {
	alone := func(c, other *Candidate) bool {
		return !c.member.rivals && (c.member.linked == nil || c.member.linked == other)
	}
	return alone(c, other) && alone(other, c)
}

// payableBy reports whether the account may be expected where the transaction is.
func (c *Candidate) payableBy(t *Candidate) bool {
	return c.DepositAccountID == 0 || c.DepositAccountID == t.DepositAccountID
}

func reasons(t, a *Candidate) []string {
	why := []string{messages.SameAmount, messages.DaysApart(t.apart(a))}
	for _, k := range t.member.keys {
		if slices.Contains(a.member.keys, k) {
			why = append(why, k.reason)
		}
	}
	if a.Open {
		why = append(why, messages.WasOpen)
	}
	return why
}

// choice is the accounts of one amount that a rule may match with transactions of a deposit
// account, by day.
type choice struct {
	accounts []*Candidate
	claims   []int // by how much the number of transactions that may take an account changes from the one before
}

// within returns the first of the accounts within the days of a transaction, and the first after
// them.
func (c *choice) within(t *Candidate) (from, to int) {
	day, days := t.member.day, int(t.member.rule.Days)
	from = sort.Search(len(c.accounts), func(i int) bool { return c.accounts[i].member.day >= day-days })
	to = sort.Search(len(c.accounts), func(i int) bool { return c.accounts[i].member.day > day+days })
	return from, to
}

// matchByRules decides on the transactions with a rule that matches: each that has one account to
// choose, which no other transaction can.
func matchByRules(transactions, accounts []*Candidate) (decided []Decision) {
	transactions = slices.DeleteFunc(slices.Clone(transactions), func(t *Candidate) bool {
		return t.member.rule == nil || !t.member.rule.Match
	})
	choices := choicesOf(transactions, accounts)
	for _, t := range transactions {
		c := choices[choiceOf(t)]
		from, to := c.within(t)
		c.claims[from]++
		c.claims[to]--
	}
	for _, c := range choices {
		sum := 0
		for i, a := range c.accounts {
			sum += c.claims[i]
			a.member.claims += sum
		}
	}
	for _, t := range transactions {
		c := choices[choiceOf(t)]
		from, to := c.within(t)
		if to-from != 1 || c.accounts[from].member.claims != 1 || !t.onlyLinkedWith(c.accounts[from]) {
			continue
		}
		why := append([]string{fmt.Sprintf(messages.ByRulef, t.member.rule.Name)}, reasons(t, c.accounts[from])...)
		decided = append(decided, Decision{Transaction: t, Account: c.accounts[from], Rule: t.member.rule,
			Reasons: why})
	}
	return decided
}

type choiceKey struct {
	rule, depositAccount int64
	amount               Amount
}

func choiceOf(t *Candidate) choiceKey {
	return choiceKey{t.member.rule.ID, t.DepositAccountID, t.Amount}
}

// choicesOf returns the choice of each transaction, without the accounts that are reconciled
// without a rule.
func choicesOf(transactions, accounts []*Candidate) map[choiceKey]*choice {
	byAmount := map[Amount][]*Candidate{}
	for _, a := range accounts { // by day
		if !a.member.taken {
			byAmount[a.Amount] = append(byAmount[a.Amount], a)
		}
	}
	choices := map[choiceKey]*choice{}
	for _, t := range transactions {
		if choices[choiceOf(t)] != nil {
			continue
		}
		c := &choice{}
		for _, a := range byAmount[t.Amount] {
			if a.payableBy(t) && t.member.rule.matches(&a.Movement) {
				c.accounts = append(c.accounts, a)
			}
		}
		c.claims = make([]int, len(c.accounts)+1)
		choices[choiceOf(t)] = c
	}
	return choices
}
