package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// creation is a batch of new records of a resource. Its items are the documents of single requests.
type creation[T any] struct {
	resource[T]
	rows     rowsOf[T]
	updating need // of updates, if a PUT needs more than the route of the batch
	ordered  bool // an update may refer to a record of an earlier item

	// repeats reports whether an item with the identity of a record repeats the creation of this record and others.
	// Such an item changes nothing. nil where each item is one record.
	repeats func(_ context.Context, _ *storage.Tx, _ *call, in *wire.Input, sent, stored *T) (bool, error)

	// hold locks the records of other kinds that updates of records lock before these, by the ids of all records that
	// the batch may update. It may be nil.
	hold func(context.Context, *storage.Tx, *call, []int64) error

	// share locks references of new records that refers does not return, and returns the faults of each record. It may
	// be nil.
	share func(context.Context, *storage.Tx, *call, []*T) ([]error, error)
}

// rowsOf returns the rows of an item, for maxBatchRows. The values of an item that creates nothing, and can only update
// a record, may be invalid. nil is one row of each item.
type rowsOf[T any] func(t *T, creates bool) int

// identityKey is the identity of a record; without a text, none.
type identityKey struct {
	scope storage.Scope
	text  string
}

// createMany returns the batch that creates records.
func (k creation[T]) createMany() batch[T] {
	show := func(c *call, w *wire.Writer, t *T) { w.Object(k.root, func() { k.show(c, w, t) }) }
	return batch[T]{all: k.all, show: show, updates: k.identity != nil, updating: k.updating}
}

// creating is the state of a creation while its items are stored.
type creating[T any] struct {
	creation[T]
	c      *call
	tx     *storage.Tx
	items  []*wire.Input
	result *batchResult[T]

	has     map[identityKey]int64 // the records by their identities
	waiting map[identityKey]bool  // the identities of the items in the queue
	queue   []int                 // the items that are to be stored
	refused []int                 // the items with faults; their references are still to be checked
	records []*T                  // of the items; nil for an item without the root
	faults  []error               // of the items
}

func (k creation[T]) all(ctx context.Context, tx *storage.Tx, c *call, items []*wire.Input, update bool) (
	*batchResult[T], error) {
	if k.parent.lock != nil {
		if err := k.parent.lock(ctx, tx, c); err != nil {
			return nil, err
		}
	}
	b := &creating[T]{creation: k, c: c, tx: tx, items: items, result: &batchResult[T]{
		Items: make([]batchItem[T], len(items))}, waiting: map[identityKey]bool{}, has: map[identityKey]int64{}}
	if err := b.read(update); err != nil {
		return nil, err
	}
	if err := b.claim(ctx); err != nil {
		return nil, err
	}
	if update && k.hold != nil && len(b.has) > 0 {
		if err := k.hold(ctx, tx, c, slices.Collect(maps.Values(b.has))); err != nil {
			return nil, err
		}
	}
	for i := range items {
		key := b.identityOf(i)
		if _, exists := b.has[key]; b.waiting[key] || b.ordered && exists && update {
			if err := b.store(ctx); err != nil {
				return nil, err
			}
		}
		of, exists := b.has[key]
		if exists && update {
			updated, err := b.updateItem(ctx, i, of)
			if err != nil {
				return nil, err
			}
			if updated {
				continue
			}
			exists = false
		}
		if exists {
			taken := placed(items[i], b.identity(b.c, b.records[i]).kind.Taken(of))
			b.faults[i] = joined(func() error { return b.faults[i] }, func() error { return taken })
		}
		switch {
		case b.faults[i] == nil:
			b.queue = append(b.queue, i)
			if key.text != "" {
				b.waiting[key] = true
			}
		case b.records[i] == nil || hasLongList(b.faults[i]):
			if err := b.end(i, http.StatusCreated, b.faults[i]); err != nil {
				return nil, err
			}
		default:
			b.refused = append(b.refused, i)
		}
	}
	return b.result, b.store(ctx)
}

// read reads and validates all items. It refuses a batch of too many rows.
func (b *creating[T]) read(update bool) error {
	b.faults = make([]error, len(b.items))
	b.records = make([]*T, len(b.items))
	rows := 0
	for i, in := range b.items {
		root, ok := in.Root(b.root)
		if !ok {
			b.faults[i] = b.c.noRoot(b.root)
			continue
		}
		t := b.newRecord(b.c)
		b.assign(root, t)
		b.records[i], b.faults[i] = t, checked(in, b.validate(t))
		if b.rows != nil && (update || !hasLongList(b.faults[i])) {
			rows += b.rows(t, b.faults[i] == nil)
		}
	}
	if rows > maxBatchRows {
		return finance.Refuse("items", messages.BatchTooLarge.With(rows, maxBatchRows))
	}
	return nil
}

// identityOf returns the identity of an item.
func (b *creating[T]) identityOf(i int) identityKey {
	if b.identity == nil || b.records[i] == nil {
		return identityKey{}
	}
	return b.keyOf(b.records[i])
}

// keyOf returns the identity of a record.
func (b *creating[T]) keyOf(t *T) identityKey {
	is := b.identity(b.c, t)
	return identityKey{is.scope, finance.OrZero(is.text)}
}

// claim claims the identities of all items.
func (b *creating[T]) claim(ctx context.Context) error {
	var kind storage.Identities
	claimed := map[storage.Scope][]string{}
	for i := range b.items {
		if key := b.identityOf(i); key.text != "" {
			kind = b.identity(b.c, b.records[i]).kind
			claimed[key.scope] = append(claimed[key.scope], key.text)
		}
	}
	inOrder := func(a, b storage.Scope) int { return cmp.Compare(a.EntityID, b.EntityID) }
	for _, scope := range slices.SortedFunc(maps.Keys(claimed), inOrder) {
		has, err := b.tx.ClaimIdentities(ctx, kind, scope, claimed[scope])
		if err != nil {
			return err
		}
		for text, id := range has {
			b.has[identityKey{scope, text}] = id
		}
	}
	return nil
}

// end sets the outcome of an item.
func (b *creating[T]) end(i int, status int64, err error) error {
	if err == nil {
		b.result.Items[i].Body = b.records[i]
		if key := b.identityOf(i); key.text != "" {
			b.has[key] = b.identity(b.c, b.records[i]).id
		}
	}
	return b.result.Items[i].end(i, b.items[i], status, err)
}

// updateItem makes an item an update of the record that has its identity. It returns false, and leaves the item, if the
// record was deleted, or given another identity, after the claim.
func (b *creating[T]) updateItem(ctx context.Context, i int, id int64) (exists bool, err error) {
	exists = true
	err = b.tx.Try(ctx, func() error {
		t, err := b.lock(ctx, b.tx, b.c, id)
		if errors.Is(err, storage.ErrNotFound) || err == nil && b.keyOf(t) != b.identityOf(i) {
			exists, err = b.stillTaken(ctx, i)
			return err
		}
		if err != nil {
			return err
		}
		if b.repeats != nil && b.records[i] != nil {
			same, err := b.repeats(ctx, b.tx, b.c, b.items[i], b.records[i], t)
			if err != nil {
				return placed(b.items[i], err)
			}
			if same {
				b.records[i] = t
				return nil
			}
		}
		b.c.before = b.rendered(b.c, t)
		defer func() { b.c.before = nil }()
		if err := b.apply(ctx, b.tx, b.c, b.items[i], t); err != nil {
			return err
		}
		_, err = b.updated(ctx, b.tx, b.c, t, empty)
		b.records[i] = t
		return err
	})
	if !exists && err == nil {
		return false, nil
	}
	return true, b.end(i, http.StatusOK, err)
}

// stillTaken returns false if no record has the identity of an item any more, and refuses the item if one has that the
// batch cannot update: a transaction of another deposit account.
func (b *creating[T]) stillTaken(ctx context.Context, i int) (bool, error) {
	is, key := b.identity(b.c, b.records[i]), b.identityOf(i)
	has, err := b.tx.ClaimIdentities(ctx, is.kind, key.scope, []string{key.text})
	if err != nil {
		return true, err
	}
	if of, taken := has[key.text]; taken {
		return true, placed(b.items[i], is.kind.Taken(of))
	}
	delete(b.has, key)
	return false, nil
}

// store stores the items of the queue by a constant number of statements. It checks the references of the refused items
// with theirs, so that an item has all its faults at once, and after theirs: a record that is not stored is neither the
// parent nor the rival of one that is.
func (b *creating[T]) store(ctx context.Context) error {
	items := slices.Concat(b.queue, b.refused)
	b.queue, b.refused, b.waiting = nil, nil, map[identityKey]bool{}
	records, faults := make([]*T, len(items)), make([]error, len(items))
	for n, i := range items {
		records[n], faults[n] = b.records[i], b.faults[i]
	}
	missing, err := b.shareEach(ctx, records)
	if err != nil {
		return err
	}
	for n, i := range items {
		missing[n] = placed(b.items[i], missing[n])
	}
	faults = joinedEach(faults, missing)
	if err := b.storeGood(ctx, records, faults); err != nil {
		return err
	}
	for n, i := range items {
		if err := b.end(i, http.StatusCreated, faults[n]); err != nil {
			return err
		}
	}
	return nil
}

// shareEach locks the references of new records, and returns the faults of each.
func (b *creating[T]) shareEach(ctx context.Context, records []*T) (faults []error, err error) {
	faults = make([]error, len(records))
	if b.share != nil && len(records) > 0 {
		if faults, err = b.share(ctx, b.tx, b.c, records); err != nil {
			return nil, err
		}
	}
	if b.refers == nil {
		return faults, nil
	}
	refers := make([]storage.Refers, len(records))
	for i, t := range records {
		refers[i] = b.refers(t)
	}
	missing, err := b.tx.ShareEach(ctx, b.c.scope(), b.c.access, refers)
	if err != nil {
		return nil, err
	}
	return joinedEach(faults, missing), nil
}

// joinedEach returns the faults of each of several records, of two checks.
func joinedEach(first, second []error) []error {
	for i := range first {
		first[i] = joined(func() error { return first[i] }, func() error { return second[i] })
	}
	return first
}

// storeGood stores the records without faults, and emits their events.
func (b *creating[T]) storeGood(ctx context.Context, records []*T, faults []error) error {
	var good []*T
	for n, fault := range faults {
		if fault == nil {
			good = append(good, records[n])
		}
	}
	if len(good) == 0 {
		return nil
	}
	if err := b.insert(b.tx, ctx, good); err != nil {
		return err
	}
	var events []finance.Event
	for _, t := range good {
		if b.events != nil { // or storage emits them
			events = append(events, b.events(b.c, t, finance.Created)...)
		}
	}
	return b.tx.EmitEach(ctx, events)
}
