-- $1 = 1
SELECT EXISTS (SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL) OR EXISTS (SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL)
		OR EXISTS (SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL);

-- $1 = 1
-- $2 = [2]
-- $3 = 103
SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY($2) AND deleted_at IS NULL
			AND ($3 = 0 OR id = $3);

-- $1 = 1
-- $2 = [2]
SELECT count(DISTINCT currency_id) > 1 FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = ANY($2) AND deleted_at IS NULL;

-- $1 = 1
-- $2 = [103]
/* planned each time */ SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count, ARRAY[CAST(coalesce(sum(sum_1), 0) AS text), CAST(coalesce(sum(sum_2), 0) AS text), CAST(coalesce(sum(sum_1), 0) + coalesce(sum(sum_2), 0) AS text)] AS sums
FROM (SELECT count(*) AS count, sum(CASE WHEN t.amount > 0 THEN t.amount END) AS sum_1, sum(CASE WHEN t.amount < 0 THEN t.amount END) AS sum_2
FROM financial_transactions t
			WHERE t.account_id = $1 AND t.deposit_account_id = ANY($2)) g;

-- $1 = 1
-- $2 = [103]
/* planned each time */ SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count, ARRAY[CAST(coalesce(sum(sum_1), 0) AS text), CAST(coalesce(sum(sum_2), 0) AS text), CAST(coalesce(sum(sum_1), 0) + coalesce(sum(sum_2), 0) AS text)] AS sums, CAST(key1 AS text) AS key1, CAST(to_char(key2, 'YYYY-MM') AS text) AS key2
FROM (SELECT count(*) AS count, sum(CASE WHEN t.amount > 0 THEN t.amount END) AS sum_1, sum(CASE WHEN t.amount < 0 THEN t.amount END) AS sum_2, t.category_id AS key1, t.occurred_at AS key2
FROM financial_transactions t
			WHERE t.account_id = $1 AND t.deposit_account_id = ANY($2)
GROUP BY key1, key2) g
GROUP BY 3, 4
LIMIT 10001;

-- $1 = 1
SELECT id, coalesce(parent_id, 0) AS parent_id FROM categories
		WHERE account_id = $1 AND deleted_at IS NULL;

-- $1 = 1
-- $2 = [103]
/* planned each time */ SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count, ARRAY[CAST(coalesce(sum(sum_1), 0) AS text), CAST(coalesce(sum(sum_2), 0) AS text), CAST(coalesce(sum(sum_1), 0) + coalesce(sum(sum_2), 0) AS text)] AS sums, CAST(key1 AS text) AS key1, CAST((SELECT x.entity_id FROM deposit_accounts x WHERE x.account_id = $1 AND x.id = key2) AS text) AS key2
FROM (SELECT count(*) AS count, sum(CASE WHEN t.amount > 0 THEN t.amount END) AS sum_1, sum(CASE WHEN t.amount < 0 THEN t.amount END) AS sum_2, t.classification_center_id AS key1, t.deposit_account_id AS key2
FROM financial_transactions t
			WHERE t.account_id = $1 AND t.deposit_account_id = ANY($2)
GROUP BY key1, key2) g
GROUP BY 3, 4
LIMIT 10001;
