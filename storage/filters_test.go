package storage

import (
	"strings"
	"testing"
)

func TestAFilterNeedsATypeAndADescription(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]filter{
		"without a condition":   {"", text, "Exact name."},
		"without a type":        {"name = ?", valueType{}, "Exact name."},
		"without a description": {"name = ?", text, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if failure, _ := recover().(string); !strings.Contains(failure, "name_equals of List") {
					t.Errorf("registered, with %q", failure)
				}
			}()
			table("List", map[string]filter{"name_equals": f})
		})
	}
}
