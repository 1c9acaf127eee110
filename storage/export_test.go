package storage

import (
	"context"
	"slices"
	"testing"

	"bordero/internal/db"

	"github.com/jmoiron/sqlx"
)

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

// LoadedStatements returns the statements of EmitLoaded, in their order.
func LoadedStatements() (all []db.Statement) {
	for _, l := range loadedKinds() {
		all = append(all, l.statement)
	}
	return all
}

// ResetStatements returns the statements by which a reset of a sandbox hides or deletes rows.
func ResetStatements() (all []db.Statement) {
	for _, r := range resetTables {
		all = append(all, r.hide)
	}
	return append(all, deleteSandboxKeys)
}

// Silence returns how long the session of the sealer may be silent before PostgreSQL ends it.
func (s *Sealer) Silence(ctx context.Context) (string, error) {
	return db.One[string](ctx, s.conn, `SHOW idle_session_timeout`)
}
