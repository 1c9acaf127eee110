-- $1 = account
-- $2 = entity
-- $3 = id
SELECT coalesce(r.deposit_account_id, 0) FROM reconciliation_rules r WHERE r.account_id = $1 AND r.entity_id = $2 AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.id = $3
		FOR NO KEY UPDATE OF r
