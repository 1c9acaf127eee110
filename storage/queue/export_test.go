package queue

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bordero/internal/db"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// TurnsPlan returns how many blocks the statement freeInTurn reads, and its plan.
func TurnsPlan(t *testing.T, q *Queue) (blocks int, plan string) {
	t.Helper()
	err := db.InTx(t.Context(), q.pool, func(tx *sqlx.Tx) error {
		if _, err := db.Exec(t.Context(), tx, prepareTurns); err != nil {
			return err
		}
		text, err := db.One[string](t.Context(), tx,
			`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT JSON) `+freeInTurn.SQL,
			freeInTurn.Args(db.Args{"after": 0, "at": time.Time{}, "id": 0, "limit": 1000})...)
		if err != nil {
			return err
		}
		var explained []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		blocks, plan = 0, text
		err = json.Unmarshal([]byte(text), &explained)
		blocks = explained[0].Plan.Hit + explained[0].Plan.Read
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks, plan
}

// ClaimPlan returns the plan of Claim for the jobs.
func ClaimPlan(t *testing.T, q *Queue, ids pq.Int64Array, kinds pq.StringArray) string {
	t.Helper()
	lines, err := db.Many[string](t.Context(), q.pool, `EXPLAIN `+claimTicketsCached,
		claimTickets.Args(db.Args{"lease": 60.0, "ids": ids, "kinds": kinds})...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
