package finance

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The operators' table has the quotas and the defaults of the code.
func TestTheManualHasTheQuotas(t *testing.T) {
	manual, err := os.ReadFile("../docs/operations/quotas.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, q := range AllQuotas() {
		want = append(want, fmt.Sprintf("| `%s` | %d |", q, DefaultQuotas[q]))
		if named, ok := QuotaNamed(q.String()); !ok || named != q || DefaultQuotas[q] < q.Least() {
			t.Errorf("%s is %v, %v", q, named, ok)
		}
	}
	for line := range strings.Lines(string(manual)) {
		if cells := strings.SplitN(line, "|", 4); len(cells) == 4 && strings.Contains(cells[1], "`") {
			got = append(got, strings.Join(cells[:3], "|")+"|")
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
}
