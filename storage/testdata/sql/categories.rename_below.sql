-- $1 = account
-- $2 = id
WITH RECURSIVE tree AS (
		SELECT id, full_name FROM categories WHERE account_id = $1 AND id = $2
		UNION ALL
		SELECT c.id, tree.full_name || ' / ' || c.name
		FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id AND c.deleted_at IS NULL)
		UPDATE categories c SET full_name = tree.full_name, updated_at = now()
		FROM tree WHERE c.account_id = $1 AND c.id = tree.id AND c.full_name <> tree.full_name RETURNING c.id
