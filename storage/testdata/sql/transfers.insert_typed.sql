-- $1 = account
-- $2 = transactions
-- $3 = deposit_account
WITH n AS (
			SELECT nextval('financial_transactions_id_seq') AS here, CASE WHEN transfer_deposit_account_id IS NOT NULL
				THEN nextval('financial_transactions_id_seq') END AS there, external_id, amount, transfer_deposit_account_id, occurred_at, document, user_description, observation, category_id, person_id, classification_center_id
			FROM json_populate_recordset(NULL::financial_transactions, $2))
		INSERT INTO financial_transactions AS t (id, account_id, deposit_account_id, currency_id, amount, external_id,
			transfer_id, transfer_deposit_account_id, occurred_at, document, user_description, observation, category_id, person_id,
	classification_center_id)
		SELECT side.id, d.account_id, d.id, d.currency_id, side.amount, side.external_id,
			side.transfer_id, side.other_account, occurred_at, document, user_description, observation, category_id, person_id,
	classification_center_id
		FROM n
		CROSS JOIN LATERAL (VALUES
			(here, $3::bigint, amount, external_id, there, transfer_deposit_account_id),
			(there, transfer_deposit_account_id, -amount, NULL, here, $3)
		) AS side (id, account, amount, external_id, transfer_id, other_account)
		JOIN deposit_accounts d ON d.account_id = $1 AND d.id = side.account
		ORDER BY side.id
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
