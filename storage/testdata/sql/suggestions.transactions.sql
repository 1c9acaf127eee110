-- $1 = 1
-- $2 = 103
-- $3 = 2026-01-01
-- $4 = 2026-01-31
-- $5 = 20001
SELECT t.id, t.deposit_account_id, t.occurred_at, t.amount, coalesce(t.document, '') AS document, coalesce(t.end_to_end_id, '') AS end_to_end_id,
		coalesce(t.txid, '') AS tx_id, coalesce(t.counterpart_document, '') AS counterpart_document,
		coalesce(t.counterpart_name, '') AS counterpart_name,
		left(concat_ws(' ', t.original_description, t.user_description, p.name), 1000) AS text
		FROM financial_transactions t LEFT JOIN people p ON p.account_id = t.account_id AND p.id = t.person_id WHERE t.account_id = $1 AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = t.bank_statement_id
			AND b.deleted_at IS NOT NULL) AND t.deposit_account_id = $2 AND t.occurred_at >= CAST($3 AS date) AND t.occurred_at <= CAST($4 AS date) LIMIT $5;
