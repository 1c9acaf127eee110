-- $1 = account
-- $2 = external_id
-- $3 = amount
-- $4 = occurred_at
-- $5 = document
-- $6 = user_description
-- $7 = observation
-- $8 = category_id
-- $9 = person_id
-- $10 = classification_center_id
-- $11 = deposit_account
INSERT INTO financial_transactions AS t (account_id, deposit_account_id, external_id, amount, occurred_at, document, user_description, observation, category_id, person_id, classification_center_id, currency_id)
		SELECT account_id, id, $2, $3, $4, $5, $6, $7, $8, $9, $10, currency_id
		FROM deposit_accounts WHERE account_id = $1 AND id = $11
		RETURNING t.id, t.account_id, t.deposit_account_id, t.external_id,
	CASE WHEN t.amount < 0 THEN 'Debit'
	ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.end_to_end_id, t.txid, t.counterpart_name,
	t.counterpart_document, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id,
		t.transfer_deposit_account_id, t.pair_id,
	t.reconcile_id, t.reconcile_id IS NOT NULL OR t.transfer_id IS NOT NULL AND EXISTS (
		SELECT FROM financial_transactions o WHERE o.account_id = t.account_id AND o.id = t.transfer_id
			AND o.reconcile_id IS NOT NULL) AS bound,
	t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
