package list

import (
	"strings"
	"testing"
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
