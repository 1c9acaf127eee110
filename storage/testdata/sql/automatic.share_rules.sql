-- $1 = account
-- $2 = entity
SELECT r.id, r.account_id, r.entity_id, r.position, r.name, r.automatic, r.text_contains, r.amount_gte, r.amount_lte, r.type, r.deposit_account_id, r.counterpart_document, r.new_account, r.match, r.category_id, r.person_id, r.classification_center_id, r.description, r.document, r.observation, r.days, r.created_at, r.updated_at, CAST(r.xmin::text AS bigint) AS version
		FROM reconciliation_rules r WHERE r.account_id = $1 AND r.entity_id = $2 AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE ORDER BY r.position, r.id FOR SHARE OF r
