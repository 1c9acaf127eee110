package storage_test

import (
	"fmt"
	"testing"

	"bordero/internal/db"
	"bordero/storage/imports"
)

// A worker of an earlier release, which stores no format, imports a file after the migrations: a job of this release
// reads what its texts say about the payments.
func TestAnImportOfAnEarlierReleaseHasItsPaymentsRead(t *testing.T) {
	t.Parallel()
	i := verified(t)
	_, preview, err := i.preview(t.Context(), []imports.StagedItem{item(1, 100, "", "A")})
	if err != nil {
		t.Fatal(err)
	}
	i.exec(t, fmt.Sprintf(`UPDATE bank_statements SET file_format = 'OFX' WHERE id = %d`, preview))
	if err := i.confirm(t.Context(), preview); err != nil {
		t.Fatal(err)
	}
	format, err := db.One[*string](t.Context(), i.Store.DB, `SELECT file_format FROM bank_statements WHERE id = $1`,
		preview)
	if err != nil || format != nil {
		t.Errorf("a confirmed preview has the format %v, which its import may not know: %v", format, err)
	}
	for set, want := range map[string]int64{
		`event_status = 'processing', file_format = NULL`:                         0,
		`event_status = 'success', file_format = 'OFX', imported_items_count = 1`: 0,
		`event_status = 'success', file_format = NULL, imported_items_count = 1`:  1,
		`event_status = 'error', file_format = NULL`:                              0,
	} {
		i.exec(t, `DELETE FROM jobs`)
		i.exec(t, `UPDATE bank_statements SET `+set+` WHERE id = (SELECT min(id) FROM bank_statements)`)
		n, err := db.One[int64](t.Context(), i.Store.DB, `SELECT count(*) FROM jobs WHERE kind = 'read_payments'
			AND args = (SELECT json_build_object('account_id', account_id, 'bank_statement_id', id)::text
				FROM bank_statements ORDER BY id LIMIT 1)`)
		if err != nil || n != want {
			t.Errorf("%s: %d jobs, want %d, error %v", set, n, want, err)
		}
	}
}
