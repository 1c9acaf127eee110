package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"bordero/internal/db"
)

// ErrKeyBusy means that the first request of the key still runs, ErrKeyReused that the key
// was used for a different request or by another user.
var (
	ErrKeyBusy   = errors.New("the first request of the idempotency key still runs")
	ErrKeyReused = errors.New("the idempotency key was used for another request")
)

// IdempotencyKey identifies a request that a client may send again. The key belongs to an
// account and a path (decision 0012).
type IdempotencyKey struct {
	AccountID int64
	Path, Key string
	UserID    int64
	Request   []byte // digest: SHA-256 of the request as sent
}

// StoredAnswer is the stored answer of the first request of a key.
type StoredAnswer struct {
	Status      int
	Location    string
	ContentType string
	Body        []byte
}

// TakeKey locks the key for the transaction, without waiting, and returns the answer stored
// under it in the last 24 hours, or nil. ErrKeyBusy means that another transaction has the
// lock, ErrKeyReused that the stored answer is of a different request or user.
func (tx *Tx) TakeKey(ctx context.Context, k IdempotencyKey) (*StoredAnswer, error) {
	// The second of two keys with the same hash gets ErrKeyBusy too, and is sent again.
	taken, err := db.One[bool](ctx, tx.DB, `SELECT pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'key',
		$1::bigint, $2::text, $3::text), 0))`,
		k.AccountID, k.Path, k.Key)
	if err != nil {
		return nil, fmt.Errorf("take an idempotency key: %w", err)
	}
	if !taken {
		return nil, ErrKeyBusy
	}
	kept, err := db.One[struct {
		UserID  int64
		Request []byte
		StoredAnswer
	}](ctx, tx.DB, `
		SELECT user_id, request, status, location, content_type, body FROM idempotency_keys
		WHERE account_id = $1 AND path = $2 AND key = $3 AND created_at > now() - interval '24 hours'`,
		k.AccountID, k.Path, k.Key)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil // a new key
	case err != nil:
		return nil, fmt.Errorf("read an idempotency key: %w", err)
	case kept.UserID != k.UserID || !bytes.Equal(kept.Request, k.Request):
		return nil, ErrKeyReused
	}
	// A server that stopped while the first COMMIT waited for a standby shows the answer, although no standby
	// has it. With something to write, this transaction's COMMIT waits for the standby, which then has both.
	if _, err := db.Exec(ctx, tx.DB, `SELECT pg_logical_emit_message(true, 'bordero', '')`); err != nil {
		return nil, fmt.Errorf("repeat an answer: %w", err)
	}
	return &kept.StoredAnswer, nil
}

// StoreAnswer stores the answer of the request under the key that the transaction has taken.
// It replaces an expired answer.
func (tx *Tx) StoreAnswer(ctx context.Context, k IdempotencyKey, a StoredAnswer) error {
	_, err := db.ExecNamed(ctx, tx.DB, storeAnswer, db.Args{
		"account": k.AccountID, "path": k.Path, "key": k.Key, "user": k.UserID, "request": k.Request,
		"status": a.Status, "location": a.Location, "content_type": a.ContentType, "body": a.Body,
	})
	if err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	return nil
}

var storeAnswer = db.Named("idempotency_keys.store", `
	INSERT INTO idempotency_keys (account_id, path, key, user_id, request, status, location, content_type, body)
	VALUES (@account, @path, @key, @user, @request, @status, @location, @content_type, coalesce(@body, ''::bytea))
	ON CONFLICT (account_id, path, key) DO UPDATE SET
		user_id = @user, request = @request, status = @status, location = @location, content_type = @content_type,
		body = excluded.body, created_at = now()`)

// DeleteOldKeys removes the keys older than 24 hours, 10,000 in each statement, and returns their
// number. It may run twice at once.
func (s *Store) DeleteOldKeys(ctx context.Context) (deleted int64, err error) {
	const some = 10_000
	for {
		n, err := db.Exec(ctx, s.DB, `
			DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
				SELECT ctid FROM idempotency_keys WHERE created_at <= now() - interval '24 hours'
				ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`, some)
		deleted += n
		if err != nil || n < some {
			return deleted, err
		}
	}
}
