package list

import (
	"slices"
	"strings"
	"testing"

	"bordero/internal/db"
)

func TestAFilterNeedsATypeAndADescription(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]Filter{
		"without a condition":   Where("", Text, "Exact name."),
		"without a type":        Where("name = ?", Type{}, "Exact name."),
		"without a description": Where("name = ?", Text, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if failure, _ := recover().(string); !strings.Contains(failure, "name_equals of List") {
					t.Errorf("registered, with %q", failure)
				}
			}()
			Table("List", map[string]Filter{"name_equals": f})
		})
	}
}

// A connection prepares each statement once: the values and the names under which filters are sent change
// nothing of the text.
func TestACombinationOfFiltersIsOneStatement(t *testing.T) {
	t.Parallel()
	filters := map[string]Filter{
		"name_equals": Where("name = ?", Text, "Exact name."),
		"since":       Where("(a >= ? OR b >= ?)", Day, "Of this day or later."),
	}
	for _, search := range []map[string]string{
		{"name": "Ana", "since": "2026-01-31"}, {"name_equals": "Bia", "since": "2026-02-28"},
	} {
		conditions, args, err := Conditions(filters, "id", search)
		if err != nil {
			t.Fatal(err)
		}
		s := db.Bind("SELECT FROM people WHERE account_id = @account" + conditions)
		want := "SELECT FROM people WHERE account_id = $1 AND name = $2 AND (a >= $3 OR b >= $3)"
		if s.SQL != want {
			t.Errorf("%v: %s, want %s", search, s.SQL, want)
		}
		values := []any{7, search["name"] + search["name_equals"], search["since"]}
		if got := s.Args(args, db.Args{"account": 7}); !slices.Equal(got, values) {
			t.Errorf("%v: %v, want %v", search, got, values)
		}
	}
}
