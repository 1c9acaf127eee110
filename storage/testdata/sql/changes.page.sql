-- $1 = account
-- $2 = after
-- $3 = through
-- $4 = family
-- $5 = action
-- $6 = entity
-- $7 = record
-- $8 = sees_all
-- $9 = seen_families
-- $10 = sees_all_entities
-- $11 = seen_entities
-- $12 = limit
-- $13 = most_bytes
SELECT id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM (
		SELECT *,
			sum(octet_length(attributes)) OVER (ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS
				bytes_before
		FROM changes
		WHERE account_id = $1 AND sequence > $2 AND sequence <= $3
			AND ($4 = '' OR family = $4) AND ($5 = '' OR action = $5)
			AND ($6::bigint = 0 OR entity_id = $6) AND ($7::bigint = 0 OR $7 = ANY(record_ids))
			AND ($8 OR (family = ANY($9) AND (concerns IS NULL OR concerns && $9)
				AND ($10 OR entity_id IS NULL OR entity_id = ANY($11))))
		ORDER BY sequence LIMIT $12) page
	WHERE coalesce(bytes_before, 0) < $13 ORDER BY sequence
