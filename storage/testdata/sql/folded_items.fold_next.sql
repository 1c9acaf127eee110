-- $1 = after
-- $2 = most
WITH next AS MATERIALIZED (
		SELECT account_id, id FROM bank_statements
		WHERE items_folded_at IS NULL AND event_status = 'success' AND deleted_at IS NULL
			AND items_count > imported_items_count AND event_finished_at <= now() - make_interval(secs => $1)
		ORDER BY event_finished_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
	), picked AS MATERIALIZED (
		SELECT f.number FROM ignored_items f, next n
		WHERE f.account_id = n.account_id AND f.bank_statement_id = n.id AND NOT f.suspect AND f.replaces IS NULL
			AND f.outcome NOT IN ('future', 'balance')
		ORDER BY f.number LIMIT $2
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
		WHERE b.account_id = n.account_id AND b.id = n.id AND (SELECT count(*) FROM picked) < $2
	)
	SELECT (SELECT count(*) FROM next) AS statements, (SELECT count(*) FROM removed) AS items
