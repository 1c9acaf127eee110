package finance

import (
	"cmp"
	"fmt"
	"slices"

	"bordero/finance/taxid"
	"bordero/internal/messages"
)

// Bounds of the search for suggestions.
const (
	// SuggestionWindow is the maximum distance in days between a record and each record suggested
	// with it.
	SuggestionWindow = 7
	// MaxSuggestedParts is the maximum number of records that add up to one.
	MaxSuggestedParts = 5
	// MaxSuggestionCandidates is the maximum number of records tried with one.
	MaxSuggestionCandidates = 30
	// MaxSuggestionRecords is the maximum number of records of each side in one search.
	MaxSuggestionRecords = 20_000
)

// Movement has the fields that Suggest and rules need of a transaction, or of a financial account
// that is not reconciled.
type Movement struct {
	ID                  int64
	DepositAccountID    int64 // of a transaction
	OccurredAt          Date
	Amount              Amount // negative for a payment
	Document            string
	Text                string // descriptions and names
	EndToEndID          string // this and the next two as in Identifiers
	TxID                string
	CounterpartDocument string // of an account that of its person
	CounterpartName     string // of a transaction, as the bank wrote it; of an account the name of its person
	PersonID            *int64 // of an account
	CategoryID          *int64 // of an account
	Open                bool   // an outstanding account: its day is the due date, its amount the amount due
	Nominal             Amount // of an outstanding account, without interest, fine and discount; never negative
}

// Elsewhere counts the open transactions of an amount on a day of a deposit account that are not among those
// to suggest something for: they are of another deposit account, or beyond the period.
type Elsewhere struct {
	DepositAccountID int64
	OccurredAt       Date
	Amount           Amount
	Count            int64
}

// SharedAmounts has the amounts that records of both sides of a search have, each once, and the first and the
// last day of the second side's records of these amounts: transactions elsewhere are rivals around these days.
type SharedAmounts struct {
	Amounts     []Amount
	First, Last Date
}

// SharedBy returns the amounts that transactions share with accounts.
func SharedBy(transactions, accounts []Movement) (s SharedAmounts) {
	shared := map[Amount]bool{} // false: of transactions alone, so far
	for _, t := range transactions {
		shared[t.Amount] = false
	}
	for _, a := range accounts {
		known, has := shared[a.Amount]
		if !has {
			continue
		}
		if len(s.Amounts) == 0 || a.OccurredAt.Before(s.First) {
			s.First = a.OccurredAt
		}
		if len(s.Amounts) == 0 || a.OccurredAt.After(s.Last) {
			s.Last = a.OccurredAt
		}
		if !known {
			shared[a.Amount], s.Amounts = true, append(s.Amounts, a.Amount)
		}
	}
	return s
}

// Suggestion is a set of accounts and transactions that probably belong together: one of each, or
// one record and up to MaxSuggestedParts that add up to it.
type Suggestion struct {
	AccountIDs, TransactionIDs []int64
	NewAccounts                []FinancialAccount // accounts to make; a rule's
	Adjustments                []Adjustment       // of an account that was paid with a usual difference
	RuleID                     *int64             // the rule that proposes it; nil without a rule
	Settles                    []int64            // the outstanding accounts among AccountIDs
	Score                      int64              // 0 to 100
	Rivals                     int64              // how many other records, or sums, would have fitted
	Reasons                    []string           // texts for the user

	Accounts     []FinancialAccount // the records of AccountIDs and TransactionIDs, filled in by storage
	Transactions []FinancialTransaction
}

// Points of a score. Equal amounts give a pair 60 points, and 10 less for each further
// part of a group.
const (
	dayPoints      = 20 // on the same day, decreasing to 0 at the end of the window
	endToEndPoints = 20
	chargePoints   = 20
	documentPoints = 10
	taxIDPoints    = 10 // the same counterpart
	textPoints     = 10
	openPoints     = -5 // an account that was paid or received is likelier than an outstanding one
	mostPoints     = 100

	// BlindScore is the least score of a suggestion that may be accepted without looking, if it has no rivals:
	// none of 1,000 made-up months has a wrong one (TestNothingOfAMonthIsSuggestedWrongly).
	BlindScore = 90
	strong     = 70 // pairs and groups this strong are taken before weaker ones
	weak       = 40 // the minimum; groups of four and five need more than a matching sum
)

// Suggest returns the records that probably belong together, and the proposals of the rules, which
// are in their order; best first. A payment that differs from the amount due follows, where the payer
// is certain and the difference is a usual one; charges are the bounds of the entity. Transactions elsewhere
// are counted as rivals, and not suggested. The result does not depend on the order of the other arguments,
// and no record is in two suggestions. Zero amounts are ignored.
func Suggest(charges LateCharges, rules []ReconciliationRule, transactions, accounts []Movement,
	elsewhere []Elsewhere) []Suggestion {
	m := newMatcher(transactions, accounts)
	m.elsewhere = elsewhere
	proposed, _ := m.applyRules(rules)
	m.overdue()
	for _, least := range []int{strong, weak} {
		m.takeProposed(proposed)
		for _, key := range []keyOf{byEndToEndID, byCharge, byDocument, byTaxID, byAmount} {
			m.pairs(least, key)
		}
		if least == weak {
			m.differing(charges)
		}
		m.groups(least, m.transactions, m.accounts, false)
		m.groups(least, m.accounts, m.transactions, true)
	}
	m.takeProposed(proposed)
	return m.best()
}

// entry is a movement prepared for comparisons.
type entry struct {
	id       int64
	line     int // position in its side's order by day and id
	day      int
	amount   Amount
	document int32 // this and the next three are numbers of the dictionary; 0 if absent
	endToEnd int32
	charge   int32
	taxID    int32 // of the counterpart
	certain  bool  // taxID is a valid CPF or CNPJ
	words    []int32
	open     bool
	used     bool
	of       *Movement
}

func entries(words dictionary, movements []Movement) []*entry {
	movements = slices.DeleteFunc(slices.Clone(movements), func(m Movement) bool { return m.Amount == 0 })
	slices.SortFunc(movements, func(a, b Movement) int {
		return cmp.Or(a.OccurredAt.Compare(b.OccurredAt), cmp.Compare(a.ID, b.ID))
	})
	all := make([]*entry, len(movements))
	for i := range movements {
		all[i] = words.entry(&movements[i], i)
	}
	return all
}

func (d dictionary) entry(m *Movement, line int) *entry {
	return &entry{
		id: m.ID, line: line, day: m.OccurredAt.day(), amount: m.Amount,
		document: d.document(m.Document), endToEnd: d.key(m.EndToEndID), charge: d.key(m.TxID),
		taxID: d.key(m.CounterpartDocument), certain: taxid.Valid(m.CounterpartDocument),
		words: d.words(m.Text), open: m.Open, of: m,
	}
}

type matcher struct {
	transactions, accounts []*entry
	elsewhere              []Elsewhere
	window                 int // the maximum distance in days of a pair
	score                  func(match) int
	reasons                func(match) []string
	found                  []Suggestion
}

// best returns the suggestions, best first.
func (m *matcher) best() []Suggestion {
	m.countRivals()
	slices.SortFunc(m.found, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.TransactionIDs[0], b.TransactionIDs[0]))
	})
	return m.found
}

func newMatcher(transactions, accounts []Movement) matcher {
	words := dictionary{}
	return matcher{
		transactions: entries(words, transactions), accounts: entries(words, accounts),
		window: SuggestionWindow, score: match.score, reasons: match.reasons,
	}
}

// match is one record and the records that add up to it.
type match struct {
	one      *entry
	parts    []*entry
	turned   bool // one is an account, and the parts are transactions
	days     int  // distance of the farthest part
	document bool // all parts have the same document
	endToEnd bool // all parts are the same Pix
	charge   bool // all parts are of the same Pix charge
	taxID    bool // all parts have the same counterpart
	named    bool // the bank's text has the whole name of the account's person
	text     int  // mean likeness of the parts, in per cent
	open     bool // one of the accounts is outstanding
	rivals   int  // other groups of parts with the same sum; of a pair without a difference see countRivals

	difference *difference // of a pair whose amounts differ
}

func newMatch(one *entry, parts []*entry, turned bool) match {
	m := match{one: one, parts: parts, turned: turned, open: one.open,
		document: true, endToEnd: one.endToEnd != 0, charge: one.charge != 0, taxID: one.taxID != 0}
	for _, p := range parts {
		m.days = max(m.days, apart(one, p))
		m.document = m.document && one.documented(p)
		m.endToEnd = m.endToEnd && one.endToEnd == p.endToEnd
		m.charge = m.charge && one.charge == p.charge
		m.taxID = m.taxID && one.taxID == p.taxID
		m.open = m.open || p.open
		m.text += likeness(one.words, p.words)
	}
	m.text /= len(parts)
	return m
}

// contradicts reports whether the counterparts of two records are certainly not the same.
func (e *entry) contradicts(other *entry) bool {
	return e.certain && other.certain && e.taxID != other.taxID
}

func apart(a, b *entry) int { return max(a.day-b.day, b.day-a.day) }

// documented reports whether both have the same document, or one has the other's in its text.
func (e *entry) documented(other *entry) bool {
	has := func(a, b *entry) bool {
		if a.document == 0 {
			return false
		}
		_, said := slices.BinarySearch(b.words, a.document)
		return said || a.document == b.document
	}
	return has(e, other) || has(other, e)
}

func (m match) score() int {
	score := 70 - 10*len(m.parts) + dayPoints*max(SuggestionWindow-m.days, 0)/SuggestionWindow + textPoints*m.text/100
	for _, part := range []struct {
		has    bool
		points int
	}{
		{m.endToEnd, endToEndPoints}, {m.charge, chargePoints}, {m.document, documentPoints}, {m.taxID, taxIDPoints},
		{m.open, openPoints},
	} {
		if part.has {
			score += part.points
		}
	}
	sure := m.endToEnd || m.charge
	switch {
	case m.difference != nil: // several kinds may explain it: somebody has to look
		return min(score, BlindScore-1)
	case !sure && slices.ContainsFunc(m.parts, m.one.contradicts): // numbers of documents repeat
		return min(score, BlindScore-1)
	}
	return min(score, mostPoints)
}

func (m match) suggestion() Suggestion {
	s := Suggestion{AccountIDs: []int64{}, TransactionIDs: []int64{m.one.id}, Rivals: int64(m.rivals)}
	for _, p := range m.parts {
		s.AccountIDs = append(s.AccountIDs, p.id)
	}
	for _, e := range append([]*entry{m.one}, m.parts...) {
		if e.open {
			s.Settles = append(s.Settles, e.id)
		}
	}
	slices.Sort(s.Settles)
	slices.Sort(s.AccountIDs)
	if m.difference != nil {
		s.Adjustments = []Adjustment{m.difference.adjustment}
	}
	if m.turned {
		s.AccountIDs, s.TransactionIDs = s.TransactionIDs, s.AccountIDs
	}
	return s
}

func (m match) reasons() []string {
	sum := messages.SumOfAccountsf
	if m.turned {
		sum = messages.SumOfTransactionsf
	}
	reasons := []string{messages.SameAmount}
	if len(m.parts) > 1 {
		reasons[0] = fmt.Sprintf(sum, len(m.parts))
	} else if m.difference != nil {
		reasons[0] = m.difference.reason
	}
	reasons = append(reasons, messages.DaysApart(m.days))
	for _, part := range []struct {
		has    bool
		reason string
	}{
		{m.endToEnd, messages.SameEndToEndID}, {m.charge, messages.SameCharge}, {m.document, messages.SameDocument},
		{m.taxID, messages.SameTaxID}, {m.named, messages.WholeName}, {m.text >= 50 && !m.named, messages.LikeText},
		{m.open, messages.StillOpen},
	} {
		if part.has {
			reasons = append(reasons, part.reason)
		}
	}
	return reasons
}

// countRivals sets how many other records of the same amount would have fitted each pair: accounts
// within the window of its transaction, and transactions, elsewhere too, within that of its account. A side of
// a transfer has none in the deposit account of the other. A new account of a rule has no rivals; pairs with
// a difference have theirs.
func (m *matcher) countRivals() {
	of := func(entries []*entry) (days map[Amount][]int, byID map[int64]*entry) {
		days, byID = map[Amount][]int{}, map[int64]*entry{}
		for _, e := range entries { // in order of day
			days[e.amount], byID[e.id] = append(days[e.amount], e.day), e
		}
		return days, byID
	}
	within := func(days []int, day int) int64 {
		from, _ := slices.BinarySearch(days, day-m.window)
		to, _ := slices.BinarySearch(days, day+m.window+1)
		return int64(to - from)
	}
	transactionDays, transactions := of(m.transactions)
	accountDays, accounts := of(m.accounts)
	type amountOfDay struct {
		amount Amount
		day    int
	}
	elsewhere := map[amountOfDay][]Elsewhere{}
	for _, e := range m.elsewhere {
		at := amountOfDay{e.Amount, e.OccurredAt.day()}
		elsewhere[at] = append(elsewhere[at], e)
	}
	for i := range m.found {
		s := &m.found[i]
		if s.Adjustments != nil || len(s.AccountIDs) != 1 || len(s.TransactionIDs) > 1 {
			continue
		}
		t, a := transactions[s.TransactionIDs[0]], accounts[s.AccountIDs[0]]
		s.Rivals = within(accountDays[t.amount], t.day) + within(transactionDays[a.amount], a.day)
		if apart(t, a) <= m.window { // else an overdue account, which neither counted
			s.Rivals -= 2
		}
		for day := a.day - m.window; day <= a.day+m.window; day++ {
			for _, e := range elsewhere[amountOfDay{a.amount, day}] {
				if e.DepositAccountID != a.of.DepositAccountID {
					s.Rivals += e.Count
				}
			}
		}
	}
}

// take adds a match to the suggestions and marks its records as used.
func (m *matcher) take(found match) {
	found.one.used = true
	for _, p := range found.parts {
		p.used = true
	}
	s := found.suggestion()
	s.Score, s.Reasons = int64(m.score(found)), m.reasons(found)
	m.found = append(m.found, s)
}
