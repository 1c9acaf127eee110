-- $1 = account
-- $2 = n
-- $3 = after
-- $4 = through
-- $5 = family
-- $6 = action
-- $7 = entity
-- $8 = record
-- $9 = sees_all
-- $10 = seen_families
-- $11 = sees_all_entities
-- $12 = seen_entities
SELECT count(*) AS found, coalesce((array_agg(sequence ORDER BY sequence))[$2::bigint], 0) AS nth FROM changes
	WHERE account_id = $1 AND sequence > $3 AND sequence <= $4
			AND ($5 = '' OR family = $5) AND ($6 = '' OR action = $6)
			AND ($7::bigint = 0 OR entity_id = $7) AND ($8::bigint = 0 OR $8 = ANY(record_ids))
			AND ($9 OR (family = ANY($10) AND (concerns IS NULL OR concerns && $10)
				AND ($11 OR entity_id IS NULL OR entity_id = ANY($12))))
