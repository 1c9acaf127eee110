-- $1 = account
-- $2 = entity
-- $3 = kind
-- $4 = id
SELECT FROM financial_accounts
		WHERE account_id = $1
			AND recurrence_id = (SELECT f.recurrence_id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3 AND f.id = $4)
		ORDER BY id FOR UPDATE
