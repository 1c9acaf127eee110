SELECT account_id, record, expected, found
		FROM (
		WITH folded AS (
			SELECT account_id, entity_id, id AS sale_id, fold(description) AS description,
				fold(observation) AS observation FROM sales
			WHERE description IS NOT NULL OR observation IS NOT NULL)
		SELECT account_id, format('sale %s', sale_id), CASE WHEN f IS NULL THEN 'none'
			ELSE 'its description and observation' END,
			CASE WHEN t IS NULL THEN 'none' ELSE 'others' END
		FROM folded f FULL JOIN sale_texts t USING (account_id, entity_id, sale_id)
		WHERE (f.description, f.observation) IS DISTINCT FROM (t.description, t.observation)) AS d (account_id, record, expected, found) ORDER BY account_id, record
