-- $1 = account
-- $2 = entity
SELECT count(*) FROM reconciliation_rules r WHERE r.account_id = $1 AND r.entity_id = $2 AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE
