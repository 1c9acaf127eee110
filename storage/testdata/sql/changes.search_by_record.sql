-- $1 = account
-- $2 = after
-- $3 = before
-- $4 = record
-- $5 = family
-- $6 = action
-- $7 = entity
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
			WHERE account_id = $1 AND sequence > $2 AND sequence < $3 AND record_ids[1] = $4 AND cardinality(record_ids) = 1
				AND ($5 = '' OR family = $5) AND ($6 = '' OR action = $6)
				AND ($7::bigint = 0 OR entity_id = $7) AND ($4::bigint = 0 OR $4 = ANY(record_ids))
				AND ($8::bigint = 0 OR user_id = $8)
				AND ($9::timestamptz IS NULL OR occurred_at >= $9) AND ($10::timestamptz IS NULL OR occurred_at < $10)
			ORDER BY sequence DESC LIMIT $11) UNION ALL (
			SELECT id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM changes
			WHERE account_id = $1 AND sequence > $2 AND sequence < $3 AND cardinality(record_ids) > 1
				AND ($5 = '' OR family = $5) AND ($6 = '' OR action = $6)
				AND ($7::bigint = 0 OR entity_id = $7) AND ($4::bigint = 0 OR $4 = ANY(record_ids))
				AND ($8::bigint = 0 OR user_id = $8)
				AND ($9::timestamptz IS NULL OR occurred_at >= $9) AND ($10::timestamptz IS NULL OR occurred_at < $10)
			ORDER BY sequence DESC LIMIT $11)) c
		ORDER BY sequence DESC LIMIT $11
