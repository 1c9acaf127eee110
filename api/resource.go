package api

import (
	"context"
	"net/http"
	"time"

	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// resource describes how the records of one kind are found, stored and rendered. The five
// verbs below are written once for all kinds; anything but plain CRUD is an ordinary
// handler beside its resource.
type resource[T any] struct {
	root, plural string // of the documents: "entity", "entities"
	model        string // as a 404 names it: "Entity"
	pageSize     int    // of a list; 0 is the whole list unless a page is requested
	located      bool   // the answer to an update has a Location too
	rootless     bool   // an update needs no document

	list func(context.Context, storage.Queries, *call, storage.List) (storage.Listed[T], error)
	find func(context.Context, storage.Queries, *call, int64) (*T, error)
	// parent checks that the parents exist, and lockParent locks them against deletion until the
	// transaction ends; nil if the entity is the only parent.
	parent     func(context.Context, storage.Queries, *call) error
	lockParent func(context.Context, *storage.Tx, *call) error

	fresh    func(*call) (*T, error)                                      // owners and defaults, never from the body
	lock     func(context.Context, *storage.Tx, *call, int64) (*T, error) // find, to change
	assign   func(*wire.Input, *T, time.Time)                             // what a client may write
	validate func(*T) error                                               // finance's rules
	refer    func(context.Context, *storage.Tx, *call, *T, T) error       // locks the new references of the record; nil where storage does
	insert   func(*storage.Tx, context.Context, *T) error                 // like the two below, a method of Tx
	update   func(*storage.Tx, context.Context, *T) error
	remove   func(*storage.Tx, context.Context, *T) error
	event    func(*call, *T, finance.Action) finance.Event // nil: no event is emitted
	beside   func(*T) *T                                   // another record that changes with this one; may be nil, or return nil

	show func(*call, *wire.Writer, *T) // fields in the order of the document
	path func(*call, *T) string
}

// index lists records: 200.
func index[T any](a *API, r resource[T]) func(*call) error {
	return func(c *call) error {
		l, err := c.page(r.pageSize)
		if err != nil {
			return err
		}
		listed, err := r.list(c.ctx(), a.Store.Queries, c, l)
		if err != nil {
			return err
		}
		if len(listed.Items) == 0 {
			if err := r.above(c.ctx(), a.Store.Queries, c); err != nil {
				return err
			}
		}
		c.pageLinks(l, listed.Total)
		return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
			w.List(r.root, r.plural, len(listed.Items), func(i int) { r.show(c, w, &listed.Items[i]) })
		}))
	}
}

// above checks that the parents that the path names exist: the entity, then r.parent.
func (r resource[T]) above(ctx context.Context, q storage.Queries, c *call) error {
	if c.entityID != 0 {
		if _, err := q.Entity(ctx, c.scope()); err != nil {
			return found(err, "Entity", c.entityID)
		}
	}
	if r.parent != nil {
		return r.parent(ctx, q, c)
	}
	return nil
}

// show returns one record: 200.
func show[T any](a *API, r resource[T]) func(*call) error {
	return func(c *call) error {
		id, err := c.id(r.model)
		if err != nil {
			return err
		}
		t, err := r.find(c.ctx(), a.Store.Queries, c, id)
		if err != nil {
			return found(err, r.model, id)
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
			if r.lockParent != nil {
				if err := r.lockParent(ctx, tx, c); err != nil {
					return answer{}, err
				}
			}
			t, err := r.fresh(c)
			if err != nil {
				return answer{}, err
			}
			if err := r.fill(ctx, tx, c, in, t); err != nil {
				return answer{}, err
			}
			if err := r.insert(tx, ctx, t); err != nil {
				return answer{}, err
			}
			out := r.document(c, http.StatusCreated, t)
			out.location = c.url(r.path(c, t))
			return out, r.emit(ctx, tx, c, t, finance.Created)
		})
	}
}

// The answer to an update.
const (
	withBody = true
	empty    = false
)

// update changes a record: 200, with the record or empty.
func update[T any](a *API, r resource[T], body bool) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
			t, err := r.lockForUpdate(ctx, tx, c)
			if err != nil {
				return answer{}, err
			}
			if err := r.fill(ctx, tx, c, in, t); err != nil {
				return answer{}, err
			}
			if err := r.update(tx, ctx, t); err != nil {
				return answer{}, err
			}
			out := c.answer(http.StatusOK, nil)
			if body {
				out = r.document(c, http.StatusOK, t)
			}
			if r.located {
				out.location = c.url(r.path(c, t))
			}
			return out, r.emit(ctx, tx, c, t, finance.Updated)
		})
	}
}

// destroy removes a record: the status, empty.
func destroy[T any](a *API, r resource[T], status int) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
			t, err := r.lockForUpdate(ctx, tx, c)
			if err != nil {
				return answer{}, err
			}
			if err := r.remove(tx, ctx, t); err != nil {
				return answer{}, err
			}
			return c.answer(status, nil), r.emit(ctx, tx, c, t, finance.Destroyed)
		})
	}
}

// lockForUpdate finds and locks the record that the path names, and refuses one that does not match
// If-Match.
func (r resource[T]) lockForUpdate(ctx context.Context, tx *storage.Tx, c *call) (*T, error) {
	id, err := c.id(r.model)
	if err != nil {
		return nil, err
	}
	t, err := r.lock(ctx, tx, c, id)
	if err != nil {
		return nil, found(err, r.model, id)
	}
	return t, c.match(r.root, func(w *wire.Writer) { r.show(c, w, t) })
}

// fill assigns the attributes that were sent to the record, validates it and locks its new
// references. A document without the root key is refused, unless r is rootless.
func (r resource[T]) fill(ctx context.Context, tx *storage.Tx, c *call, in *wire.Input, t *T) error {
	root, ok := in.Root(r.root)
	if !ok && !r.rootless {
		return errRoot
	}
	before := *t
	r.assign(root, t, c.api.now())
	if err := checked(in, r.validate(t)); err != nil || r.refer == nil {
		return err
	}
	return r.refer(ctx, tx, c, t, before)
}

func (r resource[T]) emit(ctx context.Context, tx *storage.Tx, c *call, t *T, action finance.Action) error {
	if r.event == nil {
		return nil
	}
	if r.beside != nil {
		if other := r.beside(t); other != nil {
			if err := tx.Emit(ctx, r.event(c, other, action)); err != nil {
				return err
			}
		}
	}
	return tx.Emit(ctx, r.event(c, t, action))
}
