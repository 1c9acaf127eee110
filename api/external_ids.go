package api

import (
	"context"

	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// externalID is what another system calls a record, in its kind and scope; without a text, nothing. It has the
// record's id, 0 for a new one.
type externalID struct {
	kind  storage.ExternalIDs
	scope storage.Scope
	id    int64
	text  *string
}

// assignExternalID reads the external id of a record. An empty text is none.
func assignExternalID(in *wire.Input, text **string) {
	in.StringPtr("external_id", text)
	if finance.OrZero(*text) == "" {
		*text = nil
	}
}

// claimExternalID claims the external id of a new or changed record, unless the record had it before.
func (r resource[T]) claimExternalID(ctx context.Context, tx *storage.Tx, c *call, t, before *T) error {
	if r.externalID == nil {
		return nil
	}
	e, was := r.externalID(c, t), r.externalID(c, before)
	if e.text == nil || was.text != nil && *was.text == *e.text {
		return nil
	}
	return tx.ClaimExternalID(ctx, e.kind, e.scope, e.id, *e.text)
}
