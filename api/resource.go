package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

// resource describes how the records of one kind are found, stored and rendered. The five verbs
// below are written once for all kinds; other operations are ordinary handlers beside their
// resource.
type resource[T any] struct {
	root, plural string // of the documents: "entity", "entities"

	// list returns a page of records, which its caller clears as it writes them.
	list   func(context.Context, storage.Queries, *call, list.Query) (list.Page[T], error)
	find   func(context.Context, storage.Queries, *call, int64) (*T, error)
	parent parent

	newRecord func(*call) *T                                               // owners and defaults, never from the body
	lock      func(context.Context, *storage.Tx, *call, int64) (*T, error) // finds and locks a record for a change
	assign    func(*wire.Input, *T)                                        // the attributes that a client may write
	validate  func(*T) error                                               // finance's rules
	// identity returns what other systems know a record by; nil for a kind without.
	identity func(*call, *T) identity
	// lockReferences refuses changes, and locks new references that refers does not return; may be nil.
	lockReferences func(context.Context, *storage.Tx, *call, *T, T) error
	// refers returns the references for Tx.Share to find and lock; nil if there are none or lockReferences calls it.
	refers func(*T) storage.Refers
	// conflicts returns the refusals of writes, to report them beside other faults; may be nil.
	conflicts      func(*storage.Tx, context.Context, *T) error
	insert         func(*storage.Tx, context.Context, []*T) error // new records
	update, remove func(*storage.Tx, context.Context, *T) error   // a locked record
	// referred returns the column by which budgets and reconciliation rules refer to a removed record, and the ids of
	// all records that were removed; nil for a kind without.
	referred func(*T) (column string, ids []int64)
	events   func(*call, *T, finance.Action) []finance.Event // may be nil

	show func(*call, *wire.Writer, *T) // fields in the order of the document
	path func(*call, *T) string
}

// inTurn returns the insert of a resource with statements for one record. A batch, which sends a constant number of
// statements, has another.
func inTurn[T any](insert func(*storage.Tx, context.Context, *T) error) func(*storage.Tx, context.Context, []*T) error {
	return func(tx *storage.Tx, ctx context.Context, records []*T) error {
		for _, t := range records {
			if err := insert(tx, ctx, t); err != nil {
				return err
			}
		}
		return nil
	}
}

// asMethod returns a write of a package above storage with the parameters of the methods of a Tx.
func asMethod[T any](write func(context.Context, *storage.Tx, *T) error) func(*storage.Tx, context.Context, *T) error {
	return func(tx *storage.Tx, ctx context.Context, t *T) error { return write(ctx, tx, t) }
}

// parent is the record in a path between the entity and the record.
type parent struct {
	check func(context.Context, storage.Queries, *call) error // that the parent exists
	lock  func(context.Context, *storage.Tx, *call) error     // against its deletion, until the transaction ends
}

// completeList is the page size of a list that is complete unless a page is requested.
const completeList = 0

// index lists records in pages of pageSize by default: 200.
func index[T any](a *API, r resource[T], pageSize int) func(*call) error {
	return func(c *call) error { return r.sendList(a, c, pageSize, r.show) }
}

// usualRecord is the estimated memory of one record of a list, in bytes. It is needed before the
// list is read.
const usualRecord = 2 << 10

// sendList is index with another way to write the records.
func (r resource[T]) sendList(a *API, c *call, pageSize int, show func(*call, *wire.Writer, *T)) error {
	l, err := c.page(pageSize)
	if err != nil {
		return err
	}
	if c.sheet != nil {
		return r.sendSheet(a, c, l.Search, show)
	}
	if err := c.enterList(l.Size); err != nil {
		return err
	}
	if err := c.holding.Reserve(int64(l.Size) * usualRecord); err != nil {
		return err
	}
	listed, err := r.list(c.ctx(), a.Store.Queries, c, l)
	if err := c.withStray(err); err != nil {
		return err
	}
	if len(listed.Items) == 0 {
		if err := r.checkParents(c.ctx(), a.Store.Queries, c); err != nil {
			return err
		}
	}
	c.pageHeaders(l, listed.Total, listed.Next)
	c.holding.Reuse()
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.List(r.root, r.plural, len(listed.Items), func(i int) {
			show(c, w, &listed.Items[i])
			listed.Items[i] = *new(T) // the document has its texts now: a large list is not in memory twice
		})
	}))
}

// checkParents checks that the entity and the parent in the path exist.
func (r resource[T]) checkParents(ctx context.Context, q storage.Queries, c *call) error {
	if c.entityID != 0 {
		if _, err := q.Entity(ctx, c.scope()); err != nil {
			return found(err, entities.root, c.entityID)
		}
	}
	if r.parent.check != nil {
		return r.parent.check(ctx, q, c)
	}
	return nil
}

// show returns one record: 200.
func show[T any](a *API, r resource[T]) func(*call) error {
	return func(c *call) error {
		t, err := r.find(c.ctx(), a.Store.Queries, c, c.id())
		if err != nil {
			return found(err, r.root, c.id())
		}
		return c.send(r.document(c, http.StatusOK, t))
	}
}

func (r resource[T]) document(c *call, status int, t *T) answer {
	return c.answer(status, func(w *wire.Writer) {
		w.Object(r.root, func() { r.show(c, w, t) })
	})
}

// create stores a new record: 201 with its Location and the record.
func create[T any](a *API, r resource[T]) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
			if r.parent.lock != nil {
				if err := r.parent.lock(ctx, tx, c); err != nil {
					return answer{}, err
				}
			}
			t := r.newRecord(c)
			if err := r.apply(ctx, tx, c, in, t); err != nil {
				return answer{}, err
			}
			return r.created(ctx, tx, c, t)
		})
	}
}

// created stores a new, complete record, and returns the answer.
func (r resource[T]) created(ctx context.Context, tx *storage.Tx, c *call, t *T) (answer, error) {
	if err := r.insert(tx, ctx, []*T{t}); err != nil {
		return answer{}, err
	}
	out := r.document(c, http.StatusCreated, t)
	out.location = c.url(r.path(c, t))
	return out, r.emit(ctx, tx, c, t, finance.Created)
}

// updateAnswer lists the parts of the answer to an update. Clients expect different parts for each
// kind of record.
type updateAnswer int

const (
	empty        updateAnswer = 0
	withBody     updateAnswer = 1 << 0
	withLocation updateAnswer = 1 << 1
)

// update changes a record: 200.
func update[T any](a *API, r resource[T], has updateAnswer) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
			t, err := r.lockForUpdate(ctx, tx, c)
			if err != nil {
				return answer{}, err
			}
			if err := r.apply(ctx, tx, c, in, t); err != nil {
				return answer{}, err
			}
			return r.updated(ctx, tx, c, t, has)
		})
	}
}

// updated stores a changed record, and returns the answer.
func (r resource[T]) updated(ctx context.Context, tx *storage.Tx, c *call, t *T, has updateAnswer) (answer, error) {
	if err := r.update(tx, ctx, t); err != nil {
		return answer{}, err
	}
	out := c.answer(http.StatusOK, nil)
	if has&withBody != 0 {
		out = r.document(c, http.StatusOK, t)
	}
	if has&withLocation != 0 {
		out.location = c.url(r.path(c, t))
	}
	return out, r.emit(ctx, tx, c, t, finance.Updated)
}

// destroy removes a record: the status, empty.
func destroy[T any](a *API, r resource[T], status int) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
			t, err := r.lockForUpdate(ctx, tx, c)
			if err != nil {
				return answer{}, err
			}
			return r.destroyed(ctx, tx, c, t, status)
		})
	}
}

// destroyed removes a locked record, and returns the answer. It refuses a user who may not delete the budgets and
// reconciliation rules that go with it.
func (r resource[T]) destroyed(ctx context.Context, tx *storage.Tx, c *call, t *T, status int) (answer, error) {
	if err := r.remove(tx, ctx, t); err != nil {
		return answer{}, err
	}
	if r.referred != nil {
		column, ids := r.referred(t)
		if err := c.checkGoing(ctx, tx, column, ids); err != nil {
			return answer{}, err
		}
	}
	return c.answer(status, nil), r.emit(ctx, tx, c, t, finance.Destroyed)
}

// checkGoing refuses a user without the permissions to delete the budgets and reconciliation rules that go with removed
// records, to which they refer by a column. Once the records are removed, no others come to refer to them.
func (c *call) checkGoing(ctx context.Context, tx *storage.Tx, column string, ids []int64) error {
	var missing []finance.Permission
	for _, of := range []struct {
		needed []finance.Permission
		going  func(context.Context, int64, string, []int64) (bool, error)
	}{
		{[]finance.Permission{finance.Budgets}, tx.BudgetsGoWith},
		{reconcilesAll, tx.RulesGoWith},
	} {
		lacks := slices.DeleteFunc(slices.Clone(of.needed), c.access.Allows)
		if len(lacks) == 0 {
			continue
		}
		going, err := of.going(ctx, c.access.AccountID, column, ids)
		if err != nil {
			return err
		}
		if going {
			missing = append(missing, lacks...)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return lacking(missing...)
}

// lockForUpdate finds and locks the record of the path, and refuses one that does not match
// If-Match.
func (r resource[T]) lockForUpdate(ctx context.Context, tx *storage.Tx, c *call) (*T, error) {
	return r.lockBy(ctx, tx, c, r.lock)
}

// lockBy is lockForUpdate with another lock.
func (r resource[T]) lockBy(ctx context.Context, tx *storage.Tx, c *call, lock func(context.Context, *storage.Tx, *call,
	int64) (*T, error)) (*T, error) {
	t, err := lock(ctx, tx, c, c.id())
	if err != nil {
		return nil, found(err, r.root, c.id())
	}
	if c.Request.Method == put {
		c.before = r.rendered(c, t)
	}
	return t, c.match(r.root, func(w *wire.Writer) { r.show(c, w, t) })
}

// apply assigns the attributes that were sent to the record, validates it and locks its new
// references. The error has the faults of the validation and of the references. A document without
// the root key is refused.
func (r resource[T]) apply(ctx context.Context, tx *storage.Tx, c *call, in *wire.Input, t *T) error {
	root, ok := in.Root(r.root)
	if !ok {
		return c.noRoot(r.root)
	}
	before := *t
	r.assign(root, t)
	var invalid finance.Invalid
	if err := invalid.Join(checked(in, r.validate(t))); err != nil {
		return err
	}
	long := hasLongList(invalid.Err())
	if r.lockReferences != nil && !long {
		if err := invalid.Join(placed(in, r.lockReferences(ctx, tx, c, t, before))); err != nil {
			return err
		}
	}
	if r.refers != nil && !long {
		missing := tx.Share(ctx, c.scope(), c.access, r.refers(t), r.refers(&before))
		if err := invalid.Join(placed(in, missing)); err != nil {
			return err
		}
	}
	if !invalid.Has("external_id", len(invalid.Messages)) {
		if err := invalid.Join(placed(in, r.claimIdentity(ctx, tx, c, t, &before))); err != nil {
			return err
		}
	}
	if r.conflicts != nil && len(invalid.Messages) > 0 {
		if err := invalid.Join(placed(in, r.conflicts(tx, ctx, t))); err != nil {
			return err
		}
	}
	return invalid.Err()
}

// hasLongList reports whether err refuses a list for its length. Its thousands of ids are not looked up.
func hasLongList(err error) bool {
	var invalid *finance.Invalid
	return errors.As(err, &invalid) && slices.ContainsFunc(invalid.Messages, func(m finance.Message) bool {
		return m.Code == messages.TooManyItems.Code
	})
}

func (r resource[T]) emit(ctx context.Context, tx *storage.Tx, c *call, t *T, action finance.Action) error {
	if r.events == nil {
		return nil
	}
	id, attributes := int64(0), ""
	if action == finance.Updated {
		id, attributes = changedAttributes(c.before, r.rendered(c, t))
	}
	for _, e := range r.events(c, t, action) {
		if len(e.IDs) == 1 && e.IDs[0] == id {
			e.Attributes = attributes
		}
		if err := tx.Emit(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
