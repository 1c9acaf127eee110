package imports

import "bordero/internal/db"

// findRestated makes suspects of the staged items that an earlier file of the same @format had with another day,
// amount or id: one row stays in the books, and the suspect names its transaction as the one that it replaces
// (decision 0045). It is for formats whose ids are kept by the source, so that a known id is a known row.
//
// restated are items with a known id that is remembered on other days or with other amounts only. An id that one file
// had twice is none. reissued are items with a new id in place of a row that is gone: the file has days before and
// after the day of that row, but neither its id nor as many equal items as are remembered. The texts are equal,
// the signs too, and so is the day, or the amount within a week. Each is the only one for the other.
var findRestated = db.Named("imported_items.find_restated", `
	WITH file AS MATERIALIZED (
		SELECT min(day) AS first, max(day) AS last FROM staged WHERE ignored IS NULL
	), known AS MATERIALIZED (
		SELECT day, amount, mark, ordinal, fitid, description, bank_statement_id, financial_transaction_id
		FROM imported_items
		WHERE `+ofMemory+` AND day >= (SELECT first - 45 FROM file) AND day <= (SELECT last + 45 FROM file)
			AND fitid IS NOT NULL AND bank_statement_id = ANY(ARRAY(
				SELECT id FROM bank_statements WHERE account_id = @account AND deposit_account_id = @deposit_account
					AND file_format = @format))
	), ids AS MATERIALIZED (
		SELECT fitid, min(number) AS number FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL
		GROUP BY fitid HAVING count(*) = 1
	), restated AS (
		SELECT s.number, (array_agg(k.financial_transaction_id ORDER BY k.bank_statement_id DESC))[1] AS replaces
		FROM ids JOIN staged s USING (number) JOIN known k ON k.fitid = s.fitid
		GROUP BY s.number
		HAVING NOT bool_or((k.day, k.amount, k.mark) = (s.day, s.amount, s.mark))
			AND count(*) = count(DISTINCT k.bank_statement_id)
	), places AS MATERIALIZED (
		SELECT day, amount, mark, count(*) AS items FROM staged
		WHERE ignored IS NULL AND number NOT IN (SELECT number FROM restated) GROUP BY day, amount, mark
	), gone AS MATERIALIZED (
		SELECT k.* FROM known k LEFT JOIN places p USING (day, amount, mark)
		WHERE k.day > (SELECT first FROM file) AND k.day < (SELECT last FROM file) AND k.description IS NOT NULL
			AND k.fitid NOT IN (SELECT fitid FROM staged WHERE fitid IS NOT NULL)
			AND coalesce(p.items, 0) < k.ordinal
	), fresh AS MATERIALIZED (
		SELECT s.number, s.day, s.amount, s.mark, s.description FROM ids JOIN staged s USING (number)
		WHERE s.fitid NOT IN (SELECT fitid FROM known) AND s.description IN (SELECT description FROM gone)
			AND NOT EXISTS (
				SELECT FROM imported_items i
				WHERE `+ofMemory+` AND i.day = s.day AND i.amount = s.amount AND i.mark = s.mark)
	), pairs AS (
		SELECT f.number, g.financial_transaction_id AS replaces, count(*) OVER (PARTITION BY f.number) AS rows_gone,
			count(*) OVER (PARTITION BY g.financial_transaction_id) AS rows_fresh
		FROM fresh f JOIN gone g ON g.description = f.description AND g.mark = f.mark
			AND sign(g.amount) = sign(f.amount)
			AND (g.day = f.day OR g.amount = f.amount AND abs(g.day - f.day) <= 7)
	), found AS (
		SELECT number, replaces FROM restated
		UNION ALL SELECT number, replaces FROM pairs WHERE rows_gone = 1 AND rows_fresh = 1
	)
	UPDATE staged SET ignored = 'duplicate', suspect = true, replaces = f.replaces
	FROM found f WHERE staged.number = f.number`)
