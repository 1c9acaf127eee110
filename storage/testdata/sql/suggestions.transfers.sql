-- $1 = account
-- $2 = entity
-- $3 = deposit_account
-- $4 = currency
-- $5 = from
-- $6 = window
-- $7 = to
-- $8 = amounts
-- $9 = most
/* planned each time */ SELECT t.id, t.deposit_account_id, t.occurred_at, t.amount, coalesce(t.document, '') AS document, coalesce(t.end_to_end_id, '') AS end_to_end_id,
		coalesce(t.txid, '') AS tx_id, coalesce(t.counterpart_document, '') AS counterpart_document,
		coalesce(t.counterpart_name, '') AS counterpart_name,
		left(concat_ws(' ', t.original_description, t.user_description, p.name), 1000) AS text
	FROM deposit_accounts d JOIN financial_transactions t ON t.account_id = d.account_id
		AND t.deposit_account_id = d.id LEFT JOIN people p ON p.account_id = t.account_id AND p.id = t.person_id
	WHERE t.account_id = $1 AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = t.bank_statement_id
			AND b.deleted_at IS NOT NULL) AND d.entity_id = $2 AND d.id <> $3 AND d.currency_id = $4
		AND d.deleted_at IS NULL
		AND t.occurred_at BETWEEN CAST($5 AS date) - $6::int AND CAST($7 AS date) + $6::int
		AND -t.amount = ANY($8::numeric[]) LIMIT $9
