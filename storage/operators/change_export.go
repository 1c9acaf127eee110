package operators

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/storage"
)

// ExportedChange is a line of an export: a change as the API shows it, and the values that its hash
// covers (docs/changes.md).
type ExportedChange struct {
	ID         int64           `json:"id"`
	Sequence   int64           `json:"sequence"`
	Event      string          `json:"event"`
	EntityID   *int64          `json:"entity_id"`
	ParentID   *int64          `json:"parent_id"`
	RecordIDs  []int64         `json:"record_ids"`
	Path       *string         `json:"path"`
	OccurredAt time.Time       `json:"occurred_at"`
	RequestID  *string         `json:"request_id"`
	By         ChangeAuthor    `json:"by"`
	Attributes json.RawMessage `json:"attributes"`
	Hash       string          `json:"hash"`

	AccountID      int64    `json:"account_id"`
	Concerns       []string `json:"concerns"`
	Microseconds   int64    `json:"microseconds"` // of occurred_at, since 1970
	AttributesText *string  `json:"attributes_text"`
	Digest         string   `json:"digest"` // of attributes_text
}

// ChangeAuthor is the author of a change.
type ChangeAuthor struct {
	UserID *int64  `json:"user_id"`
	Token  *string `json:"token"`
	Job    *string `json:"job"`
}

// Export returns the line of an export for the change; path is the path of its record.
func Export(c *storage.Change, path *string) ExportedChange {
	e := ExportedChange{
		ID: c.ID, Sequence: c.Sequence, Event: string(c.Family) + "." + string(c.Action), EntityID: c.EntityID,
		ParentID:  c.ParentID,
		RecordIDs: c.RecordIDs, Path: path, OccurredAt: c.OccurredAt, RequestID: c.RequestID, By: ChangeAuthor{
			c.UserID, c.Token, c.Job},
		Attributes: json.RawMessage("null"), Hash: hex.EncodeToString(c.Hash),
		AccountID: c.AccountID, Concerns: c.Concerns, Microseconds: c.OccurredAt.UnixMicro(),
		AttributesText: c.Attributes, Digest: hex.EncodeToString(c.Digest),
	}
	if c.Attributes != nil {
		e.Attributes = json.RawMessage(*c.Attributes)
	}
	return e
}

// Change returns the change of a line. A line whose parts contradict each other is an error.
func (e ExportedChange) Change() (*storage.Change, error) {
	f, err := storage.ParseChangeEvent(e.Event)
	if err != nil {
		return nil, fmt.Errorf("change %d: the event %q is unknown", e.Sequence, e.Event)
	}
	if !e.OccurredAt.Equal(time.UnixMicro(e.Microseconds)) {
		return nil, fmt.Errorf("change %d: occurred_at is not microseconds", e.Sequence)
	}
	c := &storage.Change{
		ID: e.ID, AccountID: e.AccountID, Sequence: e.Sequence, Family: f.Family, Action: f.Action,
		EntityID: e.EntityID, ParentID: e.ParentID,
		RecordIDs: e.RecordIDs, Concerns: e.Concerns, OccurredAt: e.OccurredAt, RequestID: e.RequestID,
		UserID: e.By.UserID, Token: e.By.Token, Job: e.By.Job, Attributes: e.AttributesText,
	}
	if c.Hash, err = hex.DecodeString(e.Hash); err != nil {
		return nil, fmt.Errorf("change %d: the hash is no hex", e.Sequence)
	}
	if c.Digest, err = hex.DecodeString(e.Digest); err != nil {
		return nil, fmt.Errorf("change %d: the digest is no hex", e.Sequence)
	}
	var shown, hashed any
	_ = json.Unmarshal(e.Attributes, &shown)
	if e.AttributesText != nil {
		_ = json.Unmarshal([]byte(*e.AttributesText), &hashed)
	}
	if a, b := compact(shown), compact(hashed); !bytes.Equal(a, b) {
		return nil, fmt.Errorf("change %d: attributes and attributes_text differ", e.Sequence)
	}
	return c, nil
}

// compact returns the JSON of a value, with the names of objects in their order.
func compact(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a value read from JSON always marshals
	}
	return text
}

// Chain checks that changes of an account follow each other. Its zero value begins with any change.
// It cannot check the hash of that change, unless the change is the first of the account.
type Chain struct {
	Sequence int64
	Hash     []byte
}

// Add checks that the change follows the one before.
func (h *Chain) Add(c *storage.Change) error {
	if c.Attributes != nil {
		if digest := sha256.Sum256([]byte(*c.Attributes)); !bytes.Equal(digest[:], c.Digest) {
			return fmt.Errorf("change %d: its attributes do not have its digest", c.Sequence)
		}
	}
	if h.Hash == nil && c.Sequence == 1 {
		h.Hash = make([]byte, sha256.Size) // the beginning of the chain of every account
	}
	if h.Hash != nil {
		if c.Sequence != h.Sequence+1 {
			return fmt.Errorf("change %d: change %d is missing before it", c.Sequence, h.Sequence+1)
		}
		if sum := sha256.Sum256([]byte(hex.EncodeToString(h.Hash) + "\n" + c.Canonical())); !bytes.Equal(sum[:],
			c.Hash) {
			return fmt.Errorf("change %d: its hash does not follow from it and from change %d", c.Sequence, h.Sequence)
		}
	}
	h.Sequence, h.Hash = c.Sequence, c.Hash
	return nil
}

// EachChange calls fn with the changes of an account after a number, in their order, as far as they
// are sealed now. Changes that are dropped before they are read are an error.
func EachChange(ctx context.Context, q storage.Queries, account, after int64, f storage.ChangeFilter,
	fn func(*storage.Change) error) (
	last int64, err error) {
	const page = 1000
	span, err := q.ChangeSpan(ctx, account)
	if err != nil {
		return after, err
	}
	after = max(after, span.Dropped)
	for after < span.Latest {
		changes, last, err := q.Changes(ctx, account, after, min(after+page, span.Latest), f, storage.Viewer{All: true},
			page)
		if err != nil {
			return after, err
		}
		switch now, err := q.ChangeSpan(ctx, account); {
		case err != nil:
			return after, err
		case now.Dropped > after:
			return after, fmt.Errorf("the changes up to %d were dropped before change %d was read: begin again",
				now.Dropped, after+1)
		}
		for i := range changes {
			if err := fn(&changes[i]); err != nil {
				return after, err
			}
		}
		after = last
	}
	return after, nil
}

// ChangeEnds returns the chain of an account before its first stored change and at its last one.
// Both are zeros for an account without changes. An account that does not exist is ErrNotFound.
func ChangeEnds(ctx context.Context, q storage.Queries, account int64) (begin, end Chain, err error) {
	ends, err := db.One[struct {
		Dropped, Sequence int64
		DroppedHash, Hash []byte
	}](ctx, q.DB, `
		SELECT coalesce(h.dropped, 0) AS dropped, coalesce(h.sequence, 0) AS sequence,
			coalesce(h.dropped_hash, z.hash) AS dropped_hash, coalesce(h.hash, z.hash) AS hash
		FROM accounts a CROSS JOIN (SELECT decode(repeat('00', 32), 'hex') AS hash) z LEFT JOIN change_heads h
			ON h.account_id = a.id
		WHERE a.id = $1`, account)
	return Chain{ends.Dropped, ends.DroppedHash}, Chain{ends.Sequence, ends.Hash}, err
}

// Changes checks, in one snapshot, that the stored changes of an account follow each other up
// to its last one, which the sealer stores apart from them. It returns their number and the end of
// the chain. An account that does not exist is ErrNotFound.
func Changes(ctx context.Context, s *storage.Store, account int64) (n int, end Chain, err error) {
	err = s.InSnapshot(ctx, func(tx *storage.Tx) error {
		chain, last, err := ChangeEnds(ctx, tx.Queries, account)
		if err != nil {
			return err
		}
		n = 0
		_, err = EachChange(ctx, tx.Queries, account, 0, storage.ChangeFilter{}, func(c *storage.Change) error {
			n++
			return chain.Add(c)
		})
		switch {
		case err != nil:
			return err
		case chain.Sequence != last.Sequence:
			return fmt.Errorf("change %d: it is the last one stored, but the account's last is change %d",
				chain.Sequence, last.Sequence)
		case !bytes.Equal(chain.Hash, last.Hash):
			return fmt.Errorf("change %d: its hash is not that of the account's last change", chain.Sequence)
		}
		end = chain
		return nil
	})
	return n, end, err
}
