-- $1 = account
-- $2 = identities
-- $3 = entity
SELECT b.id, i.identity, false AS hidden
		FROM unnest($2::text[]) AS i (identity)
		JOIN budgets b ON b.account_id = $1 AND b.entity_id = $3
			AND b.month = split_part(i.identity, '/', 1)::date
			AND b.category_id = split_part(i.identity, '/', 2)::bigint
			AND b.classification_center_id IS NOT DISTINCT FROM nullif(split_part(i.identity, '/', 3), '0')::bigint
		WHERE (b.category_id <> ALL (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (b.classification_center_id <> ALL (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE ORDER BY b.id
