// Package cascade removes hidden records with everything that belongs to them or refers to them:
// the engine, and the lists of tables for each kind of record. It is apart from storage because it
// works on tables by their foreign keys, not by the rules of their records.
package cascade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// ErrReferred is returned for a record that cannot be removed yet: rows below it, or references
// to it, were added after the cascade passed. The cascade must restart.
var ErrReferred = errors.New("something still refers to the record")

// Cascade removes a hidden record, an account, or what a reset of it has hidden: the rows that belong to it,
// children first, the references to it, and at last the record itself. Each chunk is a transaction. An
// interrupted cascade continues at its cursor, any number of times. It is not safe for
// concurrent use.
type Cascade struct {
	of     jobs.DeleteCascade
	ids    []int64 // of the root: several, for a category with categories below it
	steps  []step
	at     place
	owners []int64 // of the current step, from the place on; nil if not read yet
	ahead  []int64 // ids that the current step has found and not processed yet
	size   int     // rows of a chunk
}

// step removes the rows of one table that belong to the root, or clears the references to it
// there. It either has an owned table, whose rows are removed owner by owner, or a function that
// is called until it finds no more rows.
type step struct {
	name       string // the table: in the cursor and the progress
	ownedTable *ownedTable
	runChunk   func(context.Context, *storage.Tx, *Cascade) (rows int64, err error)
	estimate   string // counts the rows that it will find, for bind; "" if not reported
}

// place is the position of a cascade: the step, the owner, and the key of the owner's last row
// that was passed. It is stored in cursors, which other releases read: a cascade with an
// unknown step starts from the beginning.
type place struct {
	Step  string   `json:"step"`
	Owner int64    `json:"owner,omitempty"`
	Key   []string `json:"key,omitempty"`
	Round int      `json:"round,omitempty"` // of a step without an order: shows that it makes progress
}

// The size of a chunk adapts to its duration, which bounds how long other transactions wait
// for its rows or for the disk.
const (
	smallestChunk, firstChunk, largestChunk = 125, 1000, 4000
	shortest, longest                       = 40 * time.Millisecond, 100 * time.Millisecond
)

// Open returns the cascade of a job at its cursor. It returns storage.ErrNotFound if the record is
// removed already.
func Open(ctx context.Context, s *storage.Store, of jobs.DeleteCascade, cursor string) (*Cascade, error) {
	find, known := roots[of.Root]
	if !known {
		return nil, fmt.Errorf("no cascade begins with %q", of.Root)
	}
	ids, err := db.Many[int64](ctx, s.DB, find, of.AccountID, of.ID)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, storage.ErrNotFound
	}
	c := &Cascade{of: of, ids: ids, steps: cascades[of.Root], size: firstChunk}
	if cursor != "" {
		if err := json.Unmarshal([]byte(cursor), &c.at); err != nil {
			return nil, fmt.Errorf("cursor of a cascade: %w", err)
		}
	}
	if c.index() < 0 {
		c.at = place{}
	}
	return c, nil
}

// Begun reports whether the cascade has a position. If it has none, call Begin first.
func (c *Cascade) Begun() bool { return c.at.Step != "" }

// Done reports whether only the record itself is left.
func (c *Cascade) Done() bool { return c.index() == len(c.steps) }

// Restart moves the cascade back to the beginning, after ErrReferred.
func (c *Cascade) Restart() { c.at, c.owners, c.ahead = place{}, nil, nil }

// Cursor returns the position as text. A chunk commits the position at which it began: a run
// that repeats from there no longer finds the rows that the chunk removed.
func (c *Cascade) Cursor() string {
	text, _ := json.Marshal(c.at) // strings and numbers
	return string(text)
}

// ended is the step of a cascade with nothing left but the record.
const ended = "end"

func (c *Cascade) index() int {
	if c.at.Step == ended {
		return len(c.steps)
	}
	return slices.IndexFunc(c.steps, func(s step) bool { return s.name == c.at.Step })
}

// to returns the beginning of the i-th step.
func (c *Cascade) to(i int) place {
	if i == len(c.steps) {
		return place{Step: ended}
	}
	return place{Step: c.steps[i].name}
}

// Begin counts the rows, for the progress report, and moves to the first step. After a restart it
// counts the rows that are left, and beginDeletion adds the rows that were removed before. keep
// runs a transaction of the job.
func (c *Cascade) Begin(ctx context.Context, s *storage.Store, keep func(func(*storage.Tx) error) error) error {
	var kinds []string
	var counts []int64
	for _, step := range c.steps {
		if step.ownedTable == nil && step.estimate == "" {
			continue
		}
		n, err := c.count(ctx, s, step)
		if err != nil {
			return fmt.Errorf("count %s: %w", step.name, err)
		}
		kinds, counts = append(kinds, step.name), append(counts, n)
	}
	err := keep(func(tx *storage.Tx) error { return beginDeletion(ctx, tx, c.of, kinds, counts) })
	if err == nil {
		c.at = c.to(0)
	}
	return err
}

func (c *Cascade) count(ctx context.Context, store *storage.Store, s step) (int64, error) {
	estimate := s.estimate
	if b := s.ownedTable; b != nil {
		estimate = fmt.Sprintf(`SELECT count(*) FROM %s WHERE account_id = @account
		AND %s = ANY(ARRAY(%s))%s`, b.table, b.owner, c.ownersOf(b), b.condition())
	}
	sql, args := c.bind(estimate)
	return db.One[int64](ctx, store.DB, sql, args...)
}

// bind returns a statement on the @account and the @ids of the root, and its arguments.
func (c *Cascade) bind(text string, more ...db.Args) (sql string, args []any) {
	s := db.Bind(text)
	return s.SQL, s.Args(append(more, db.Args{"account": c.of.AccountID, "ids": c.ids})...)
}

// ownersOf returns a query for the owners of an owned table's rows: the @ids of the root, or
// the rows of its parent table, found in the same way.
func (c *Cascade) ownersOf(b *ownedTable) string {
	if b.parentTable == c.of.Root {
		return `SELECT id FROM unnest(@ids::bigint[]) AS r (id) WHERE @account::bigint > 0`
	}
	above := c.ownedTable(b.parentTable)
	return fmt.Sprintf(`SELECT id FROM %s WHERE account_id = @account AND %s = ANY(ARRAY(%s))%s`,
		above.table, above.owner, c.ownersOf(above), above.condition())
}

// ownedTable returns the description of a table that the cascade empties.
func (c *Cascade) ownedTable(table string) *ownedTable {
	i := slices.IndexFunc(c.steps, func(s step) bool { return s.ownedTable != nil && s.ownedTable.table == table })
	return c.steps[i].ownedTable
}

// Ready reads the owners of the current step, and skips steps without owners.
func (c *Cascade) Ready(ctx context.Context, s *storage.Store) (err error) {
	for !c.Done() && c.owners == nil {
		b := c.steps[c.index()].ownedTable
		if b == nil {
			return nil
		}
		sql, args := c.bind(`SELECT id FROM (`+c.ownersOf(b)+`) o WHERE id >= @owner ORDER BY id`,
			db.Args{"owner": c.at.Owner})
		c.owners, err = db.Many[int64](ctx, s.DB, sql, args...)
		if err != nil {
			return err
		}
		if len(c.owners) == 0 {
			c.at, c.owners = c.to(c.index()+1), nil
		}
	}
	return nil
}

// Chunk removes the next rows, in the transaction that keep runs. It returns ErrReferred if
// rows below them were inserted after the cascade passed, or changed while it passed.
func (c *Cascade) Chunk(ctx context.Context, keep func(func(*storage.Tx) error) error) error {
	began := time.Now()
	var next place
	var owners []int64
	err := keep(func(tx *storage.Tx) error {
		// Read in the order of an index, whatever the planner's statistics suggest.
		_, err := db.Exec(ctx, tx.DB, `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;
			SET LOCAL enable_sort = off`)
		if err != nil {
			return err
		}
		var rows int64
		s := c.steps[c.index()]
		if s.ownedTable != nil {
			rows, next, owners, err = c.remove(ctx, tx, s.ownedTable)
		} else if rows, err = s.runChunk(ctx, tx, c); rows > 0 {
			next = c.at
			next.Round++
		} else {
			next, c.ahead = c.to(c.index()+1), nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		return countDeleted(ctx, tx, c.of, s.name, rows)
	})
	if err != nil {
		return referred(err)
	}
	c.at, c.owners = next, owners
	switch took := time.Since(began); {
	case took < shortest:
		c.size = min(c.size*2, largestChunk)
	case took > longest:
		c.size = max(c.size/2, smallestChunk)
	}
	return nil
}

// ownersAtOnce is the largest number of owners of one chunk, for owners with few rows.
const ownersAtOnce = 100

// remove removes up to a chunk's rows of a step, owner by owner.
func (c *Cascade) remove(ctx context.Context, tx *storage.Tx, b *ownedTable) (rows int64, next place, owners []int64,
	err error) {
	owners, next = c.owners, c.at
	for range ownersAtOnce {
		left := c.size - int(rows)
		from := place{Step: c.at.Step, Owner: owners[0]}
		if next.Owner == from.Owner {
			from.Key = next.Key
		}
		n, last, err := b.take(ctx, tx, c.of.AccountID, from, left)
		rows += n
		if errors.Is(err, errMissed) {
			return rows, from, owners, nil
		}
		if err != nil {
			return rows, next, owners, err
		}
		if n == int64(left) {
			return rows, place{Step: c.at.Step, Owner: owners[0], Key: last}, owners, nil
		}
		if owners = owners[1:]; len(owners) == 0 {
			return rows, c.to(c.index() + 1), nil, nil
		}
		next = place{Step: c.at.Step, Owner: owners[0]}
	}
	return rows, next, owners, nil
}

// Files returns the keys of the files that the next chunk of rows names. The files must be
// removed before the rows: the sweep leaves a file without a row for a day.
func (c *Cascade) Files(ctx context.Context, s *storage.Store) ([]string, error) {
	if c.Done() || len(c.owners) == 0 {
		return nil, nil
	}
	b := c.steps[c.index()].ownedTable
	if b == nil || !b.files {
		return nil, nil
	}
	c.size = min(c.size, filesAtOnce)
	var keys []string
	for _, owner := range c.owners[:min(len(c.owners), ownersAtOnce)] {
		from := place{Owner: owner}
		if owner == c.at.Owner {
			from.Key = c.at.Key
		}
		batch, args := b.batch(c.of.AccountID, from, c.size-len(keys))
		files := db.Bind(`SELECT file_key FROM ` + batch)
		of, err := db.ManyNamed[string](ctx, s.DB, files, args)
		if err != nil {
			return nil, err
		}
		if keys = append(keys, of...); len(keys) == c.size {
			break
		}
	}
	return keys, nil
}

// filesAtOnce limits a chunk of rows that name files, because the files are removed first.
const filesAtOnce = 500

// Remove removes the record itself. It returns ErrReferred if other rows refer to it.
func (c *Cascade) Remove(ctx context.Context, tx *storage.Tx) error {
	where := `account_id = @account AND id = ANY(@ids)`
	switch c.of.Root {
	case "sandboxes": // the account stays
		return EndDeletion(ctx, tx, c.of)
	case "accounts":
		// Its other jobs would find nothing to do, and this one is done.
		if _, err := db.Exec(ctx, tx.DB, `DELETE FROM jobs WHERE account_id = $1`, c.of.AccountID); err != nil {
			return err
		}
		where = `id = @account AND id = ANY(@ids)`
	}
	remove, args := c.bind(`DELETE FROM ` + c.of.Root + ` WHERE ` + where)
	if _, err := db.Exec(ctx, tx.DB, remove, args...); err != nil {
		return referred(err)
	}
	return EndDeletion(ctx, tx, c.of)
}

// referred wraps a violation of a foreign key in ErrReferred.
func referred(err error) error {
	if pq.As(err, pqerror.ForeignKeyViolation) == nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrReferred, err)
}
