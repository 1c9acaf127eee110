package finance

import (
	"cmp"
	"slices"
)

const (
	// maxLooked bounds how many records are examined for candidates.
	maxLooked = 300
	// maxSums bounds the groups of one size and of the right sum that are compared.
	maxSums = 16
)

// groups takes, for each of ones in order of day, the best group of parts with its amount as their
// sum, if the score is at least least.
func (m *matcher) groups(least int, ones, parts []*entry, turned bool) {
	days := calendar{}
	for _, p := range parts {
		if !p.used {
			days[p.dayAndSign()] = append(days[p.dayAndSign()], p)
		}
	}
	for _, one := range ones {
		if one.used {
			continue
		}
		s := search{one: one, turned: turned, least: least, parts: days.candidates(one)}
		if s.run() {
			s.best.rivals = s.found - 1
			m.take(s.best)
		}
	}
}

// calendar contains the unused records by day and sign.
type calendar map[dayAndSign][]*entry

type dayAndSign struct {
	day  int
	paid bool
}

func (e *entry) dayAndSign() dayAndSign { return dayAndSign{e.day, e.amount < 0} }

// candidates returns the records of the nearest days that may be part of one, largest first. A record of
// certainly another counterpart is none.
func (c calendar) candidates(one *entry) (found []*entry) {
	at, looked := one.dayAndSign(), 0
	for i := range 2*SuggestionWindow + 1 { // 0, -1, 1, -2, 2, …
		at.day = one.day + (i+1)/2*(1-i%2*2)
		found = c.search(at, one, found, &looked)
	}
	slices.SortStableFunc(found, func(a, b *entry) int { return cmp.Compare(b.amount.Abs(), a.amount.Abs()) })
	return found
}

// search adds the candidates of a day, and removes from the calendar the used records that it
// passes.
func (c calendar) search(at dayAndSign, one *entry, found []*entry, looked *int) []*entry {
	list := c[at]
	kept, i := 0, 0
	for ; i < len(list) && len(found) < MaxSuggestionCandidates && *looked < maxLooked; i++ {
		if list[i].used {
			continue
		}
		*looked++
		if list[i].amount.Abs() < one.amount.Abs() && !list[i].contradicts(one) {
			found = append(found, list[i])
		}
		list[kept] = list[i]
		kept++
	}
	if kept < i {
		copy(list[i-kept:i], list[:kept])
		c[at] = list[i-kept:]
	}
	return found
}

// search finds the parts that add up to one. With at most 30 parts, sorted from the largest,
// trying all groups of up to five takes about 35,000 steps.
type search struct {
	one    *entry
	turned bool
	parts  []*entry
	least  int

	sums   int // groups of the current size with the right sum
	found  int // groups of all sizes with the right sum
	chosen [MaxSuggestedParts]*entry
	best   match
	score  int
}

// run reports whether a group scores enough.
func (s *search) run() bool {
	for size := 2; size <= min(MaxSuggestedParts, len(s.parts)); size++ {
		s.sums = 0
		s.pick(0, 0, size, s.one.amount.Abs())
	}
	return s.score > 0
}

// pick chooses left more parts, from index from on, that add up to rest.
func (s *search) pick(from, chosen, left int, rest Amount) {
	if left == 2 {
		s.pickTwo(from, chosen, rest)
		return
	}
	least := s.parts[len(s.parts)-1].amount.Abs() * Amount(left-1) // the minimum that the other parts take
	for i := from; i <= len(s.parts)-left && s.sums < maxSums; i++ {
		a := s.parts[i].amount.Abs()
		if a*Amount(left) < rest {
			return // all following parts are smaller still
		}
		if a+least <= rest {
			s.chosen[chosen] = s.parts[i]
			s.pick(i+1, chosen+1, left-1, rest-a)
		}
	}
}

// pickTwo chooses the last two parts, searching from both ends.
func (s *search) pickTwo(from, chosen int, rest Amount) {
	for i, j := from, len(s.parts)-1; i < j && s.sums < maxSums; {
		switch sum := s.parts[i].amount.Abs() + s.parts[j].amount.Abs(); {
		case sum > rest:
			i++
		case sum < rest:
			j--
		default:
			equal := j // the first of the parts with the amount of j, the nearest by its day
			for equal-1 > i && s.parts[equal-1].amount == s.parts[j].amount {
				equal--
			}
			s.chosen[chosen] = s.parts[i]
			for ; equal <= j && s.sums < maxSums; equal++ {
				s.chosen[chosen+1] = s.parts[equal]
				s.offer(s.chosen[:chosen+2])
			}
			i++ // and j stays: the next part may have the same amount
		}
	}
}

// offer remembers a group that scores higher than earlier ones.
func (s *search) offer(parts []*entry) {
	s.sums++
	s.found++
	found := newMatch(s.one, slices.Clone(parts), s.turned)
	if score := found.score(); score >= s.least && score > s.score {
		s.best, s.score = found, score
	}
}
