package monitor

import (
	"testing"

	"bordero/storage/operators"
)

func TestSubject(t *testing.T) {
	t.Parallel()
	for want, j := range map[string]operators.FailedJobRow{
		"":                           {},
		"statement 230":              {Table: "bank_statements", RecordID: 230},
		"people 7":                   {Table: "people", RecordID: 7},
		"custom classifier values 7": {Table: "custom_classifier_values", RecordID: 7},
	} {
		if got := subject(j); got != want {
			t.Errorf("%+v is about %q, not %q", j, got, want)
		}
	}
}
