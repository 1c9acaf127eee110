package finance

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"bordero/internal/messages"
)

// What bounds the search for suggestions.
const (
	// SuggestionWindow is how many days a record and those suggested with it may
	// be apart.
	SuggestionWindow = 7
	// MaxSuggestedParts is how many records may add up to one.
	MaxSuggestedParts = 5
	// MaxSuggestionCandidates is how many records are tried with one.
	MaxSuggestionCandidates = 30
	// MaxSuggestionRecords is how many records of each side one search takes.
	MaxSuggestionRecords = 20_000
)

// Movement is what suggestions see of a transaction, or of an account that was
// paid or received.
type Movement struct {
	ID         int64
	OccurredAt Date
	Amount     Amount // negative for what was paid
	Document   string
	Text       string // descriptions and names
}

// Suggestion is accounts and transactions that are likely to belong together: one
// of each, or one with up to MaxSuggestedParts that add up to it.
type Suggestion struct {
	AccountIDs, TransactionIDs []int64
	Score                      int64    // 0 to 100
	Reasons                    []string // for the user

	Accounts     []FinancialAccount // the same, as storage reads them
	Transactions []FinancialTransaction
}

// Points of a score. Equal amounts give 60 to a pair, and 10 less for each further
// part of a group.
const (
	dayPoints      = 20 // on the same day; none at the end of the window
	documentPoints = 10
	textPoints     = 10

	strong = 70 // taken before what is weaker, be it pair or group
	weak   = 40 // the least: groups of four and five need more than their sum
)

// Suggest finds what belongs together, best first. The same records in any order
// give the same suggestions; no record is in two. Zero amounts are left out.
func Suggest(transactions, accounts []Movement) []Suggestion {
	words := dictionary{}
	m := matcher{transactions: entries(words, transactions), accounts: entries(words, accounts)}
	for _, least := range []int{strong, weak} {
		m.pairs(least, byDocument)
		m.pairs(least, byAmount)
		m.groups(least, m.transactions, m.accounts, false)
		m.groups(least, m.accounts, m.transactions, true)
	}
	slices.SortFunc(m.found, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.TransactionIDs[0], b.TransactionIDs[0]))
	})
	return m.found
}

// entry is a movement made ready for comparisons.
type entry struct {
	id       int64
	line     int // by day and id, among those of its side
	day      int
	amount   Amount
	document int32
	words    []int32
	used     bool
}

func entries(words dictionary, movements []Movement) []*entry {
	movements = slices.DeleteFunc(slices.Clone(movements), func(m Movement) bool { return m.Amount == 0 })
	slices.SortFunc(movements, func(a, b Movement) int {
		return cmp.Or(a.OccurredAt.Compare(b.OccurredAt), cmp.Compare(a.ID, b.ID))
	})
	all := make([]*entry, len(movements))
	for i, m := range movements {
		all[i] = &entry{
			id: m.ID, line: i, day: int(m.OccurredAt.t.Unix() / int64(24*time.Hour/time.Second)), amount: m.Amount,
			document: words.document(m.Document), words: words.words(m.Text),
		}
	}
	return all
}

type matcher struct {
	transactions, accounts []*entry
	found                  []Suggestion
}

// match is one record with those that add up to it.
type match struct {
	one      *entry
	parts    []*entry
	turned   bool // one is an account, and the parts are transactions
	days     int  // that the farthest is apart
	document bool // of one of the parts
	text     int  // likeness
}

func newMatch(one *entry, parts []*entry, turned bool) match {
	m := match{one: one, parts: parts, turned: turned}
	for _, p := range parts {
		m.days = max(m.days, apart(one, p))
		m.document = m.document || one.documented(p)
		m.text += likeness(one.words, p.words)
	}
	m.text /= len(parts)
	return m
}

func apart(a, b *entry) int { return max(a.day-b.day, b.day-a.day) }

// documented tells whether both have the same document, or one says the other's in
// its text.
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
	score := 70 - 10*len(m.parts) + dayPoints*(SuggestionWindow-m.days)/SuggestionWindow + textPoints*m.text/100
	if m.document {
		score += documentPoints
	}
	return score
}

func (m match) suggestion() Suggestion {
	s := Suggestion{AccountIDs: []int64{}, TransactionIDs: []int64{m.one.id}, Score: int64(m.score())}
	for _, p := range m.parts {
		s.AccountIDs = append(s.AccountIDs, p.id)
	}
	slices.Sort(s.AccountIDs)
	sum := messages.SumOfAccountsf
	if m.turned {
		s.AccountIDs, s.TransactionIDs = s.TransactionIDs, s.AccountIDs
		sum = messages.SumOfTransactionsf
	}
	if len(m.parts) == 1 {
		s.Reasons = append(s.Reasons, messages.SameAmount)
	} else {
		s.Reasons = append(s.Reasons, fmt.Sprintf(sum, len(m.parts)))
	}
	s.Reasons = append(s.Reasons, messages.DaysApart(m.days))
	if m.document {
		s.Reasons = append(s.Reasons, messages.SameDocument)
	}
	if m.text >= 50 {
		s.Reasons = append(s.Reasons, messages.LikeText)
	}
	return s
}

// take suggests a match, and keeps its records from every other.
func (m *matcher) take(found match) {
	found.one.used = true
	for _, p := range found.parts {
		p.used = true
	}
	m.found = append(m.found, found.suggestion())
}
