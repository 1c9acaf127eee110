package finance

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"bordero/internal/messages"
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
		if DefaultQuotas[q] < q.Least() {
			t.Errorf("%s is %d, less than %d", q, DefaultQuotas[q], q.Least())
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

// A file that fills a quota exactly is kept, and one more byte is refused; a statement needs room for an item.
func TestFilesBeyondAQuotaAreRefused(t *testing.T) {
	q := Quotas{FileBytes: 10, StatementRows: 3}
	for _, c := range []struct {
		used        Usage
		bytes       int64
		isStatement bool
		want        *messages.Fault
	}{
		{Usage{}, 10, true, nil},
		{Usage{FileBytes: 7}, 3, false, nil},
		{Usage{FileBytes: 7}, 4, false, messages.FilesOfAccount},
		{Usage{}, 11, true, messages.FilesOfAccount},
		{Usage{StatementRows: 2}, 1, true, nil},
		{Usage{StatementRows: 3}, 1, true, messages.RowsOfAccount},
		{Usage{StatementRows: 3}, 1, false, nil},
	} {
		err := c.used.RefuseFile(q, c.bytes, c.isStatement)
		var invalid *Invalid
		refused := errors.As(err, &invalid)
		if refused != (c.want != nil) || refused && invalid.Messages[0].Fault.Code != c.want.Code {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
