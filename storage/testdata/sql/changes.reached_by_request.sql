-- $1 = account
-- $2 = after
-- $3 = before
-- $4 = request
SELECT coalesce(max(sequence), 0) FROM ((
			SELECT sequence FROM changes
			WHERE account_id = $1 AND sequence > $2 AND sequence < $3 AND request_id = $4
			ORDER BY sequence DESC OFFSET 5000 - 1 LIMIT 1)) c
