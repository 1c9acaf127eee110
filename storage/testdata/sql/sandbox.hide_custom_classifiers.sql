-- $1 = account
UPDATE custom_classifiers SET deleted_at = now(), updated_at = now()
		WHERE account_id = (SELECT id FROM accounts WHERE id = $1 AND sandbox) AND id = ANY(ARRAY(
			SELECT id FROM custom_classifiers WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR UPDATE))
		RETURNING id
