package docs

import (
	"strings"
	"testing"
)

// The work of a search is bounded, whatever the query.
func TestALongQueryTakesLittle(t *testing.T) {
	s := New("", "", nil, nil)
	s.Search("") // finds nothing
	usual := testing.AllocsPerRun(1, func() { s.Search("conciliação de vendas atrasadas") })
	for _, query := range []string{strings.Repeat("ã", 2_000), strings.Repeat("ã ", 2_000)} {
		if n := testing.AllocsPerRun(1, func() { s.Search(query) }); n > 2*usual {
			t.Errorf("a search for %d bytes allocates %.0f times, a usual one %.0f times", len(query), n, usual)
		}
	}
}
