-- $1 = error
-- $2 = unfinished
-- $3 = ids
-- $4 = fences
-- $5 = record
WITH ended AS (
			UPDATE jobs SET error = concat_ws('; the error before: ', $1::text,
				CASE WHEN $2 THEN error END),
				leased_until = NULL, failed_at = now()
			WHERE (id, claims) IN (SELECT * FROM unnest($3::bigint[], $4::int[]))  RETURNING id, kind, queue, account_id, request_id, attempts, error, created_at, first_due_at,
	started_at, claimed_at ) INSERT INTO finished_jobs (id, kind, queue, account_id, record_id, request_id, jobs, attempts, result,
			error, created_at, first_due_at, started_at, claimed_at)
		SELECT max(id), min(kind), min(queue), max(account_id), nullif($5::bigint, 0), max(request_id), count(*),
			least(max(attempts), 32767), 'failed', left(max(error), 200), min(created_at), min(first_due_at),
			min(started_at), max(claimed_at)
		FROM ended HAVING count(*) = cardinality($3)
