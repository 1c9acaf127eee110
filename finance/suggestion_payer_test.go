package finance

import (
	"strings"
	"testing"
)

// A text is not searched for every length that a name of another person has.
func TestALongNameCostsOtherTextsNothing(t *testing.T) {
	day := mustDay(t, "2026-10-10")
	text := strings.TrimSpace(strings.Repeat("ab ", maxNameWords))
	search := func(names ...string) (allocations float64, found int) {
		var accounts []Movement
		for i, name := range names {
			accounts = append(accounts, Movement{ID: int64(i + 1), OccurredAt: day, Amount: 1, CounterpartName: name})
		}
		m := newMatcher([]Movement{{ID: 1, OccurredAt: day, Amount: 2, Text: text}}, accounts)
		p := m.payers(false)
		allocations = testing.AllocsPerRun(10, func() { found = len(p.namesIn(m.transactions[0])) })
		return allocations, found
	}
	short, found := search("Ana Reis")
	if found != 0 {
		t.Errorf("%d names found in a text without any", found)
	}
	if long, _ := search("Ana Reis", strings.Repeat("Maria ", maxNameWords)); long != short {
		t.Errorf("%v allocations beside a long name, %v without", long, short)
	}
	if _, found := search("Ana Reis", text, text+" ab"); found != 1 {
		t.Errorf("%d names found in a text that is one", found)
	}
}
