package verify

import (
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

// jobChecks are the rules of deletions, deliveries and changes, and the jobs that remain for them.
var jobChecks = []check{
	rule("deletions", `
		WITH removals AS (
			SELECT account_id, args::json ->> 'root' AS root, CAST(args::json ->> 'id' AS bigint) AS id
			FROM jobs WHERE kind = `+queue.KindName(jobs.DeleteCascadeKind)+`)
		SELECT account_id, format('%s %s, deleted', root, id), 'a job that removes it', 'none'
		FROM (`+storage.HiddenRecords()+`) h
		WHERE NOT EXISTS (SELECT FROM removals j WHERE j.account_id = h.account_id AND j.root = h.root AND j.id = h.id)
			AND NOT EXISTS (SELECT FROM removals j WHERE j.account_id = h.account_id
				AND j.root IN ('accounts', 'sandboxes'))`),

	rule("entities of attachments", `
		SELECT x.account_id, format('attachment %s', a.id), format('a record of entity %s', a.entity_id),
			format('%s of entity %s', x.record, x.entity_id)
		FROM (SELECT l.account_id, l.attachment_id, format('%s account %s', f.kind, f.id) AS record, f.entity_id
				FROM financial_account_attachments l JOIN financial_accounts f ON f.account_id = l.account_id
					AND f.id = l.financial_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('transaction %s', t.id), d.entity_id
				FROM financial_transaction_attachments l JOIN financial_transactions t ON t.account_id = l.account_id
					AND t.id = l.financial_transaction_id
				JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('sale %s', s.id), s.entity_id
				FROM sale_attachments l JOIN sales s ON s.account_id = l.account_id AND s.id = l.sale_id) x
		JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE a.entity_id <> x.entity_id`),

	// A job that waits for its next attempt counts, and so does a failed one, and one that was postponed because other
	// slow webhooks had the places.
	rule("jobs of webhooks", `
		SELECT w.account_id, format('webhook %s', w.id),
			'a job that is due when the first of its pending deliveries is',
			format('%s pending since %s, and none', count(*), min(d.next_at))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id
			AND d.status = 'pending'
		WHERE w.status = 'active' AND w.deleted_at IS NULL AND NOT EXISTS (
			SELECT FROM jobs j WHERE j.kind = `+queue.KindName(jobs.DeliverWebhookKind)+
		` AND j.key = 'webhook:' || w.id
				AND (j.due_at <= greatest(d.next_at, now()) + interval '1 minute' OR j.attempts > 0))
		GROUP BY w.account_id, w.id`),

	rule("deliveries that are held", `
		SELECT w.account_id, format('webhook %s, active', w.id), 'nothing that is held',
			format('%s deliveries held', count(*))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id AND d.status = 'held'
		WHERE w.status = 'active' AND w.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = `+queue.KindName(jobs.AlignDeliveriesKind)+
		` AND j.key = 'webhook:' || w.id)
		GROUP BY w.account_id, w.id`),

	rule("attempts of deliveries", `
		WITH attempts AS (
			SELECT account_id, delivery_id AS id, count(*) AS count, max(number) AS last,
				count(*) FILTER (WHERE finished_at IS NULL) AS open
			FROM delivery_attempts GROUP BY 1, 2)
		SELECT d.account_id, format('delivery %s of webhook %s, %s', d.id, d.webhook_id, d.status),
			format('%s attempts of %s, by number, all closed but the last%s', d.attempts_count, d.attempts_allowed,
				CASE WHEN d.delivered_at IS NOT NULL THEN ', delivered' END),
			format('%s attempts, %s the last, %s open', coalesce(m.count, 0), coalesce(m.last, 0), coalesce(m.open, 0))
		FROM deliveries d LEFT JOIN attempts m USING (account_id, id)
		WHERE d.attempts_count <> coalesce(m.count, 0) OR d.attempts_count <> coalesce(m.last, 0)
			OR d.attempts_count > d.attempts_allowed
			OR m.open > 1 OR (m.open > 0 AND d.status IN ('delivered', 'failed'))
				OR (d.status = 'delivered') <> (d.delivered_at IS NOT NULL)
			OR (d.status = 'failed' AND d.attempts_count <> d.attempts_allowed)
				OR (d.status = 'delivered' AND d.attempts_count = 0)`),

	// Only the first difference of an account: others may follow from it. The deletion of an account removes its
	// changes from the first on.
	rule("changes", `
		WITH walked AS (
			SELECT c.account_id, c.sequence, c.hash, c.attributes, c.digest,
				coalesce(lag(c.sequence) OVER w, h.dropped, 0) AS before,
				sha256(convert_to(encode(coalesce(lag(c.hash) OVER w, h.dropped_hash, '\x'), 'hex') || E'\n' || `+
		storage.CanonicalColumns("c")+`, 'UTF8')) AS follows
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
		WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.kind = `+queue.KindName(jobs.DeleteCascadeKind)+
		` AND j.account_id = wrong.account_id AND j.args::json ->> 'root' = 'accounts')
		ORDER BY account_id, sequence`),
}
