-- $1 = account
-- $2 = sees_all
-- $3 = entities
-- $4 = id
SELECT a.id, a.account_id, a.entity_id, a.payment_methods FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4 FOR KEY SHARE
