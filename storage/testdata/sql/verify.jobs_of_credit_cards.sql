SELECT account_id, record, expected, found
		FROM (
		SELECT p.account_id, format('credit card %s', p.credit_card_id), 'a job for its pending days', 'none'
		FROM pending_card_days p JOIN credit_cards k ON k.account_id = p.account_id AND k.id = p.credit_card_id
		WHERE k.deleted_at IS NULL AND NOT EXISTS (SELECT FROM jobs j
				WHERE j.kind = 'apply_card_days' AND j.key = k.account_id || ':' || k.id)
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = k.account_id AND e.id = k.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
