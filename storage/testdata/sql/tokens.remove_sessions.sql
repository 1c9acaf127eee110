-- $1 = some
DELETE FROM tokens WHERE id = ANY(ARRAY(
		SELECT id FROM tokens WHERE makes_until IS NOT NULL AND expires_at < now() - interval '30 days'
		ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
