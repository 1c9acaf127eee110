package queue

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// This file decides the turns of imports, the only Fair kind of jobs. The key of an import is its
// deposit account. Jobs of an earlier release have no key: within an account they take turns with
// each other, and wait for the other imports in imports.StoreStaged.

// imports is the condition for imports that have not failed for good, and that of the two
// indexes jobs_turns and jobs_running.
var imports = ` kind = ` + KindName(jobs.ImportStatementKind) + ` AND failed_at IS NULL `

// RunningImports is the condition for imports that a worker has. The mark alone is not enough, because prepareTurns
// removes it from an import that waits for its next attempt only before the next claim.
var RunningImports = ` running AND leased_until IS NOT NULL AND` + imports

// heads selects the import of each deposit account that has the turn: the oldest free one, unless
// one is running; beside each, the number of running imports of the account. They are found by
// stepping from account to account and from key to key in the index, however many jobs each has. It
// visits 100 accounts, 50 of them after the account @after and then 50 from the first on, and of each 50 deposit
// accounts more than it has running imports. If more wait, the others follow as these end and @after advances.
var heads = `
	WITH running AS MATERIALIZED (
		SELECT account_id, coalesce(key, '') AS key FROM jobs WHERE running AND` + imports + `
	), heads AS (
		SELECT j.*, (SELECT count(*) FROM running r WHERE r.account_id = a.id) AS beside
		FROM (VALUES (@after::bigint, 9223372036854775807), (0, @after)) AS part(after, through)
		CROSS JOIN LATERAL (
			WITH RECURSIVE account AS (
				SELECT part.after AS id
				UNION ALL
				SELECT (SELECT account_id FROM jobs WHERE` + imports +
	`AND account_id > a.id AND account_id <= part.through
					ORDER BY account_id LIMIT 1)
				FROM account a WHERE a.id IS NOT NULL
			) SELECT id FROM account OFFSET 1 LIMIT 50) a
		CROSS JOIN LATERAL (
			WITH RECURSIVE turn AS (
				SELECT (SELECT coalesce(key, '') FROM jobs WHERE` + imports + `AND account_id = a.id
					ORDER BY coalesce(key, '') LIMIT 1) AS key
				UNION ALL
				SELECT (SELECT coalesce(key, '') FROM jobs WHERE` + imports +
	`AND account_id = a.id AND coalesce(key, '') > t.key
					ORDER BY coalesce(key, '') LIMIT 1)
				FROM turn t WHERE t.key IS NOT NULL
			) SELECT key FROM turn LIMIT 50 + (SELECT count(*) FROM running r WHERE r.account_id = a.id)) t
		CROSS JOIN LATERAL (
			SELECT id, account_id, claims, kind, queue, due_at FROM jobs
			WHERE` + imports + `AND account_id = a.id AND coalesce(key, '') = t.key AND due_at <= now()
				AND coalesce(leased_until < now(), true)
				AND running IS NOT TRUE
			ORDER BY due_at, id LIMIT 1) j
		WHERE NOT EXISTS (SELECT FROM running r WHERE r.account_id = a.id AND r.key = t.key)
	)`

// prepareTurns runs before heads. It restricts the planner to the indexes, because its statistics
// may still describe an empty table. And it forgets the imports that have ended: an
// import is running until its lease has ended or lapsed and its row is not locked,
// because the transaction that ends it may take longer than the lease.
var prepareTurns = `
	SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off;
	UPDATE jobs SET running = NULL WHERE id = ANY(ARRAY(
		SELECT id FROM jobs WHERE running AND` + imports +
	`AND coalesce(leased_until < now(), true) FOR NO KEY UPDATE SKIP LOCKED))`

// headsToClaim selects the imports to claim, the best first: the first ones may be locked.
var headsToClaim = db.Named("jobs.heads_to_claim", heads+`
	SELECT id FROM heads WHERE NOT coalesce(account_id = ANY(@full), false) AND beside < coalesce(
		(SELECT running_imports FROM account_quotas q WHERE q.account_id = heads.account_id), @most::bigint)
	ORDER BY beside, due_at, id LIMIT 8`)

var claimTurn = db.Named("jobs.claim_turn", claim+`, running = true
	WHERE id = (SELECT id FROM jobs WHERE id = ANY((SELECT @ids::bigint[])::bigint[]) AND`+free+`
		ORDER BY array_position((SELECT @ids::bigint[]), id) LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)`+claimed)

// ClaimTurn claims the import that has the turn: of the accounts that are not full, it takes the
// account with the fewest running imports, and of this account the oldest import. An account with as many running
// imports as its quota has no turn. The search begins
// after the given account, which had its turn last. ClaimTurn returns nil without an import that
// may begin beside the running ones.
func (q *Queue) ClaimTurn(ctx context.Context, lease time.Duration, after int64, full []int64) (*Job, error) {
	var rows []claimedRow
	err := db.InTx(ctx, q.pool, func(tx *sqlx.Tx) error {
		// Claims are serialised, so that each sees the result of the one before.
		if _, err := db.Exec(ctx, tx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, keyTurns,
			jobs.ImportStatementKind.Name); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, prepareTurns); err != nil {
			return err
		}
		ids, err := db.ManyNamed[int64](ctx, tx, headsToClaim,
			db.Args{"after": after, "full": pq.Array(full), "most": q.runningImports})
		if err != nil || len(ids) == 0 {
			return err
		}
		// A free row that is locked belongs to a run of an earlier release with a lapsed lease.
		rows, err = db.ManyNamed[claimedRow](ctx, tx, claimTurn,
			db.Args{"lease": lease.Seconds(), "ids": pq.Array(ids)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim a turn: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil // not claimed is not an error
	}
	job := coalesced(lease, rows)
	return &job, nil
}

// FreeInTurn lists imports that have the turn and fell due after the mark: up to 16 of an account,
// each the oldest of its deposit account, accounts in turn. The search begins after an account.
// Jobs of other kinds, which are in the same queue and take no turns, are listed beside the first
// imports of the accounts.
func (q *Queue) FreeInTurn(ctx context.Context, mark Cursor, after int64, limit int) (waiting []Waiting, err error) {
	err = db.InTx(ctx, q.pool, func(tx *sqlx.Tx) error {
		if _, err := db.Exec(ctx, tx, prepareTurns); err != nil {
			return err
		}
		waiting, err = db.ManyNamed[Waiting](ctx, tx, freeInTurn,
			db.Args{"after": after, "at": mark.At, "id": mark.ID, "limit": limit})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("free imports: %w", err)
	}
	return waiting, nil
}

// freeInTurn finds the jobs of the queue that take no turns by the index jobs_without_turns.
var freeInTurn = db.Named("jobs.free_in_turn", heads+`, places AS (
		SELECT id, claims, kind, queue, due_at AS at, account_id,
			row_number() OVER (PARTITION BY account_id ORDER BY due_at, id) AS place
		FROM heads
		UNION ALL (SELECT id, claims, kind, queue, due_at, 0, 1 FROM jobs
		WHERE queue = `+pq.QuoteLiteral(jobs.ImportStatementKind.Queue)+`
			AND kind <> `+KindName(jobs.ImportStatementKind)+` AND failed_at IS NULL AND`+free+`
			AND (due_at, id) > (@at, @id) ORDER BY due_at, id LIMIT @limit)
	)
	SELECT id, claims, kind, queue, at, account_id FROM places
	WHERE (at, id) > (@at, @id) AND place <= 16 ORDER BY place, at, id LIMIT @limit`)
