package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

const (
	maxBatchItems = 500
	// maxBatchRows are the records that the items of one batch may make and select, with the attachments, taxes and
	// classifications of the records.
	maxBatchRows   = 5000
	batchDocuments = 4 // a batch may be as large as this many documents
)

// batch makes many records of one kind in one request, each as a request of its own would.
type batch[T any] struct {
	all      func(_ context.Context, _ *storage.Tx, _ *call, items []*wire.Input, update bool) (*batchResult[T], error)
	show     func(*call, *wire.Writer, *T)
	updates  bool // whether items whose identity exists may be updates: on_conflict
	updating need // of such a batch, beside the needs of its route
}

// requests are a batch whose items are carried out in turn.
type requests[Q, T any] struct {
	read func(*wire.Input) (*Q, error)
	rows func(*Q) int // of a document, for maxBatchRows
	// lock locks the records that all documents refer to, in the order of docs/locking.md.
	lock func(context.Context, *storage.Tx, *call, []*Q) error
	do   func(context.Context, *storage.Tx, *call, *Q) (*T, error)
}

// batchResult is the answer to a batch: its items in order.
type batchResult[T any] struct{ Items []batchItem[T] }

// batchItem is the outcome of one item.
type batchItem[T any] struct {
	Status *int64          // nil in an atomic batch that was refused, if the item would have been accepted
	Body   *T              // of an accepted item
	Errors json.RawMessage // of a refused item: texts by attribute

	faults []finance.Message // the errors with their places in the request
}

// errRefusedBatch rolls back an atomic batch with a refused item.
var errRefusedBatch = errors.New("refused batch")

// serve processes the items of a request in one transaction. A refused item changes nothing, and
// the accepted items are stored (200). An atomic batch with a refused item changes nothing at all
// (422).
func (b batch[T]) serve(c *call) error {
	var refused answer
	err := c.api.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		if root, ok := in.Root(noRoot); ok {
			in = root
		}
		atomic := false
		in.Bool("atomic", &atomic)
		onConflict := ""
		if b.updates {
			in.String("on_conflict", &onConflict)
		}
		items := in.Documents("items")
		if err := checked(in, validateBatch(items, onConflict)); err != nil {
			return answer{}, err
		}
		update := onConflict == updateOnConflict
		if update {
			if err := b.updating.refuses(c.access); err != nil {
				return answer{}, err
			}
		}
		result, err := b.all(ctx, tx, c, items, update)
		if err != nil {
			return answer{}, err
		}
		failed := result.failed()
		if !atomic || failed == 0 {
			return rootless(c, http.StatusOK, b.showResult, result), nil
		}
		var within []finance.Message
		for i := range result.Items {
			within = append(within, result.Items[i].faults...)
			if result.Items[i].Errors == nil {
				result.Items[i] = batchItem[T]{}
			}
		}
		refused = c.refuse([]finance.Message{{Attribute: "items", Fault: messages.BatchRefused.With(failed)}},
			problemMembers{},
			func(w *wire.Writer) {
				w.Document(func() { b.showResult(c, w, result) })
			}, within...)
		return answer{}, errRefusedBatch
	})
	if errors.Is(err, errRefusedBatch) {
		return c.send(refused)
	}
	return err
}

// all reads all items, locks the records that they refer to, and processes one item after the
// other.
func (b requests[Q, T]) all(ctx context.Context, tx *storage.Tx, c *call, items []*wire.Input, _ bool) (
	*batchResult[T], error) {
	documents, faults := make([]*Q, len(items)), make([]error, len(items))
	var good []*Q
	rows := 0
	for i, in := range items {
		if documents[i], faults[i] = b.read(in); faults[i] == nil {
			good = append(good, documents[i])
			rows += b.rows(documents[i])
		}
	}
	if rows > maxBatchRows {
		return nil, finance.Refuse("items", messages.BatchTooLarge.With(rows, maxBatchRows))
	}
	if err := b.lock(ctx, tx, c, good); err != nil {
		return nil, err
	}
	result := &batchResult[T]{Items: make([]batchItem[T], len(items))}
	for i := range items {
		err := faults[i]
		if err == nil {
			err = tx.Try(ctx, func() (err error) {
				result.Items[i].Body, err = b.do(ctx, tx, c, documents[i])
				return err
			})
		}
		if err := result.Items[i].end(i, items[i], http.StatusOK, err); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// end sets the outcome of item i, which was read from in: the status, or that of an error about the item. It
// returns any other error.
func (item *batchItem[T]) end(i int, in *wire.Input, status int64, err error) error {
	item.Status = &status
	var invalid *finance.Invalid
	var fault *messages.Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		status = http.StatusUnprocessableEntity
	case errors.As(err, &fault):
		status = int64(fault.Status)
		invalid = &finance.Invalid{Messages: []finance.Message{{Attribute: finance.Base, Fault: fault}}}
	default:
		return err
	}
	item.faults = slices.Clone(invalid.Messages)
	for k, m := range item.faults {
		switch place := cmp.Or(placeOf[m.Code], m.Place, finance.PlaceOf(m.Attribute)); {
		case place == finance.Base:
			item.faults[k].Place = fmt.Sprintf("/items/%d", i)
		case !strings.HasPrefix(m.Place, "/"):
			item.faults[k].Place, _ = in.Pointer(place)
		}
	}
	texts := map[string][]string{}
	for attribute, text := range invalid.All() {
		texts[attribute] = append(texts[attribute], text)
	}
	item.Body = nil
	item.Errors, err = json.Marshal(texts)
	return err
}

// taken returns the record that has the identity of a refused item; nil without one.
func (item *batchItem[T]) taken() *int64 {
	for _, m := range item.faults {
		if m.RecordID != 0 {
			return &m.RecordID
		}
	}
	return nil
}

func (r *batchResult[T]) failed() (n int) {
	for _, item := range r.Items {
		if item.Errors != nil {
			n++
		}
	}
	return n
}

// updateOnConflict makes items whose identity exists updates.
const updateOnConflict = "update"

func validateBatch(items []*wire.Input, onConflict string) error {
	var invalid finance.Invalid
	switch n := len(items); {
	case n == 0:
		invalid.Add("items", messages.Blank)
	case n > maxBatchItems:
		invalid.Add("items", messages.TooManyItems.With(maxBatchItems))
	}
	if onConflict != "" && onConflict != updateOnConflict {
		invalid.Add("on_conflict", messages.NotOneOf([]string{updateOnConflict}))
	}
	return invalid.Err()
}

// showResult writes the outcome of each item, and the numbers of accepted and of refused items.
func (b batch[T]) showResult(c *call, w *wire.Writer, r *batchResult[T]) {
	created := 0
	w.Objects("results", "result", len(r.Items), func(i int) {
		item := r.Items[i]
		w.IntPtr("status", item.Status)
		if item.Body != nil {
			created++
			w.Object("body", func() { b.show(c, w, item.Body) })
		} else {
			w.Null("body")
		}
		w.JSON("errors", item.Errors)
		w.IntPtr("record_id", item.taken())
	})
	w.Object("sums", func() {
		w.Int("created", int64(created))
		w.Int("failed", int64(r.failed()))
	})
}

// batchFields describe the answer to a batch; the body of an item is described by its resource.
var batchFields = openapi.Fields{
	"results": {Doc: "The result of each item, in the order of the items."},
	"results.status": {Doc: "The status of a request with this item alone; null for an acceptable item of a refused " +
		"atomic batch."},
	"results.body":   {Doc: "The answer of an accepted item; null for a refused item."},
	"results.errors": {Doc: "The faults of a refused item, by attribute; null for an accepted item."},
	"results.record_id": {Doc: "The record that has the external id of a refused item, or is the budget that exists " +
		"already; else null."},
	"sums":         {Doc: "The numbers of accepted and refused items."},
	"sums.created": {Doc: "Items that were accepted."},
	"sums.failed":  {Doc: "Items that were refused."},
}
