-- $1 = account
-- $2 = entity
-- $3 = id
SELECT s.sale_account_id FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id = $3 FOR UPDATE OF s
