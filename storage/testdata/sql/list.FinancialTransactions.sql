-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 7.0, for amount_equals
-- $5 = 7.0, for amount_gte
-- $6 = 7.0, for amount_lte
-- $7 = 7, for category_id_equals
-- $8 = true, for category_id_is_null
-- $9 = 7, for category_tree
-- $10 = 7, for classification_center_id_equals
-- $11 = true, for classification_center_id_is_null
-- $12 = 7, for counterpart_document_equals
-- $13 = %7%, for counterpart_name_contains
-- $14 = 7, for currency_id
-- $15 = %7%, for description_contains
-- $16 = 7, for document_equals
-- $17 = 7, for end_to_end_id_equals
-- $18 = 7, for external_id_equals
-- $19 = [7], for ids
-- $20 = true, for left
-- $21 = 2026-01-31, for occurred_at_gte
-- $22 = 2026-01-31, for occurred_at_lte
-- $23 = 7, for person_id_equals
-- $24 = true, for person_id_is_null
-- $25 = true, for reconciled
-- $26 = true, for transfer_id_is_null
-- $27 = 7, for txid_equals
-- $28 = false, for type
-- $29 = 2026-01-31T00:00:00, for updated_at_gte
-- $30 = 30, for size
-- $31 = 30, for offset
/* planned each time */ SELECT t.id, t.account_id, t.deposit_account_id, t.external_id,
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
FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
				AND t.deposit_account_id = $3 AND t.amount = CAST($4 AS numeric) AND t.amount >= CAST($5 AS numeric) AND t.amount <= CAST($6 AS numeric) AND t.category_id = $7 AND (t.category_id IS NULL OR t.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) = $8 AND t.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $9
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND t.classification_center_id = $10 AND (t.classification_center_id IS NULL) = $11 AND t.counterpart_document = $12 AND fold(t.counterpart_name) LIKE fold($13) AND t.currency_id = CAST($14 AS bigint) AND (fold(t.original_description) LIKE fold($15) OR fold(t.user_description) LIKE fold($15)) AND t.document = $16 AND t.end_to_end_id = $17 AND t.external_id = $18 AND t.id = ANY(CAST($19 AS bigint[])) AND (t.reconcile_id IS NULL AND t.transfer_id IS NULL) = $20 AND t.occurred_at >= CAST($21 AS date) AND t.occurred_at <= CAST($22 AS date) AND t.person_id = $23 AND (t.person_id IS NULL) = $24 AND (t.reconcile_id IS NOT NULL) = $25 AND (t.transfer_id IS NULL) = $26 AND t.txid = $27 AND (t.amount < 0) = $28 AND t.updated_at >= CAST($29 AS timestamptz)
ORDER BY t.occurred_at + 0 DESC, t.id DESC LIMIT nullif($30, 0) OFFSET $31;

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 7.0, for amount_equals
-- $5 = 7.0, for amount_gte
-- $6 = 7.0, for amount_lte
-- $7 = 7, for category_id_equals
-- $8 = true, for category_id_is_null
-- $9 = 7, for category_tree
-- $10 = 7, for classification_center_id_equals
-- $11 = true, for classification_center_id_is_null
-- $12 = 7, for counterpart_document_equals
-- $13 = %7%, for counterpart_name_contains
-- $14 = 7, for currency_id
-- $15 = %7%, for description_contains
-- $16 = 7, for document_equals
-- $17 = 7, for end_to_end_id_equals
-- $18 = 7, for external_id_equals
-- $19 = [7], for ids
-- $20 = true, for left
-- $21 = 2026-01-31, for occurred_at_gte
-- $22 = 2026-01-31, for occurred_at_lte
-- $23 = 7, for person_id_equals
-- $24 = true, for person_id_is_null
-- $25 = true, for reconciled
-- $26 = true, for transfer_id_is_null
-- $27 = 7, for txid_equals
-- $28 = false, for type
-- $29 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
				AND t.deposit_account_id = $3 AND t.amount = CAST($4 AS numeric) AND t.amount >= CAST($5 AS numeric) AND t.amount <= CAST($6 AS numeric) AND t.category_id = $7 AND (t.category_id IS NULL OR t.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) = $8 AND t.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $9
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND t.classification_center_id = $10 AND (t.classification_center_id IS NULL) = $11 AND t.counterpart_document = $12 AND fold(t.counterpart_name) LIKE fold($13) AND t.currency_id = CAST($14 AS bigint) AND (fold(t.original_description) LIKE fold($15) OR fold(t.user_description) LIKE fold($15)) AND t.document = $16 AND t.end_to_end_id = $17 AND t.external_id = $18 AND t.id = ANY(CAST($19 AS bigint[])) AND (t.reconcile_id IS NULL AND t.transfer_id IS NULL) = $20 AND t.occurred_at >= CAST($21 AS date) AND t.occurred_at <= CAST($22 AS date) AND t.person_id = $23 AND (t.person_id IS NULL) = $24 AND (t.reconcile_id IS NOT NULL) = $25 AND (t.transfer_id IS NULL) = $26 AND t.txid = $27 AND (t.amount < 0) = $28 AND t.updated_at >= CAST($29 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 2026-01-31
-- $5 = 7
-- $6 = 31
SELECT t.id, t.account_id, t.deposit_account_id, t.external_id,
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
				LIMIT 20) m) END AS reconciled_with, ARRAY[CAST(t.occurred_at AS text), CAST(t.id AS text)]
FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
				AND t.deposit_account_id = $3 AND (t.occurred_at, t.id) < (CAST($4 AS date), CAST($5 AS bigint))
ORDER BY t.occurred_at DESC, t.id DESC LIMIT $6;
