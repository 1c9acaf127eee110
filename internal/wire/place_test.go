package wire

import (
	"strings"
	"testing"
)

// A pointer to a member of a large object does not sort the names of all.
func TestAPointerAllocatesLittle(t *testing.T) {
	in, err := Read("application/json", []byte("{"+strings.TrimSuffix(numbered(10_000, `"a%d":1,`), ",")+"}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"a7", "0"} {
		if n := testing.AllocsPerRun(5, func() { in.Pointer(place) }); n > 5 {
			t.Errorf("the pointer to %s takes %.0f allocations", place, n)
		}
	}
}
