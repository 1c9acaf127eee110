package api

import (
	"testing"
	"time"
)

// Documents name these bounds; the tests of their effects set smaller ones, or do not reach them.
func TestBoundsAreAsDocumented(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want any }{
		"a key is busy for a minute at most": {defaultKeyedTime, 50 * time.Second},
		"rows of a sheet":                    {mostSheetRows, 100_000},
		"changes that a request looks at":    {lookedAt, 5000},
		"changes that a sheet looks at":      {countedWindows * mostSheetRows, 5_000_000},
		"changes of a page":                  {maxChanges, 500},
		"seconds that a request waits":       {longestWait, 30},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}
