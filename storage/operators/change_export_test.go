package operators_test

import (
	"strings"
	"testing"

	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

// An export that is overtaken by the removal of old changes has no gap that nobody sees.
func TestAnExportOfChangesThatAreDroppedFails(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	exec := func(query string) {
		t.Helper()
		if _, err := owner.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO changes (part, account_id, sequence, id, family, action, record_ids, occurred_at, hash)
		SELECT 1, 1, n, n, 'people', 'updated', ARRAY[n], now(), 'x' FROM generate_series(1, 3000) n`)
	exec(`INSERT INTO change_heads (account_id, sequence, hash) VALUES (1, 3000, 'x')`)
	read := 0
	last, err := operators.EachChange(t.Context(), s.Queries, 1, 0, storage.ChangeFilter{},
		func(c *storage.Change) error {
			if read++; c.Sequence == 1 {
				exec(`DELETE FROM changes WHERE sequence <= 2500`)
				exec(`UPDATE change_heads SET dropped = 2500`)
			}
			return nil
		})
	const want = "the changes up to 2500 were dropped before change 1001 was read"
	if err == nil || !strings.Contains(err.Error(), want) || last != 1000 || read != 1000 {
		t.Errorf("%d changes up to %d, %v", read, last, err)
	}
}
