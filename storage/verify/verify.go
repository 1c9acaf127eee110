// Package verify recomputes sums and finds records and jobs that contradict each other, for `bordero
// verify`. It is apart because it reads the tables of all others.
package verify

import (
	"context"
	"fmt"

	"bordero/finance/statement"
	"bordero/internal/db"
	"bordero/storage"
)

// Difference is a stored value that disagrees with the rows that it is derived from.
type Difference struct {
	Check     string `json:"check"`
	AccountID int64  `json:"account_id"`
	Record    string `json:"record"` // "deposit account 7"
	Expected  string `json:"expected"`
	Found     string `json:"found"`
}

// Checks is the number of checks of Verify.
func Checks() int { return len(checks) + 1 }

// Run checks every stored total and state against the rows that it is derived from, in one
// snapshot of the database: the service may run meanwhile. begin is called with the name of each
// check before it runs.
func Run(ctx context.Context, s *storage.Store, begin func(check string)) (found []Difference, err error) {
	err = s.InSnapshot(ctx, func(tx *storage.Tx) error {
		// The sums scan whole tables: memory to sort and hash them, and no
		// nested loops, which the planner would choose by the statistics of a table that was empty before.
		_, err := db.Exec(ctx, tx.DB, `
			SET LOCAL work_mem = '64MB';
			SET LOCAL enable_nestloop = off`)
		if err != nil {
			return err
		}
		found = nil
		for _, c := range checks {
			begin(c.name)
			differences, err := db.ManyNamed[Difference](ctx, tx.DB, c.statement)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			for _, d := range differences {
				d.Check = c.name
				found = append(found, d)
			}
		}
		begin("marks of imported items")
		marks, err := checkMarks(ctx, tx.Queries)
		found = append(found, marks...)
		return err
	})
	return found, err
}

// checkMarks compares the marks of remembered items with their descriptions, except the marks that
// an earlier release computed. Go computes a mark, so checkMarks reads each row.
func checkMarks(ctx context.Context, q storage.Queries) (found []Difference, err error) {
	rows, err := db.Rows(ctx, q.DB, `
		SELECT account_id, format('item %s of bank statement %s', number, bank_statement_id), mark,
			coalesce(description, ''), card
		FROM imported_items WHERE card OR NOT card AND mark <> '' ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		d := Difference{Check: "marks of imported items"}
		var description string
		var card bool
		if err := rows.Scan(&d.AccountID, &d.Record, &d.Found, &description, &card); err != nil {
			return nil, err
		}
		if card {
			d.Expected = statement.Instalment(description)
		}
		if d.Found != d.Expected {
			found = append(found, d)
		}
	}
	return found, rows.Err()
}
