package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bordero/jobs"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// ErrReferred is the error of a record that cannot be removed yet: something has
// come below it, or refers to it, since its cascade passed there. It is to be gone
// through again.
var ErrReferred = errors.New("something still refers to the record")

// Cascade removes a record that is gone, or going, for clients: what belongs to it,
// children first, and what refers to it, a chunk in each transaction, and at last
// the record. Any number of tries go on where the last one was; it is used by one
// goroutine.
type Cascade struct {
	account, id int64
	root        string
	ids         []int64 // of the root's table: a category goes with those below it
	steps       []step
	at          place
	owners      []int64 // of the present step, from the place on; nil when they are not read yet
	ahead       []int64 // ids that the present step has found and not come to yet
	size        int     // of a chunk, in rows
}

// step empties one table as far as it belongs to the root, or clears what refers to
// it there. It is a belonging, whose rows are gone through owner by owner, or the
// same again and again, until nothing is left of it.
type step struct {
	name      string // the table: in the cursor and the progress
	belonging *belonging
	again     func(context.Context, *Tx, *Cascade) (rows int64, err error)
	estimate  string // counts, for the account $1 and the ids $2, what again will find; "" for what is no row's
}

// place is where a cascade is: before the rows of a step that come after the key,
// among those of an owner. It is a contract between releases: one that a release
// does not know is the beginning.
type place struct {
	Step  string   `json:"step"`
	Owner int64    `json:"owner,omitempty"`
	Key   []string `json:"key,omitempty"`
	Round int      `json:"round,omitempty"` // of a step that has no order to go on in: it gets on, too
}

// Sizes of a chunk, which adapts to how long one takes: others that wait for its
// rows, or for the disk, do not for longer.
const (
	smallestChunk, firstChunk, largestChunk = 125, 1000, 4000
	shortest, longest                       = 40 * time.Millisecond, 100 * time.Millisecond
)

// Cascade finds what is to be removed, and where the cursor of its job says that it
// has come. ErrNotFound when it is removed already.
func (q Queries) Cascade(ctx context.Context, of jobs.DeleteCascade, cursor string) (*Cascade, error) {
	find, known := roots[of.Root]
	if !known {
		return nil, fmt.Errorf("no cascade begins with %q", of.Root)
	}
	ids, err := many[int64](ctx, q.q, find, of.AccountID, of.ID)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, ErrNotFound
	}
	c := &Cascade{account: of.AccountID, id: of.ID, root: of.Root, ids: ids, steps: cascades[of.Root], size: firstChunk}
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

// Begun tells whether the cascade has a place: else it is to be begun.
func (c *Cascade) Begun() bool { return c.at.Step != "" }

// Done tells whether nothing is left but the record.
func (c *Cascade) Done() bool { return c.index() == len(c.steps) }

// Restart goes back to the beginning, for what has come after ErrReferred.
func (c *Cascade) Restart() { c.at, c.owners, c.ahead = place{}, nil, nil }

// Cursor is where the cascade is. A chunk keeps the place where it begins: what it
// removes is gone for the one that begins there again.
func (c *Cascade) Cursor() string {
	text, _ := json.Marshal(c.at) // strings and numbers
	return string(text)
}

// ended is the step of a cascade that has only its record left.
const ended = "end"

func (c *Cascade) index() int {
	if c.at.Step == ended {
		return len(c.steps)
	}
	return slices.IndexFunc(c.steps, func(s step) bool { return s.name == c.at.Step })
}

// to is the beginning of the i-th step.
func (c *Cascade) to(i int) place {
	if i == len(c.steps) {
		return place{Step: ended}
	}
	return place{Step: c.steps[i].name}
}

// Begin counts what there is, for those who ask how far it has come, and goes to the
// first step. Rows that are counted again at a new beginning are not told twice.
func (c *Cascade) Begin(ctx context.Context, s *Store, keep func(func(*Tx) error) error) error {
	var kinds []string
	var counts []int64
	for _, step := range c.steps {
		if step.belonging == nil && step.estimate == "" {
			continue
		}
		n, err := c.count(ctx, s.Queries, step)
		if err != nil {
			return fmt.Errorf("count %s: %w", step.name, err)
		}
		kinds, counts = append(kinds, step.name), append(counts, n)
	}
	err := keep(func(tx *Tx) error { return tx.beginDeletion(ctx, c, kinds, counts) })
	if err == nil {
		c.at = c.to(0)
	}
	return err
}

func (c *Cascade) count(ctx context.Context, q Queries, s step) (int64, error) {
	b := s.belonging
	if b == nil {
		return one[int64](ctx, q.q, s.estimate, c.account, c.ids)
	}
	return one[int64](ctx, q.q, fmt.Sprintf(`SELECT count(*) FROM %s WHERE account_id = $1 AND %s = ANY(ARRAY(%s))`,
		b.table, b.owner, c.ownersOf(b)), c.account, c.ids)
}

// ownersOf finds the owners of the rows of a belonging by those of the owners.
func (c *Cascade) ownersOf(b *belonging) string {
	if b.under == c.root {
		return `SELECT id FROM unnest($2::bigint[]) AS r (id) WHERE $1::bigint > 0`
	}
	above := c.belonging(b.under)
	return fmt.Sprintf(`SELECT id FROM %s WHERE account_id = $1 AND %s = ANY(ARRAY(%s))`, above.table, above.owner, c.ownersOf(above))
}

// belonging is the step of a table.
func (c *Cascade) belonging(table string) *belonging {
	i := slices.IndexFunc(c.steps, func(s step) bool { return s.belonging != nil && s.belonging.table == table })
	return c.steps[i].belonging
}

// Ready finds out which owners the present step is about. A step that has none is
// passed over.
func (c *Cascade) Ready(ctx context.Context, s *Store) (err error) {
	for !c.Done() && c.owners == nil {
		b := c.steps[c.index()].belonging
		if b == nil {
			return nil
		}
		c.owners, err = many[int64](ctx, s.q, `SELECT id FROM (`+c.ownersOf(b)+`) o WHERE id >= $3 ORDER BY id`, c.account, c.ids, c.at.Owner)
		if err != nil {
			return err
		}
		if len(c.owners) == 0 {
			c.at, c.owners = c.to(c.index()+1), nil
		}
	}
	return nil
}

// Chunk removes what is next, in the transaction that keep runs. ErrReferred when
// something has come below it since the cascade passed there, or was changed by
// others at the moment that it did.
func (c *Cascade) Chunk(ctx context.Context, keep func(func(*Tx) error) error) error {
	began := time.Now()
	var next place
	var owners []int64
	err := keep(func(tx *Tx) error {
		// In the order of an index, whatever the statistics of the tables say.
		_, err := tx.tx.ExecContext(ctx, `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off`)
		if err != nil {
			return err
		}
		var rows int64
		s := c.steps[c.index()]
		if s.belonging != nil {
			rows, next, owners, err = c.remove(ctx, tx, s.belonging)
		} else if rows, err = s.again(ctx, tx, c); rows > 0 {
			next = c.at
			next.Round++
		} else {
			next, c.ahead = c.to(c.index()+1), nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		return tx.countDeleted(ctx, c, s.name, rows)
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

// ownersAtOnce bounds how many owners with few rows are gone through in one chunk.
const ownersAtOnce = 100

// remove takes up to a chunk's rows of a step, owner by owner.
func (c *Cascade) remove(ctx context.Context, tx *Tx, b *belonging) (rows int64, next place, owners []int64, err error) {
	owners, next = c.owners, c.at
	for range ownersAtOnce {
		left := c.size - int(rows)
		from := place{Step: c.at.Step, Owner: owners[0]}
		if next.Owner == from.Owner {
			from.Key = next.Key
		}
		n, last, err := b.take(ctx, tx, c.account, from, left)
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

// Files are the keys of the files that the next chunk of rows names. They go before
// the rows: a file without one would stay for a day.
func (c *Cascade) Files(ctx context.Context, s *Store) ([]string, error) {
	if c.Done() || len(c.owners) == 0 {
		return nil, nil
	}
	b := c.steps[c.index()].belonging
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
		of, err := many[string](ctx, s.q, `SELECT file_key FROM `+b.batch(from, c.size-len(keys)), b.args(c.account, from)...)
		if err != nil {
			return nil, err
		}
		if keys = append(keys, of...); len(keys) == c.size {
			break
		}
	}
	return keys, nil
}

// filesAtOnce is how many files go before their rows do.
const filesAtOnce = 500

// Remove removes the record itself. ErrReferred when something has come meanwhile.
func (c *Cascade) Remove(ctx context.Context, tx *Tx) error {
	where := `account_id = $1 AND id = ANY($2)`
	if c.root == "accounts" {
		// Its jobs find nothing more to do. Ours is done.
		if _, err := exec(ctx, tx.q, `DELETE FROM jobs WHERE account_id = $1`, c.account); err != nil {
			return err
		}
		where = `id = $1 AND id = ANY($2)`
	}
	if _, err := exec(ctx, tx.q, `DELETE FROM `+c.root+` WHERE `+where, c.account, c.ids); err != nil {
		return referred(err)
	}
	return tx.endDeletion(ctx, c)
}

// referred is ErrReferred where a foreign key says so.
func referred(err error) error {
	if pq.As(err, pqerror.ForeignKeyViolation) == nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrReferred, err)
}
