package finance

import (
	"cmp"
	"slices"
)

const (
	// maxLooked bounds how many records are looked at for candidates.
	maxLooked = 300
	// maxSums bounds how many groups of one size are compared.
	maxSums = 16
)

// groups takes the groups of parts that add up to one and whose score is enough,
// one after the other by day.
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
			m.take(s.best)
		}
	}
}

// calendar has the records that are free by day and sign.
type calendar map[dayAndSign][]*entry

type dayAndSign struct {
	day  int
	paid bool
}

func (e *entry) dayAndSign() dayAndSign { return dayAndSign{e.day, e.amount < 0} }

// candidates are the records that may be part of one, those of the nearest days,
// sorted from the largest.
func (c calendar) candidates(one *entry) (found []*entry) {
	at, looked := one.dayAndSign(), 0
	for i := range 2*SuggestionWindow + 1 { // 0, -1, 1, -2, 2, ...
		at.day = one.day + (i+1)/2*(1-i%2*2)
		found = c.look(at, one, found, &looked)
	}
	slices.SortStableFunc(found, func(a, b *entry) int { return cmp.Compare(b.amount.Abs(), a.amount.Abs()) })
	return found
}

// look adds the candidates of a day, and forgets those that are used meanwhile, as
// far as it looks.
func (c calendar) look(at dayAndSign, one *entry, found []*entry, looked *int) []*entry {
	list := c[at]
	kept, i := 0, 0
	for ; i < len(list) && len(found) < MaxSuggestionCandidates && *looked < maxLooked; i++ {
		if list[i].used {
			continue
		}
		*looked++
		if list[i].amount.Abs() < one.amount.Abs() {
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

// search looks for the parts that add up to one. There are at most 30 of them,
// from the largest: all groups of up to five are about 35,000 steps.
type search struct {
	one    *entry
	turned bool
	parts  []*entry
	least  int

	sums   int // that were right, of the present size
	chosen [MaxSuggestedParts]*entry
	best   match
	score  int
}

// run tells whether it found a group whose score is enough.
func (s *search) run() bool {
	for size := 2; size <= min(MaxSuggestedParts, len(s.parts)); size++ {
		s.sums = 0
		s.pick(0, 0, size, s.one.amount.Abs())
	}
	return s.score > 0
}

// pick chooses the rest of a group among the parts from an index on: so many that
// add up to the amount.
func (s *search) pick(from, chosen, left int, rest Amount) {
	if left == 2 {
		s.pickTwo(from, chosen, rest)
		return
	}
	least := s.parts[len(s.parts)-1].amount.Abs() * Amount(left-1) // that the others take
	for i := from; i <= len(s.parts)-left && s.sums < maxSums; i++ {
		a := s.parts[i].amount.Abs()
		if a*Amount(left) < rest {
			return // so are all that follow
		}
		if a+least <= rest {
			s.chosen[chosen] = s.parts[i]
			s.pick(i+1, chosen+1, left-1, rest-a)
		}
	}
}

// pickTwo comes from both ends.
func (s *search) pickTwo(from, chosen int, rest Amount) {
	for i, j := from, len(s.parts)-1; i < j && s.sums < maxSums; {
		switch sum := s.parts[i].amount.Abs() + s.parts[j].amount.Abs(); {
		case sum > rest:
			i++
		case sum < rest:
			j--
		default:
			s.chosen[chosen], s.chosen[chosen+1] = s.parts[i], s.parts[j]
			s.offer(s.chosen[:chosen+2])
			i, j = i+1, j-1
		}
	}
}

// offer keeps a group that is better than those before.
func (s *search) offer(parts []*entry) {
	s.sums++
	found := newMatch(s.one, slices.Clone(parts), s.turned)
	if score := found.score(); score >= s.least && score > s.score {
		s.best, s.score = found, score
	}
}
