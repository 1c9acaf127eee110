package finance

import (
	"cmp"
	"slices"
	"sort"
)

// pairRounds bounds how often those that lost their candidates to others look
// again: more than a few only where hundreds have one amount within the window.
const pairRounds = 4

// pairKey is what both of a pair have.
type pairKey struct {
	amount   Amount
	document int32
}

func byAmount(e *entry) (pairKey, bool) { return pairKey{amount: e.amount}, true }

// byDocument finds those of one document among any number of one amount.
func byDocument(e *entry) (pairKey, bool) {
	return pairKey{e.amount, e.document}, e.document != 0
}

// pairs takes the pairs of one key whose score is enough, best first.
func (m *matcher) pairs(least int, key func(*entry) (pairKey, bool)) {
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
func (m *matcher) propose(least int, key func(*entry) (pairKey, bool)) (proposed []pair) {
	accounts := map[pairKey][]*entry{}
	for _, a := range m.accounts {
		if k, has := key(a); has && !a.used {
			accounts[k] = append(accounts[k], a)
		}
	}
	type place struct{ day, rank int }
	places := map[pairKey]place{} // of the last transaction among those of its key and day
	for _, t := range m.transactions {
		k, has := key(t)
		if !has || t.used || len(accounts[k]) == 0 {
			continue
		}
		at := places[k]
		if at.day != t.day {
			at = place{day: t.day}
		}
		for _, a := range near(accounts[k], t.day, at.rank) {
			if score := newMatch(t, []*entry{a}, false).score(); score >= least {
				proposed = append(proposed, pair{t, a, score})
			}
		}
		at.rank++
		places[k] = at
	}
	slices.SortFunc(proposed, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.one.line, b.one.line), cmp.Compare(a.part.line, b.part.line))
	})
	return proposed
}

// near are those within the window of a day; of more than are tried, those around
// the rank-th of the day: so each of a thousand equal ones is tried by somebody.
func near(sorted []*entry, day, rank int) []*entry {
	from := func(day int) int {
		return sort.Search(len(sorted), func(i int) bool { return sorted[i].day >= day })
	}
	begin, end := from(day-SuggestionWindow), from(day+SuggestionWindow+1)
	if end-begin > MaxSuggestionCandidates {
		middle := from(day) + rank
		begin = max(begin, min(middle-MaxSuggestionCandidates/2, end-MaxSuggestionCandidates))
		end = begin + MaxSuggestionCandidates
	}
	return sorted[begin:end]
}
