-- $1 = accounts
-- $2 = ids
-- $3 = bodies
-- $4 = requests
WITH updated_deliveries AS (
		UPDATE deliveries d SET attempts_count = attempts_count + 1, body = coalesce(d.body, n.body)
		FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::text[]) AS n (account_id, id,
			body, request_id)
		WHERE d.account_id = n.account_id AND d.id = n.id AND CASE WHEN d.status = 'pending' THEN true END 
		RETURNING d.account_id, d.id, attempts_count, request_id)
	INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id)
	SELECT account_id, id, attempts_count, request_id FROM updated_deliveries RETURNING delivery_id AS id, number
