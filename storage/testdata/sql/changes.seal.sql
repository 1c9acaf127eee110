-- $1 = floor
-- $2 = most
WITH selected AS MATERIALIZED (
		SELECT count(*), max(id) AS last FROM (SELECT id FROM unsealed_changes WHERE id > $1 ORDER BY id
			LIMIT $2) first),
	batch AS (
		DELETE FROM unsealed_changes WHERE id > $1 AND id <= (SELECT last FROM selected) RETURNING *),
	numbered AS (
		SELECT b.*, coalesce(h.sequence, 0) + row_number() OVER (PARTITION BY b.account_id ORDER BY b.id) AS sequence,
			sha256(convert_to(b.attributes, 'UTF8')) AS digest,
				coalesce(h.hash, decode(repeat('00', 32), 'hex')) AS before
		FROM batch b LEFT JOIN change_heads h ON h.account_id = b.account_id),
	hashed AS MATERIALIZED (
		SELECT c.*, change_chain(c.before, concat_ws(E'\n', c.sequence, c.id, c.account_id, c.family || '.' || c.action,
		coalesce(c.entity_id::text, ''), coalesce(c.parent_id::text, ''), array_to_string(c.record_ids, ','),
			coalesce(array_to_string(c.concerns, ','), ''),
		(extract(epoch FROM c.occurred_at) * 1000000)::bigint, coalesce(c.request_id, ''),
			coalesce(c.user_id::text, ''), coalesce(c.token, ''),
		coalesce(c.job, ''), coalesce(encode(c.digest, 'hex'), ''))) OVER (PARTITION BY c.account_id ORDER BY c.id) AS hash FROM numbered c),
	sealed_changes AS (
		INSERT INTO changes (part, id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash)
		SELECT (SELECT max(number) FROM change_parts), id, account_id, sequence, family, action, entity_id, parent_id, record_ids, concerns,
	occurred_at,
	request_id, user_id, token, job, attributes, digest, hash FROM hashed),
	new_heads AS (
		INSERT INTO change_heads (account_id, sequence, hash)
		SELECT DISTINCT ON (account_id) account_id, sequence, hash FROM hashed ORDER BY account_id, sequence DESC
		ON CONFLICT (account_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash, sealed_at = now()
		RETURNING account_id, sequence)
	SELECT account_id, sequence, 0 AS count, 0 AS newest, 0 AS oldest, 0 AS beyond FROM new_heads
	UNION ALL SELECT 0, 0, (SELECT count FROM selected), coalesce(pg_sequence_last_value('unsealed_changes_id_seq'), 0),
		pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
		CASE WHEN coalesce(pg_sequence_last_value('unsealed_changes_id_seq'), 0) > $1
			THEN pg_current_xact_id()::text::bigint ELSE 0 END
