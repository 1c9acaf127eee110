-- $1 = account
-- $2 = after
-- $3 = before
-- $4 = request
-- $5 = family
-- $6 = action
-- $7 = entity
-- $8 = record
-- $9 = user
-- $10 = since
-- $11 = until
-- $12 = limit
SELECT id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM ((
			SELECT id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM changes
			WHERE account_id = $1 AND sequence > $2 AND sequence < $3 AND request_id = $4
				AND ($5 = '' OR family = $5) AND ($6 = '' OR action = $6)
				AND ($7::bigint = 0 OR entity_id = $7) AND ($8::bigint = 0 OR $8 = ANY(record_ids))
				AND ($9::bigint = 0 OR user_id = $9)
				AND ($10::timestamptz IS NULL OR occurred_at >= $10) AND ($11::timestamptz IS NULL OR occurred_at < $11)
			ORDER BY sequence DESC LIMIT $12)) c
		ORDER BY sequence DESC LIMIT $12
