package finance

import (
	"strconv"
	"strings"

	"bordero/internal/messages"
)

// Aging is the sum of the amounts due on a day, by days overdue (OpenAPI: Aging). It contains the accounts of
// one kind that exist, were there on that day (created or due by then) and were not paid by then, with their
// present amounts and due dates.
type Aging struct {
	On           Date
	Kind         AccountKind
	AsRecordedOn *Date // today, if On is an earlier day: deletions and undone payments since are not known
	Total        AgingTotal
	People       []PersonAging // largest sum first, then by id
}

// MaxAgingPeople is how many people an aging may have.
const MaxAgingPeople = 10_000

// PersonAging is the part of one person in an aging. PersonID is nil for the accounts without a person.
type PersonAging struct {
	PersonID   *int64
	PersonName *string
	AgingTotal
}

// AgingTotal is the number and the sum of accounts, together and by groups.
type AgingTotal struct {
	Count  int64
	Sum    Sum
	Groups []AgingGroup
}

// AgingGroup is the number and the sum of the accounts that were FromDays to ToDays days overdue. The
// first group, of accounts that were not overdue, has no FromDays, the last one no ToDays.
type AgingGroup struct {
	FromDays, ToDays *int64
	Count            int64
	Sum              Sum
	EntityIDs        IDs // the entities that have some of the accounts, ascending
}

// AgingBounds are the last days of the groups of overdue accounts but the last group, which has no end:
// 30 and 60 make 1 to 30, 31 to 60 and 61 or more days.
type AgingBounds []int64

// DefaultAgingBounds are the bounds of an aging without others.
var DefaultAgingBounds = AgingBounds{30, 60, 90}

const (
	maxAgingBounds = 10
	maxAgingDays   = 36_500
)

// ParseAgingBounds reads numbers of days with commas between them. It refuses more than 10, numbers that
// are not between 1 and 36,500, and an order that is not ascending, as a *messages.Fault.
func ParseAgingBounds(text string) (bounds AgingBounds, err error) {
	texts := strings.Split(text, ",")
	if len(texts) > maxAgingBounds {
		return nil, messages.TooManyItems.With(maxAgingBounds)
	}
	for _, text := range texts {
		days, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		switch {
		case err != nil:
			return nil, messages.NotIDs
		case days < 1 || days > maxAgingDays:
			return nil, messages.NotBetween.With(1, maxAgingDays)
		case len(bounds) > 0 && days <= bounds[len(bounds)-1]:
			return nil, messages.NotAscending
		}
		bounds = append(bounds, days)
	}
	return bounds, nil
}

// FirstDays returns how many days an account is overdue at least to be in each group but the first.
func (b AgingBounds) FirstDays() []int64 {
	days := []int64{1}
	for _, bound := range b {
		days = append(days, bound+1)
	}
	return days
}

// Groups returns the groups, without accounts.
func (b AgingBounds) Groups() []AgingGroup {
	groups := make([]AgingGroup, len(b)+2)
	for i, from := range b.FirstDays() {
		to := from - 1
		groups[i].ToDays, groups[i+1].FromDays = &to, &from
	}
	return groups
}

// DueBetween returns the first and the last due date of the accounts that are in the group on a day; nil
// if there is no limit, or none after the year 1.
func (g *AgingGroup) DueBetween(on Date) (first, last *Date) {
	before := func(days *int64) *Date {
		if days == nil {
			return nil
		}
		d := on.AddDays(-int(*days))
		if !d.After(Date{}) {
			return nil
		}
		return &d
	}
	return before(g.ToDays), before(g.FromDays)
}
