package storagetest

import (
	"database/sql"
	"testing"
)

// Plans shows which plans the statements of a session get.
type Plans struct {
	t    testing.TB
	conn *sql.Conn
}

// NewPlans opens a session of the database's owner, closed at the end of the test, and runs statements in it: to fill
// tables, ANALYZE them, and PREPARE the statements under test. PostgreSQL makes generic plans for these, as it does
// in the sessions of a process.
func NewPlans(t testing.TB, databaseURL string, statements ...string) Plans {
	t.Helper()
	conn, err := DB(t, databaseURL).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for _, statement := range append([]string{`SET plan_cache_mode = force_generic_plan`}, statements...) {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return Plans{t, conn}
}

// Of returns the plan of a prepared statement with values, such as `one (1, 'payable')`, in JSON.
func (p Plans) Of(execute string) (plan string) {
	p.t.Helper()
	if err := p.conn.QueryRowContext(p.t.Context(), `EXPLAIN (FORMAT JSON) EXECUTE `+execute).Scan(&plan); err != nil {
		p.t.Fatalf("%s: %v", execute, err)
	}
	return plan
}
