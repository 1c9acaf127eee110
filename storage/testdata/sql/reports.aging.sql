-- $1 = 1
SELECT EXISTS (SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL) OR EXISTS (SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL)
		OR EXISTS (SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL);

-- $1 = 1
-- $2 = 2026-01-31
-- $3 = [1 31 61 91]
-- $4 = [2]
-- $5 = payable
-- $6 = 60006
/* planned each time */ 
	WITH open_accounts AS (
		SELECT f.entity_id, f.person_id,
			width_bucket(CAST($2 AS date) - f.due_date, CAST($3 AS int[])) AS group_number,
			count(*) AS count, sum(f.amount) + coalesce(sum(f.ticket_amount), 0) + coalesce(sum(f.interest_amount), 0)
				- coalesce(sum(f.discount_amount), 0) AS sum
		FROM financial_accounts f
		WHERE f.account_id = $1 AND f.entity_id = ANY ($4) AND f.kind = $5
			AND (f.due_date <= CAST($2 AS date) OR f.created_at < CAST($2 AS date) + 1)
		AND (f.occurred_at IS NULL OR f.occurred_at > CAST($2 AS date))
		GROUP BY f.entity_id, f.person_id, group_number
	), sums AS (
		SELECT grouping(person_id) = 0 AS of_person, person_id, group_number, coalesce(sum(count), 0) AS count,
			coalesce(sum(sum), 0) AS sum,
			coalesce(json_agg(DISTINCT entity_id ORDER BY entity_id), '[]') AS entity_ids
		FROM open_accounts
		GROUP BY GROUPING SETS ((person_id, group_number), (person_id), (group_number), ())
	)
	SELECT s.of_person, s.person_id, s.group_number, s.count, s.sum, s.entity_ids, CASE WHEN s.group_number IS NULL
		THEN (SELECT name FROM people p WHERE p.account_id = $1 AND p.id = s.person_id) END AS person_name
	FROM sums s
	ORDER BY s.group_number IS NULL DESC, s.sum DESC, s.person_id LIMIT $6;
