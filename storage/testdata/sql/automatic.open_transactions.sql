-- $1 = account
-- $2 = entity
-- $3 = first
-- $4 = reach
-- $5 = last
SELECT t.id, CAST(t.xmin::text AS bigint) AS version, t.deposit_account_id, t.occurred_at, t.amount,
			coalesce(t.document, '') AS document, coalesce(t.end_to_end_id, '') AS end_to_end_id,
		coalesce(t.txid, '') AS tx_id, coalesce(t.counterpart_document, '') AS counterpart_document,
		coalesce(t.counterpart_name, '') AS counterpart_name,
			left(concat_ws(' ', t.original_description, t.user_description, p.name), 1000) AS text, d.automatic_reconciliation AS unattended, t.left_to_people
		FROM deposit_accounts d, financial_transactions t LEFT JOIN people p ON p.account_id = t.account_id AND p.id = t.person_id
		WHERE 
	d.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.account_id = $1
		AND t.deposit_account_id = d.id
	AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND t.currency_id = 1 AND NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = t.bank_statement_id
			AND b.deleted_at IS NOT NULL) AND t.occurred_at BETWEEN CAST($3 AS date) - $4::int AND CAST($5 AS date) + $4::int
