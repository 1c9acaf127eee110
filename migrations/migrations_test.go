package migrations

import (
	"fmt"
	"strings"
	"testing"
)

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if !strings.HasPrefix(e.Name(), fmt.Sprintf("%05d_", i+1)) {
			t.Errorf("%s is number %d", e.Name(), i+1)
		}
	}
	if Latest() != int64(len(entries)) {
		t.Errorf("the latest is %d of %d", Latest(), len(entries))
	}
}
