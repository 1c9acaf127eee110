package api

import (
	"context"

	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// identity is what other systems know a record by, in its kind and scope: its external id. Without a text, it is
// nothing. It has the record's id, 0 for a new one.
type identity struct {
	kind  storage.Identities
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

// claimIdentity claims the identity of a new or changed record, unless the record had it before.
func (r resource[T]) claimIdentity(ctx context.Context, tx *storage.Tx, c *call, t, before *T) error {
	if r.identity == nil {
		return nil
	}
	is, was := r.identity(c, t), r.identity(c, before)
	if is.text == nil || was.text != nil && *was.text == *is.text {
		return nil
	}
	return tx.ClaimIdentity(ctx, is.kind, is.scope, is.id, *is.text)
}
