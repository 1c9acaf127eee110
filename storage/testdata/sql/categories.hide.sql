-- $1 = account
-- $2 = id
WITH RECURSIVE tree AS (
		SELECT id, full_name FROM categories WHERE account_id = $1 AND id = $2
		UNION ALL
		SELECT c.id, tree.full_name || ' / ' || c.name
		FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL), locked_categories AS (
			SELECT id FROM categories WHERE account_id = $1 AND id IN (SELECT id FROM tree)
			ORDER BY id FOR UPDATE),
		hidden AS (
			UPDATE categories SET deleted_at = now(), updated_at = now()
			WHERE account_id = $1 AND id IN (SELECT id FROM locked_categories) RETURNING id)
		SELECT id FROM hidden WHERE id <> $2 ORDER BY id
