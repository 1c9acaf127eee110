package api

import (
	"context"
	"net/http"
	"net/url"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// previewPart is the text part, and the parameter of the query, that asks for a preview;
// previewParameter is its short form for the query.
const previewPart, previewParameter = "bank_statement[preview]", "preview"

// wantsPreview reports whether the query or a form asks for a preview: whether any value is true.
func (c *call) wantsPreview(form url.Values) (wants bool, err error) {
	if err := c.readableQuery(); err != nil {
		return false, err
	}
	for _, sent := range [][]string{c.QueryArray(previewParameter), c.QueryArray(previewPart), form[previewPart]} {
		for _, text := range sent {
			switch text {
			case "true", "1":
				wants = true
			case "false", "0", "":
			default:
				c.uploads = previewPart
				return false, finance.Refuse("preview", messages.NotBoolean)
			}
		}
	}
	return wants, nil
}

// confirmPreview queues the import of a preview's file: 202 with the statement, which is an
// ordinary one from then on.
func (a *API) confirmPreview(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		b, err := lockBankStatement(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if err := b.Confirmable(); err != nil {
			return answer{}, err
		}
		if err := tx.ConfirmPreview(ctx, b); err != nil {
			return answer{}, err
		}
		out := bankStatements.document(c, http.StatusAccepted, b)
		out.location = c.url(bankStatements.path(c, b))
		return out, bankStatements.emit(ctx, tx, c, b, finance.Created)
	})
}
