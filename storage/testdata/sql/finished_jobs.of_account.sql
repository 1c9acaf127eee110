-- $1 = account
-- $2 = record
-- $3 = kept
-- $4 = since
-- $5 = until
-- $6 = before_at
-- $7 = before_id
-- $8 = most
-- $9 = kind
-- $10 = result
-- $11 = limit
WITH looked_at AS MATERIALIZED (
			SELECT id, jobs, kind, queue, coalesce(record_id, 0) AS record_id, coalesce(request_id, '') AS request_id,
				attempts, result, coalesce(error, '') AS error, created_at, first_due_at, started_at, claimed_at,
				ended_at
			FROM finished_jobs
			WHERE account_id = $1 AND $2::bigint = 0 AND ended_at > now() - make_interval(secs => $3)
				AND ended_at >= coalesce($4, '-infinity'::timestamptz)
				AND ended_at < coalesce($5, 'infinity'::timestamptz)
				AND ended_at <= coalesce($6, 'infinity'::timestamptz)
				AND (ended_at < coalesce($6, 'infinity'::timestamptz) OR id < $7)
			ORDER BY ended_at DESC, id DESC LIMIT $8
		)
		SELECT * FROM (
			SELECT *, row_number() OVER (ORDER BY ended_at DESC, id DESC) = $8 AS last,
				($9 = '' OR kind = $9) AND ($10 = '' OR result = $10) AS fits
			FROM looked_at) j
		WHERE fits OR last ORDER BY ended_at DESC, id DESC LIMIT $11
