SELECT account_id, record, expected, found
		FROM (
		WITH removals AS (
			SELECT account_id, args::json ->> 'root' AS root, CAST(args::json ->> 'id' AS bigint) AS id
			FROM jobs WHERE kind = 'delete_cascade')
		SELECT account_id, format('%s %s, deleted', root, id), 'a job that removes it', 'none'
		FROM (SELECT account_id, 'categories' AS root, id FROM categories r WHERE deleted_at IS NOT NULL AND NOT EXISTS (SELECT FROM categories p
				WHERE p.account_id = r.account_id AND p.id = r.parent_id AND p.deleted_at IS NOT NULL)
			UNION ALL SELECT account_id, 'classification_centers' AS root, id FROM classification_centers r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'credit_cards' AS root, id FROM credit_cards r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'custom_classifier_values' AS root, id FROM custom_classifier_values r WHERE deleted_at IS NOT NULL AND NOT EXISTS (SELECT FROM custom_classifiers p
				WHERE p.account_id = r.account_id AND p.id = r.custom_classifier_id AND p.deleted_at IS NOT NULL)
			UNION ALL SELECT account_id, 'custom_classifiers' AS root, id FROM custom_classifiers r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'deposit_accounts' AS root, id FROM deposit_accounts r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'entities' AS root, id FROM entities r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'people' AS root, id FROM people r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'sale_accounts' AS root, id FROM sale_accounts r WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'webhooks' AS root, id FROM webhooks r WHERE deleted_at IS NOT NULL AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = r.account_id AND e.id = r.entity_id AND e.deleted_at IS NOT NULL)) h
		WHERE NOT EXISTS (SELECT FROM removals j WHERE j.account_id = h.account_id AND j.root = h.root AND j.id = h.id)
			AND NOT EXISTS (SELECT FROM removals j WHERE j.account_id = h.account_id
				AND j.root IN ('accounts', 'sandboxes'))) AS d (account_id, record, expected, found) ORDER BY account_id, record
