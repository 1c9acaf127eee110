package imports

import (
	"context"

	"bordero/internal/db"
	"bordero/storage"
)

// markRestated executes findRestated, and returns the number of suspects. Its joins are of many items with many: the
// planner, which knows nothing of items that came a moment ago, would choose nested loops.
func markRestated(ctx context.Context, tx *storage.Tx, args ...db.Args) (int64, error) {
	if _, err := db.Exec(ctx, tx.DB, `SET LOCAL enable_nestloop = off`); err != nil {
		return 0, err
	}
	n, err := db.ExecNamed(ctx, tx.DB, findRestated, args...)
	if err != nil {
		return 0, err
	}
	_, err = db.Exec(ctx, tx.DB, `SET LOCAL enable_nestloop = on`)
	return n, err
}

// findRestated makes suspects of the staged items that an earlier file of the same @format had with another day,
// amount or id: one row stays in the books, and the suspect names its transaction as the one that it replaces
// (decision 0045). It is for formats whose ids are kept by the source, so that a known id is a known row.
//
// restated are items with a known id that is remembered on other days or with other amounts only. An id that one file
// had twice is none. repeated are items of an earlier file that were suspects there: a later file may begin after the
// row that they replace, or have a second candidate for it. pairs are items with a new id in place of a row that is
// gone: the file has days before and after the day of that row, but neither its id nor as many equal items as are
// remembered, and no person has deleted its transaction, or imported another suspect in its place. The texts are equal,
// the signs too, and so is the day, or the amount within a week. Each is the only one for the other; items that have
// equals are left out before, so that the pairs are about as many as the items.
var findRestated = db.Named("imported_items.find_restated", `
	WITH file AS MATERIALIZED (
		SELECT min(day) AS first, max(day) AS last FROM staged WHERE ignored IS NULL
	), door AS MATERIALIZED (
		SELECT id FROM bank_statements WHERE account_id = @account AND deposit_account_id = @deposit_account
			AND file_format = @format AND deleted_at IS NULL
	), known AS MATERIALIZED (
		SELECT day, amount, mark, ordinal, fitid, description, bank_statement_id, financial_transaction_id, moved_from
		FROM imported_items
		WHERE `+ofMemory+` AND day >= (SELECT first - 45 FROM file) AND day <= (SELECT last + 45 FROM file)
			AND fitid IS NOT NULL AND bank_statement_id IN (SELECT id FROM door)
	), ids AS MATERIALIZED (
		SELECT fitid, min(number) AS number FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL
		GROUP BY fitid HAVING count(*) = 1
	), restated AS (
		SELECT s.number, (array_agg(k.financial_transaction_id ORDER BY k.bank_statement_id DESC))[1] AS replaces
		FROM ids JOIN staged s USING (number) JOIN known k ON k.fitid = s.fitid
		GROUP BY s.number
		HAVING NOT bool_or((k.day, k.amount, k.mark) = (s.day, s.amount, s.mark))
			AND count(*) = count(DISTINCT k.bank_statement_id)
	), repeated AS (
		SELECT DISTINCT ON (i.replaces) s.number, i.replaces
		FROM ids JOIN staged s USING (number) JOIN (
			SELECT DISTINCT ON (fitid, replaces) fitid, replaces, bank_statement_id FROM ignored_items
			WHERE account_id = @account AND bank_statement_id = ANY(ARRAY(SELECT id FROM door))
				AND replaces IS NOT NULL
			ORDER BY fitid, replaces, bank_statement_id DESC) i ON i.fitid = s.fitid
		WHERE NOT EXISTS (SELECT FROM known k WHERE k.fitid = s.fitid)
			AND NOT EXISTS (SELECT FROM known k JOIN staged o ON o.fitid = k.fitid
				WHERE o.ignored IS NULL AND k.financial_transaction_id = i.replaces)
			AND (SELECT t.id FROM financial_transactions t WHERE t.account_id = @account AND t.id = i.replaces
				AND NOT coalesce(t.bank_statement_id = ANY(ARRAY(`+deletedStatements+`)), false)) IS NOT NULL
		ORDER BY i.replaces, i.bank_statement_id DESC
	), again AS MATERIALIZED (
		SELECT number, replaces FROM restated UNION ALL SELECT number, replaces FROM repeated
	), places AS MATERIALIZED (
		SELECT day, amount, mark, count(*) AS items FROM staged s
		WHERE ignored IS NULL AND NOT EXISTS (SELECT FROM again a WHERE a.number = s.number)
		GROUP BY day, amount, mark
	), gone AS MATERIALIZED (
		SELECT k.*, count(*) OVER (PARTITION BY description, mark, day, sign(amount)) AS of_day,
			count(*) OVER (PARTITION BY description, mark, day, amount) AS equal
		FROM known k LEFT JOIN places p USING (day, amount, mark)
		WHERE k.day > (SELECT first FROM file) AND k.day < (SELECT last FROM file) AND k.description IS NOT NULL
			AND NOT EXISTS (SELECT FROM staged s WHERE s.fitid = k.fitid)
			AND coalesce(p.items, 0) < k.ordinal
			AND NOT EXISTS (SELECT FROM again a WHERE a.replaces = k.financial_transaction_id)
			AND NOT EXISTS (SELECT FROM known m WHERE m.moved_from = k.financial_transaction_id)
			AND (SELECT t.id FROM financial_transactions t WHERE t.account_id = @account
				AND t.id = k.financial_transaction_id) IS NOT NULL
	), fresh AS MATERIALIZED (
		SELECT s.number, s.day, s.amount, s.mark, s.description,
			count(*) OVER (PARTITION BY description, mark, day, sign(amount)) AS of_day,
			count(*) OVER (PARTITION BY description, mark, day, amount) AS equal
		FROM ids JOIN staged s USING (number)
		WHERE NOT EXISTS (SELECT FROM known k WHERE k.fitid = s.fitid)
			AND NOT EXISTS (SELECT FROM again a WHERE a.number = s.number)
			AND EXISTS (SELECT FROM gone g WHERE g.description = s.description)
			AND NOT EXISTS (
				SELECT FROM imported_items i
				WHERE `+ofMemory+` AND i.day >= (SELECT first FROM file) AND i.day <= (SELECT last FROM file)
					AND i.day = s.day AND i.amount = s.amount AND i.mark = s.mark)
	), pairs AS (
		SELECT number, replaces, count(*) OVER (PARTITION BY number) AS rows_gone,
			count(*) OVER (PARTITION BY replaces) AS rows_fresh
		FROM (
			SELECT f.number, g.financial_transaction_id AS replaces
			FROM fresh f JOIN gone g USING (description, mark, day)
			WHERE f.of_day = 1 AND g.of_day = 1 AND sign(g.amount) = sign(f.amount)
			UNION
			SELECT f.number, g.financial_transaction_id
			FROM fresh f JOIN gone g USING (description, mark, amount)
			WHERE f.equal = 1 AND g.equal = 1 AND abs(g.day - f.day) <= 7) p
	), found AS (
		SELECT number, replaces FROM again
		UNION ALL SELECT number, replaces FROM pairs WHERE rows_gone = 1 AND rows_fresh = 1
	)
	UPDATE staged SET ignored = 'duplicate', suspect = true, replaces = f.replaces
	FROM found f WHERE staged.number = f.number`)
