-- $1 = account
-- $2 = kind
-- $3 = queue
-- $4 = key
-- $5 = args
-- $6 = request
-- $7 = trace
-- $8 = due
INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
	VALUES ($2, $3, $4, $5, $1, nullif($6, ''), nullif($7, ''), greatest($8, now()))
	RETURNING id, CAST(extract(epoch FROM due_at - now()) AS float8) AS wait
