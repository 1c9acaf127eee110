SELECT account_id, record, expected, found
		FROM (
		SELECT c.account_id, format('category %s', c.id), 'a parent that is there, or deleted with it',
			format('category %s, deleted', p.id)
		FROM categories c JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND p.deleted_at IS NOT NULL) AS d (account_id, record, expected, found) ORDER BY account_id, record
