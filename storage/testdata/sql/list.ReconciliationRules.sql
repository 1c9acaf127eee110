-- $1 = 1
-- $2 = 2
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
-- $5 = 30, for size
-- $6 = 30, for offset
SELECT r.id, r.account_id, r.entity_id, r.position, r.name, r.automatic, r.text_contains, r.amount_gte, r.amount_lte, r.type, r.deposit_account_id, r.counterpart_document, r.new_account, r.match, r.category_id, r.person_id, r.classification_center_id, r.description, r.document, r.observation, r.days, r.created_at, r.updated_at
FROM reconciliation_rules r WHERE r.account_id = $1 AND r.entity_id = $2 AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.id = ANY(CAST($3 AS bigint[])) AND r.updated_at >= CAST($4 AS timestamptz)
ORDER BY r.position + 0, r.id LIMIT nullif($5, 0) OFFSET $6;

-- $1 = 1
-- $2 = 2
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM reconciliation_rules r WHERE r.account_id = $1 AND r.entity_id = $2 AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.id = ANY(CAST($3 AS bigint[])) AND r.updated_at >= CAST($4 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 7
-- $4 = 7
-- $5 = 31
SELECT r.id, r.account_id, r.entity_id, r.position, r.name, r.automatic, r.text_contains, r.amount_gte, r.amount_lte, r.type, r.deposit_account_id, r.counterpart_document, r.new_account, r.match, r.category_id, r.person_id, r.classification_center_id, r.description, r.document, r.observation, r.days, r.created_at, r.updated_at, ARRAY[CAST(r.position AS text), CAST(r.id AS text)]
FROM reconciliation_rules r WHERE r.account_id = $1 AND r.entity_id = $2 AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (r.position, r.id) > (CAST($3 AS int), CAST($4 AS bigint))
ORDER BY r.position, r.id LIMIT $5;
