-- $1 = account
-- $2 = id
UPDATE finished_jobs SET ended_at = clock_timestamp()
	WHERE account_id = $1 AND ended_at = now() AND id = $2
