package finance

import (
	"cmp"
	"slices"
	"sort"
)

// pairRounds bounds how often transactions that lost their candidates to others try again. More
// than a few rounds happen only if hundreds of records within the window have the same amount.
const pairRounds = 4

// pairKey is the amount and identifier that the two records of a pair share.
type pairKey struct {
	amount     Amount
	identifier int32
}

// keyOf returns the key of a record, and whether it has one.
type keyOf func(*entry) (pairKey, bool)

func byAmount(e *entry) (pairKey, bool) { return pairKey{amount: e.amount}, true }

// byDocument finds records with the same document, among any number with the same amount.
// byEndToEndID, byCharge and byTaxID do so with these identifiers.
func byDocument(e *entry) (pairKey, bool) { return pairKey{e.amount, e.document}, e.document != 0 }

func byEndToEndID(e *entry) (pairKey, bool) { return pairKey{e.amount, e.endToEnd}, e.endToEnd != 0 }

func byCharge(e *entry) (pairKey, bool) { return pairKey{e.amount, e.charge}, e.charge != 0 }

func byTaxID(e *entry) (pairKey, bool) { return pairKey{e.amount, e.taxID}, e.taxID != 0 }

// indexed returns the unused records by key, each list in their order.
func indexed(entries []*entry, key keyOf) map[pairKey][]*entry {
	found := map[pairKey][]*entry{}
	for _, e := range entries {
		if k, has := key(e); has && !e.used {
			found[k] = append(found[k], e)
		}
	}
	return found
}

// pairs takes the pairs with equal keys and a score of at least least, best first.
func (m *matcher) pairs(least int, key keyOf) {
	for range pairRounds {
		proposed := m.propose(least, key)
		for _, p := range proposed {
			if !p.one.used && !p.part.used {
				m.take(newMatch(p.one, []*entry{p.part}, false))
			}
		}
		if len(proposed) == 0 {
			return
		}
	}
}

type pair struct {
	one, part *entry
	score     int
}

// propose tries each transaction with the accounts of its key.
func (m *matcher) propose(least int, key keyOf) (proposed []pair) {
	accounts := indexed(m.accounts, key)
	type place struct{ day, rank int }
	places := map[pairKey]place{} // by key: the day and rank within the day of the latest transaction
	for _, t := range m.transactions {
		k, has := key(t)
		if !has || t.used || len(accounts[k]) == 0 {
			continue
		}
		at := places[k]
		if at.day != t.day {
			at = place{day: t.day}
		}
		for _, a := range near(accounts[k], t.day, at.rank, m.window) {
			if score := m.score(newMatch(t, []*entry{a}, false)); score >= least {
				proposed = append(proposed, pair{t, a, score})
			}
		}
		at.rank++
		places[k] = at
	}
	slices.SortFunc(proposed, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.one.line, b.one.line),
			cmp.Compare(a.part.line, b.part.line))
	})
	return proposed
}

// firstOf returns the index of the first record of a day or later.
func firstOf(sorted []*entry, day int) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i].day >= day })
}

// between returns the records of the days from first to last.
func between(sorted []*entry, first, last int) []*entry {
	return sorted[firstOf(sorted, first):firstOf(sorted, last+1)]
}

// near returns the records within the window of a day. If there are more than
// MaxSuggestionCandidates, it returns the ones around the rank-th record of the day, so that each
// of a thousand equal records is tried with some transaction.
func near(sorted []*entry, day, rank, window int) []*entry {
	begin, end := firstOf(sorted, day-window), firstOf(sorted, day+window+1)
	if end-begin > MaxSuggestionCandidates {
		middle := firstOf(sorted, day) + rank
		begin = max(begin, min(middle-MaxSuggestionCandidates/2, end-MaxSuggestionCandidates))
		end = begin + MaxSuggestionCandidates
	}
	return sorted[begin:end]
}
