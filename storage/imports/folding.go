package imports

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/storage"
)

// foldedAtOnce is the largest number of items of one transaction, and of one row: about 100 ms.
const foldedAtOnce = 10_000

// FoldItems removes the texts of the ignored items of statements that were imported longer ago than
// after, and returns the number of these items: each becomes a place in the arrays of a row of
// folded_items (decision 0052). Items that explain balances by their texts, and suspects, which a
// person may import, stay as they are. Each transaction folds items of one statement. It may run
// twice at once.
func FoldItems(ctx context.Context, s *storage.Store, after time.Duration) (folded int64, err error) {
	for {
		some, err := db.OneNamed[struct{ Statements, Items int64 }](ctx, s.DB, foldNext,
			db.Args{"after": after.Seconds(), "most": foldedAtOnce})
		if err != nil {
			return folded, fmt.Errorf("fold ignored items: %w", err)
		}
		folded += some.Items
		if some.Statements == 0 {
			return folded, nil
		}
	}
}

// foldNext folds the next items of the oldest unfolded statement, and marks it if these were its last. It counts
// the picked items: another transaction may remove some of them meanwhile.
var foldNext = db.Named("folded_items.fold_next", `
	WITH next AS MATERIALIZED (
		SELECT account_id, id FROM bank_statements
		WHERE items_folded_at IS NULL AND event_status = 'success' AND deleted_at IS NULL
			AND items_count > imported_items_count AND event_finished_at <= now() - make_interval(secs => @after)
		ORDER BY event_finished_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
	), picked AS MATERIALIZED (
		SELECT f.number FROM ignored_items f, next n
		WHERE f.account_id = n.account_id AND f.bank_statement_id = n.id AND NOT f.suspect AND f.replaces IS NULL
			AND f.outcome NOT IN ('future', 'balance')
		ORDER BY f.number LIMIT @most
	), removed AS (
		DELETE FROM ignored_items i USING next n
		WHERE i.account_id = n.account_id AND i.bank_statement_id = n.id AND i.number = ANY(ARRAY(
			SELECT number FROM picked))
		RETURNING i.account_id, i.bank_statement_id, i.outcome, i.number, i.line, i.day, i.amount, i.mark
	), folded AS (
		INSERT INTO folded_items (account_id, bank_statement_id, outcome, first, numbers, lines, days, amounts, marks)
		SELECT account_id, bank_statement_id, outcome, min(number), array_agg(number ORDER BY number),
			array_agg(line ORDER BY number), array_agg(day ORDER BY number), array_agg(amount ORDER BY number),
			array_agg(mark ORDER BY number)
		FROM removed GROUP BY account_id, bank_statement_id, outcome
	), marked AS (
		UPDATE bank_statements b SET items_folded_at = now() FROM next n
		WHERE b.account_id = n.account_id AND b.id = n.id AND (SELECT count(*) FROM picked) < @most
	)
	SELECT (SELECT count(*) FROM next) AS statements, (SELECT count(*) FROM removed) AS items`)
