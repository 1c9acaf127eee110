-- $1 = account
-- $2 = entity
-- $3 = identities
SELECT r.id, r.external_id AS identity, NOT (r.deleted_at IS NULL) AS hidden
		FROM deposit_accounts r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.external_id = ANY($3) ORDER BY r.id
