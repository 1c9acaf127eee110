-- $1 = account
-- $2 = transactions
-- $3 = deposit_account
INSERT INTO financial_transactions AS t (account_id, deposit_account_id, currency_id, external_id, amount, occurred_at, document, user_description, observation, category_id, person_id, classification_center_id)
		SELECT d.account_id, d.id, d.currency_id, n.external_id, n.amount, n.occurred_at, n.document, n.user_description, n.observation, n.category_id, n.person_id, n.classification_center_id
		FROM deposit_accounts d, json_populate_recordset(NULL::financial_transactions, $2) WITH ORDINALITY n
		WHERE d.account_id = $1 AND d.id = $3
		ORDER BY n.ordinality
		RETURNING t.id, t.account_id, t.deposit_account_id, t.external_id,
	CASE WHEN t.amount < 0 THEN 'Debit'
	ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.end_to_end_id, t.txid, t.counterpart_name,
	t.counterpart_document, (
		SELECT min(p.id) FROM people p WHERE p.account_id = t.account_id AND p.deleted_at IS NULL
			AND p.federation_subscription_code = t.counterpart_document AND t.person_id IS NULL
		HAVING count(*) = 1) AS suggested_person_id, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id,
		t.transfer_deposit_account_id, t.pair_id,
	t.reconcile_id, t.reconcile_id IS NOT NULL OR t.transfer_id IS NOT NULL AND EXISTS (
		SELECT FROM financial_transactions o WHERE o.account_id = t.account_id AND o.id = t.transfer_id
			AND o.reconcile_id IS NOT NULL) AS bound,
	t.created_at, t.updated_at, (
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_transaction_attachments x
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids
