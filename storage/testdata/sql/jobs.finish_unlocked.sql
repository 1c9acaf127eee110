-- $1 = ids
-- $2 = fences
-- $3 = record
WITH ended AS (DELETE FROM jobs WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[])) FOR UPDATE SKIP LOCKED))  RETURNING id, kind, queue, account_id, request_id, attempts, error, created_at, first_due_at,
	started_at, claimed_at ),
			finished AS ( INSERT INTO finished_jobs (id, kind, queue, account_id, record_id, request_id, jobs, attempts, result,
			error, created_at, first_due_at, started_at, claimed_at)
		SELECT max(id), min(kind), min(queue), max(account_id), nullif($3::bigint, 0), max(request_id), count(*),
			least(max(attempts), 32767), 'done', left(max(error), 200), min(created_at), min(first_due_at),
			min(started_at), max(claimed_at)
		FROM ended HAVING count(*) = cardinality($1) )
		SELECT count(*) FROM ended
