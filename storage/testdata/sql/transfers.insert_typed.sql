-- $1 = account
-- $2 = day
-- $3 = document
-- $4 = description
-- $5 = external_id
-- $6 = observation
-- $7 = category
-- $8 = person
-- $9 = center
-- $10 = deposit_account
-- $11 = amount
-- $12 = other_deposit_account
WITH ids AS (SELECT nextval(s) AS here, nextval(s) AS there
		FROM CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass) s)
	INSERT INTO financial_transactions AS t (id, account_id, deposit_account_id, amount, occurred_at, document,
		user_description, external_id,
		observation, category_id, person_id, classification_center_id, transfer_id, transfer_deposit_account_id,
			currency_id)
	SELECT s.id, d.account_id, d.id, s.amount, $2, $3, $4,
		CASE s.id WHEN here THEN $5::text END, $6, $7, $8, $9,
		s.other_id, s.other_account, d.currency_id
	FROM ids, LATERAL (VALUES (here, $10::bigint, $11::numeric, there, $12::bigint),
			(there, $12, -$11, here, $10))
		AS s (id, deposit_account, amount, other_id, other_account)
	JOIN deposit_accounts d ON d.account_id = $1 AND d.id = s.deposit_account
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
