package wire

import (
	"fmt"
	"strings"
	"testing"

	"bordero/internal/messages"
)

func TestFewOfManyFaultsAreNamed(t *testing.T) {
	t.Parallel()
	var filters []string
	for i := range 2 * messages.Most {
		filters = append(filters, fmt.Sprintf(`"%d":{}`, i))
	}
	in := read(t, asJSON, `{"search":{`+strings.Join(filters, ",")+`}}`)
	in.Filters("search", func(string) bool { return false })
	if n := len(in.Messages()); n != messages.Most {
		t.Errorf("%d messages, want %d", n, messages.Most)
	}
}
