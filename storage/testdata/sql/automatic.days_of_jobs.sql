-- $1 = account
-- $2 = reach
-- $3 = jobs
-- $4 = entity
-- $5 = automatic
-- $6 = from
WITH wanted_days AS (
		SELECT CASE WHEN bool_and(args::json ->> 'from' IS NOT NULL)
			THEN min((args::json ->> 'from')::date) - $2::int END AS first,
			CASE WHEN bool_and(args::json ->> 'to' IS NOT NULL)
				THEN max((args::json ->> 'to')::date) + $2::int END AS last
		FROM jobs WHERE id = ANY($3))
	SELECT t.occurred_at AS day, count(*) AS count FROM deposit_accounts d, financial_transactions t
	WHERE 
	d.account_id = $1 AND d.entity_id = $4 AND d.deleted_at IS NULL AND t.account_id = $1
		AND t.deposit_account_id = d.id
	AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND t.currency_id = 1 AND NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = t.bank_statement_id
			AND b.deleted_at IS NOT NULL) AND NOT t.left_to_people AND (d.automatic_reconciliation OR $5)
		AND t.occurred_at >= coalesce(greatest($6::date, (SELECT first FROM wanted_days)), '-infinity')
		AND t.occurred_at <= coalesce((SELECT last FROM wanted_days), 'infinity')
	GROUP BY 1 ORDER BY 1
