-- $1 = account
-- $2 = categories
SELECT nextval(pg_get_serial_sequence('categories', 'id')) AS id, fold(n.name) AS key, p.id AS parent_id,
			p.full_name AS parent, fold(coalesce(p.full_name, n.parent_full_name)) AS parent_key
		FROM ROWS FROM (json_to_recordset($2) AS (name text, parent_id bigint, parent_full_name text))
			WITH ORDINALITY n (name, parent_id, parent_full_name, line)
		LEFT JOIN LATERAL (
			SELECT c.id, c.full_name FROM categories c WHERE c.account_id = $1 AND c.deleted_at IS NULL
				AND c.id = n.parent_id AND n.parent_full_name IS NULL
			UNION ALL
			SELECT c.id, c.full_name FROM categories c WHERE c.account_id = $1 AND c.deleted_at IS NULL
				AND fold(c.full_name) = fold(n.parent_full_name)) p ON true
		ORDER BY n.line
