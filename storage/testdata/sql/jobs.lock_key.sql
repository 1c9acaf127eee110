-- $1 = key_turns
-- $2 = id
-- $3 = kind
SELECT set_config('bordero.key', key, true),
			pg_advisory_xact_lock($1, hashtext(kind || ' ' || key))::text
		FROM jobs j WHERE id = $2 AND CASE WHEN kind = $3 THEN CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END END AND NOT EXISTS (
			SELECT FROM jobs running WHERE running.kind = j.kind AND running.key = j.key
			AND running.failed_at IS NULL AND running.leased_until >= now())
