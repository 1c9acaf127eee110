package storage

import (
	"slices"
	"strings"
	"testing"

	"bordero/internal/db"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// AccessesOfToken is the statement that looks a token, $1, up.
const AccessesOfToken = accessesOfToken

// CheckReferring compares the tables whose references are counted with the schema.
func CheckReferring(t *testing.T, url string) {
	pool, err := sqlx.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	tables := slices.Clone(referring)
	for _, o := range centerLists {
		tables = append(tables, string(o)+"_center_classifications")
	}
	slices.Sort(tables)
	has, err := db.Many[string](t.Context(), pool, `
		SELECT DISTINCT table_name::text FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name IN ('category_id', 'person_id', 'classification_center_id')
			ORDER BY 1`)
	if err != nil || !slices.Equal(has, tables) {
		t.Errorf("records of %v refer to what is counted, and those of %v are counted: %v", has, tables, err)
	}
}

// RoundPlans returns the plans of the statements that open and close the attempts of the
// deliveries.
func RoundPlans(t *testing.T, s *Store, account int64, deliveries pq.Int64Array) (plans []string) {
	t.Helper()
	n := len(deliveries)
	accounts, numbers, texts := make(pq.Int64Array, n), make(pq.Int64Array, n), make(pq.StringArray, n)
	for i := range n {
		accounts[i], numbers[i] = account, 1
	}
	for _, x := range []struct {
		statement db.Sized
		args      []any
	}{
		{openAttempts, []any{accounts, deliveries, make(pq.ByteaArray, n), texts}},
		{closeAttemptsBySize, []any{accounts, deliveries, numbers, numbers, make(pq.BoolArray, n), texts, texts,
			make(pq.Float64Array, n), make(pq.Float64Array, n), numbers}},
	} {
		err := s.InTx(t.Context(), func(tx *Tx) error {
			lines, err := db.Many[string](t.Context(), tx.DB, `EXPLAIN (COSTS OFF) `+x.statement.Of(n), x.args...)
			plans = append(plans, strings.Join(lines, "\n"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return plans
}
