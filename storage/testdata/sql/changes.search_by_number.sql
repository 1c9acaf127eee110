-- $1 = account
-- $2 = after
-- $3 = before
-- $4 = family
-- $5 = action
-- $6 = entity
-- $7 = record
-- $8 = user
-- $9 = since
-- $10 = until
-- $11 = limit
SELECT id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM ((
			SELECT id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM changes
			WHERE account_id = $1 AND sequence > $2 AND sequence < $3 AND true
				AND ($4 = '' OR family = $4) AND ($5 = '' OR action = $5)
				AND ($6::bigint = 0 OR entity_id = $6) AND ($7::bigint = 0 OR $7 = ANY(record_ids))
				AND ($8::bigint = 0 OR user_id = $8)
				AND ($9::timestamptz IS NULL OR occurred_at >= $9) AND ($10::timestamptz IS NULL OR occurred_at < $10)
			ORDER BY sequence DESC LIMIT $11)) c
		ORDER BY sequence DESC LIMIT $11
