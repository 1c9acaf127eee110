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
-- $11 = id
UPDATE financial_transactions AS t SET external_id = $2, amount = $3, occurred_at = $4, document = $5, user_description = $6, observation = $7, category_id = $8, person_id = $9, classification_center_id = $10, updated_at = now()
		WHERE t.account_id = $1 AND t.id = $11 RETURNING t.id, t.account_id, t.deposit_account_id, t.external_id,
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
		WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id) AS attachment_ids,
	CASE WHEN t.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id, 'Kind', m.kind)), '[]') FROM (
			SELECT id, kind FROM financial_accounts
			WHERE account_id = t.account_id AND reconcile_id = t.reconcile_id ORDER BY id
				LIMIT 20) m) END AS reconciled_with
