package api_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bordero/api"
	"bordero/internal/tier"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// fixed has the paths that are not lists of an account's table, or are short lists of a user. The
// answer of suggestions is not an array and has its own test; so have reports (report_queries_test.go).
var fixed = []string{"suggestions", "accounts", "banks", "currencies", "taxes", "permissions", "new", "preview",
	"quotas", "download", "deletion", "reconciliation"}

func TestListsTakeTheSameStatementsWhateverTheirLength(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	ids := s.records(t)
	short, long := tier.Size(20, 50), tier.Size(100, 500)
	s.fill(t, long)
	for _, r := range api.Routes() {
		name := r.Path[strings.LastIndex(r.Path, "/")+1:]
		if name == "value" { // an alias of values
			name = "values"
		}
		if r.Method != "GET" || name == "changes" || strings.HasPrefix(name, ":") && many[name] == "" ||
			slices.Contains(fixed, name) || reportQueries[name] != nil {
			continue
		}
		if many[name] == "" {
			t.Errorf("%s: a list that this test makes no records of", r.Path)
			continue
		}
		count := func(size int) int64 {
			before := statements.Load()
			a := s.call(t, "GET", fmt.Sprintf("%s?per_page=%d", ids.path(r), size)).want(t, 200)
			if n := len(a.value(t).([]any)); n != size {
				t.Errorf("%s: %d records, want %d", r.Path, n, size)
			}
			return statements.Load() - before
		}
		count(1) // prepares the statements
		if few, lots := count(short), count(long); few != lots || few == 0 || few > 7 {
			t.Errorf("%s: %d statements for %d records, %d for %d", r.Path, few, short, lots, long)
		}
	}
}

// metered returns a service and the count of the statements that it sends to the database.
func metered(t *testing.T) (*service, *atomic.Int64) {
	t.Helper()
	direct := storagetest.DatabaseURL(t)
	statements := &atomic.Int64{}
	tapped := tap(t, direct, func(kind byte, body []byte) {
		// A connection discards its plans at intervals (internal/db/prepared.go), for no request.
		if kind == 'E' || kind == 'Q' && !bytes.HasPrefix(body, []byte("DISCARD")) {
			statements.Add(1)
		}
	}, func(byte, []byte) {})
	s := serve(t, storagetest.Open(t, tapped, storage.Options{}))
	s.db = storagetest.DB(t, direct)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, statements
}
