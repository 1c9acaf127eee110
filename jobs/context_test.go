package jobs_test

import (
	"strings"
	"testing"

	"bordero/jobs"
)

func TestTraceparent(t *testing.T) {
	t.Parallel()
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for header, known := range map[string]bool{
		"00-" + id + "-" + parent + "-01":            true,
		"00-" + id + "-" + parent + "-00":            true,
		"cc-" + id + "-" + parent + "-01":            true,
		"cc-" + id + "-" + parent + "-01-what.comes": true,
		"":                                     false,
		"00-" + id + "-" + parent + "-01-more": false,
		"ff-" + id + "-" + parent + "-01":      false,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01":        false,
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":            false,
		"00-" + strings.ToUpper(id) + "-" + parent + "-01":            false,
		"00-" + id + "-" + parent:                                     false,
		"00-" + id + "-" + parent + "-01\nlevel=ERROR":                false,
		"cc-" + id + "-" + parent + "-01-" + strings.Repeat("x", 300): false,
	} {
		ctx := jobs.WithTraceparent(t.Context(), header)
		want, wantID := "", ""
		if known {
			want, wantID = header, id
		}
		if jobs.Traceparent(ctx) != want || jobs.TraceID(ctx) != wantID {
			t.Errorf("%q is %q of trace %q", header, jobs.Traceparent(ctx), jobs.TraceID(ctx))
		}
	}
}
