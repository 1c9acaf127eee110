SELECT account_id, record, expected, found
		FROM (
		SELECT c.account_id, format('category %s', c.id), coalesce(p.full_name || ' / ', '') || c.name, c.full_name
		FROM categories c LEFT JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND c.full_name <> coalesce(p.full_name || ' / ', '') || c.name) AS d (account_id, record, expected, found) ORDER BY account_id, record
