-- $1 = account
-- $2 = entity
-- $3 = identities
SELECT r.id, r.external_id AS identity, NOT (r.deleted_at IS NULL) AS hidden
		FROM people r WHERE r.account_id = $1 AND $2::bigint = 0
			AND r.deleted_at IS NULL AND r.external_id = ANY($3) ORDER BY r.id
