package storage

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"bordero/internal/db"
)

// Sealer numbers committed changes (decision 0031). At most one exists for a database: its
// connection has a lock that ends with the connection, so that not even a process that was stopped
// and continues seals beside another.
type Sealer struct {
	conn db.Conn
	// All changes up to floor are sealed: every transaction that drew such an id has ended. next
	// becomes the floor when all transactions before horizon have ended, because these include
	// every transaction that drew an id up to next. newest is the newest id as of the last batch.
	floor, next, newest, horizon int64
}

// OpenSealer waits until no other sealer exists. Its connection ends when it is silent for 4 s.
func (s *Store) OpenSealer(ctx context.Context) (*Sealer, error) {
	conn, err := s.pool.Connx(ctx)
	if err != nil {
		return nil, fmt.Errorf("sealer: %w", err)
	}
	sealer := &Sealer{conn: db.Conn{Conn: conn}}
	if _, err := conn.ExecContext(ctx, `SET idle_session_timeout = '4s'`); err != nil {
		sealer.Close()
		return nil, fmt.Errorf("sealer: %w", err)
	}
	for {
		alone, err := db.One[bool](ctx, sealer.conn, `SELECT pg_try_advisory_lock($1, 0)`, sealing)
		if err != nil {
			sealer.Close()
			return nil, fmt.Errorf("sealer: %w", err)
		}
		if alone {
			return sealer, nil
		}
		select {
		case <-ctx.Done():
			sealer.Close()
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// Close ends the connection, and so the lock.
func (s *Sealer) Close() {
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn }) // never returns to the pool
}

// Sealed is the end of an account's changes after a batch.
type Sealed struct{ AccountID, Sequence int64 }

// Seal numbers up to most committed changes, the ones with the lowest ids. It returns the accounts
// with newly numbered changes, and the number of changes; if this is most, more may wait. Seal is
// one statement: after an error the batch is numbered as a whole or not at all. The end of ctx does
// not cancel it (decision 0053), so it may still commit afterwards. Take two changes of a record, or
// two transactions where one ended before the other began: if the statement sees the second, it also
// sees the first, and the first has the lower id. So the order of ids within a batch, and of
// batches, is an order of the changes.
func (s *Sealer) Seal(ctx context.Context, most int) (accounts []Sealed, selected int, err error) {
	rows, err := db.ManyNamed[struct {
		AccountID, Sequence    int64
		Count                  int
		Newest, Oldest, Beyond int64
	}](ctx, s.conn, seal, db.Args{"floor": s.floor, "most": most})
	if err != nil {
		return nil, 0, err
	}
	for _, r := range rows {
		if r.AccountID != 0 {
			accounts = append(accounts, Sealed{r.AccountID, r.Sequence})
			continue
		}
		selected = r.Count
		if selected < most && r.Oldest >= s.horizon {
			// A transaction that drew an id up to newest had written its record before, so it is a
			// transaction before Beyond.
			s.floor, s.next, s.horizon = s.next, s.newest, r.Beyond
		}
		s.newest = r.Newest
	}
	return accounts, selected, nil
}

// seal moves changes, numbers them by account from the account's head, chains their hashes, and
// moves the heads. Its last row has the number of selected ids, including changes that were removed
// with their account meanwhile; the newest id that was drawn; the oldest running transaction; and a
// transaction id after all that have begun to write. This id is the statement's own, because
// pg_snapshot_xmax is only the one after the newest ended transaction. It is 0 if no id above the
// floor has been drawn, so that an idle sealer uses up no transaction ids.
//
// The index of ids has dead entries below the floor while an old snapshot, such as that of a dump,
// may see them: the floor passes them over.
var seal = db.Named("changes.seal", `
	WITH selected AS MATERIALIZED (
		SELECT count(*), max(id) AS last FROM (SELECT id FROM unsealed_changes WHERE id > @floor ORDER BY id
			LIMIT @most) first),
	batch AS (
		DELETE FROM unsealed_changes WHERE id > @floor AND id <= (SELECT last FROM selected) RETURNING *),
	numbered AS (
		SELECT b.*, coalesce(h.sequence, 0) + row_number() OVER (PARTITION BY b.account_id ORDER BY b.id) AS sequence,
			sha256(convert_to(b.attributes, 'UTF8')) AS digest,
				coalesce(h.hash, decode(repeat('00', 32), 'hex')) AS before
		FROM batch b LEFT JOIN change_heads h ON h.account_id = b.account_id),
	hashed AS MATERIALIZED (
		SELECT c.*, change_chain(c.before, `+CanonicalColumns("c")+
	`) OVER (PARTITION BY c.account_id ORDER BY c.id) AS hash FROM numbered c),
	sealed_changes AS (
		INSERT INTO changes (part, `+ChangeColumns+`)
		SELECT (SELECT max(number) FROM change_parts), `+ChangeColumns+` FROM hashed),
	new_heads AS (
		INSERT INTO change_heads (account_id, sequence, hash)
		SELECT DISTINCT ON (account_id) account_id, sequence, hash FROM hashed ORDER BY account_id, sequence DESC
		ON CONFLICT (account_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash, sealed_at = now()
		RETURNING account_id, sequence)
	SELECT account_id, sequence, 0 AS count, 0 AS newest, 0 AS oldest, 0 AS beyond FROM new_heads
	UNION ALL SELECT 0, 0, (SELECT count FROM selected), coalesce(pg_sequence_last_value('unsealed_changes_id_seq'), 0),
		pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
		CASE WHEN coalesce(pg_sequence_last_value('unsealed_changes_id_seq'), 0) > @floor
			THEN pg_current_xact_id()::text::bigint ELSE 0 END`)

// ChangeHead is the last change of an account.
type ChangeHead struct {
	AccountID, Sequence int64
	Hash                []byte
}

// ChangeHeadsSince lists the heads of accounts with new changes since the given time, by account.
func (q Queries) ChangeHeadsSince(ctx context.Context, since time.Time) ([]ChangeHead, error) {
	return db.Many[ChangeHead](ctx, q.DB, `SELECT account_id, sequence, hash FROM change_heads WHERE sealed_at >= $1
		ORDER BY account_id`, since)
}

// RollChanges begins a new partition of changes each month, and drops a partition when its last
// change is older than kept, which is at least 90 days. It may run twice.
func (s *Store) RollChanges(ctx context.Context, kept time.Duration) error {
	if _, err := db.Exec(ctx, s.DB, `SELECT begin_changes('30 days') /* INSERT */`); err != nil {
		return fmt.Errorf("begin a partition of changes: %w", err)
	}
	for dropped := true; dropped; {
		var err error
		dropped, err = db.One[bool](ctx, s.DB, `SELECT drop_changes(make_interval(secs => $1)) /* DELETE */`,
			kept.Seconds())
		if err != nil {
			return fmt.Errorf("drop a partition of changes: %w", err)
		}
	}
	return nil
}
