SELECT account_id, record, expected, found
		FROM (
		WITH walked AS (
			SELECT c.account_id, c.sequence, c.hash, c.attributes, c.digest,
				coalesce(lag(c.sequence) OVER w, h.dropped, 0) AS before,
				sha256(convert_to(encode(coalesce(lag(c.hash) OVER w, h.dropped_hash, '\x'), 'hex') || E'\n' || concat_ws(E'\n', c.sequence, c.id, c.account_id, c.family || '.' || c.action,
		coalesce(c.entity_id::text, ''), coalesce(c.parent_id::text, ''), array_to_string(c.record_ids, ','),
			coalesce(array_to_string(c.concerns, ','), ''),
		(extract(epoch FROM c.occurred_at) * 1000000)::bigint, coalesce(c.request_id, ''),
			coalesce(c.user_id::text, ''), coalesce(c.token, ''),
		coalesce(c.job, ''), coalesce(encode(c.digest, 'hex'), '')), 'UTF8')) AS follows
			FROM changes c LEFT JOIN change_heads h ON h.account_id = c.account_id
			WINDOW w AS (PARTITION BY c.account_id ORDER BY c.sequence)),
		wrong AS (
			SELECT account_id, sequence, format('change %s', sequence) AS record,
				format('number %s, hash %s', before + 1, encode(follows, 'hex')) AS expected,
				format('number %s, hash %s', sequence, encode(hash, 'hex')) AS found
			FROM walked WHERE sequence <> before + 1 OR hash <> follows
			UNION ALL
			SELECT account_id, sequence, format('attributes of change %s', sequence),
				format('digest %s', encode(digest, 'hex')),
				format('digest %s', encode(sha256(convert_to(attributes, 'UTF8')), 'hex'))
			FROM walked WHERE attributes IS NOT NULL AND digest IS DISTINCT FROM sha256(convert_to(attributes, 'UTF8'))
			UNION ALL
			SELECT h.account_id, h.sequence, 'the last change', format('number %s, hash %s', h.sequence,
				encode(h.hash, 'hex')),
				coalesce(format('number %s, hash %s', l.sequence, encode(l.hash, 'hex')), 'none')
			FROM change_heads h LEFT JOIN (SELECT DISTINCT ON (account_id) account_id, sequence, hash
				FROM changes ORDER BY account_id, sequence DESC) l
				ON l.account_id = h.account_id
			WHERE h.sequence > h.dropped AND (l.sequence, l.hash) IS DISTINCT FROM (h.sequence, h.hash))
		SELECT DISTINCT ON (account_id) account_id, record, expected, found FROM wrong
		WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'delete_cascade' AND j.account_id = wrong.account_id AND j.args::json ->> 'root' = 'accounts')
		ORDER BY account_id, sequence) AS d (account_id, record, expected, found) ORDER BY account_id, record
