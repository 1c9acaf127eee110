-- $1 = account
-- $2 = ids
-- $3 = starts
-- $4 = ends
-- $5 = dues
-- $6 = balances
-- $7 = counts
-- $8 = card
WITH dated AS MATERIALIZED (
		SELECT * FROM unnest($2::bigint[], $3::date[], $4::date[], $5::date[], $6::numeric[],
			$7::bigint[]) AS s (id, start_date, end_date, due_date, balance, count)),
	kept AS (
		UPDATE credit_card_invoices i SET start_date = s.start_date, end_date = s.end_date, due_date = s.due_date,
			balance = s.balance, transactions_count = s.count
		FROM dated s WHERE i.account_id = $1 AND i.id = s.id
		RETURNING i.id, i.start_date, i.end_date, i.due_date, i.balance, i.transactions_count),
	new AS (
		INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date, balance,
			transactions_count)
		SELECT $1, $8, start_date, end_date, due_date, balance, count FROM dated WHERE id = 0 ORDER BY end_date
		RETURNING id, start_date, end_date, due_date, balance, transactions_count)
	SELECT * FROM kept UNION ALL SELECT * FROM new
