package api

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/imports"
)

// previewPart is the text part, and the parameter of the query, that asks for a preview;
// previewParameter is the short name in the query.
const previewPart, previewParameter = "bank_statement[preview]", "preview"

// acceptPart is a text part with the code of a warning, one part for each code. A file with only
// accepted warnings is imported. A single part may lack the last brackets.
const acceptPart = "bank_statement[accept][]"

// mappingPart begins the names of the text parts with the mapping of a table with an unknown header, one part for each
// attribute. Only a preview may have one: its confirmation keeps it at the deposit account.
const mappingPart = "bank_statement[statement_mapping]"

// mappingParts are the names of the parts of a mapping.
func mappingParts() (names []string) {
	eachMapping(&finance.StatementMapping{}, func(name string, _ **string) {
		names = append(names, mappingPart+"["+name+"]")
	})
	return names
}

// importOptions reads three options from the query and a form: whether b is a preview, which any true value makes it,
// the codes of the warnings that it accepts and, only from the form, a mapping.
func (c *call) importOptions(form url.Values, b *finance.BankStatement) error {
	if err := c.acceptQuery(b); err != nil {
		return err
	}
	for _, text := range slices.Concat(c.QueryArray(previewParameter), c.QueryArray(previewPart), form[previewPart]) {
		switch text {
		case "true", "1":
			b.Preview = true
		case "false", "0", "":
		default:
			c.uploads = previewPart
			return finance.Refuse("preview", messages.NotBoolean)
		}
	}
	maps.DeleteFunc(form, func(_ string, sent []string) bool { return strings.Join(sent, "") == "" }) // not filled in
	in, err := wire.Form(form)
	if err != nil { // brackets that no form has
		c.uploads = strings.TrimSuffix(acceptPart, "[]")
		return err
	}
	if root, ok := in.Root(bankStatements.root); ok {
		assignAccept(root, b)
		assignStatementMapping(root, &b.StatementMapping)
	}
	err = checked(in, b.ValidateUpload())
	if err != nil {
		c.document, c.uploads = in, "" // the faults are of the texts
	}
	return err
}

// acceptQuery reads the codes of accepted warnings from the query.
func (c *call) acceptQuery(b *finance.BankStatement) error {
	if err := c.readableQuery(); err != nil {
		return err
	}
	in, err := wire.Form(c.Request.URL.Query())
	if err == nil {
		err = accept(in, b)
	}
	c.bare = err != nil // the fault is in a parameter
	return err
}

// accept reads the codes of accepted warnings from a document, form or query, with or without the
// root key.
func accept(in *wire.Input, b *finance.BankStatement) error {
	assignAccept(in, b)
	for _, key := range []string{noRoot, bankStatements.root} {
		if root, ok := in.Root(key); ok {
			assignAccept(root, b)
		}
	}
	return checked(in, b.ValidateAccept())
}

// assignAccept adds the codes in a request to the warnings that a statement accepts.
func assignAccept(in *wire.Input, b *finance.BankStatement) {
	var codes []string
	in.Strings("accept", &codes)
	b.Accept = append(b.Accept, codes...)
}

// confirmPreview queues the import of a preview's file: 202 with the statement, which is an
// ordinary one from then on. The statement accepts the warnings that the preview accepted, and the
// warnings in the request.
func (a *API) confirmPreview(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		into, err := tx.LockDepositAccount(ctx, c.scope(), c.pathID("deposit_account_id")) // before the statement
		if err != nil {
			return answer{}, found(err, depositAccounts.root, c.pathID("deposit_account_id"))
		}
		b, err := lockBankStatement(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if err := c.acceptQuery(b); err != nil {
			return answer{}, err
		}
		if err := accept(in, b); err != nil {
			return answer{}, err
		}
		if err := b.Confirmable(); err != nil {
			return answer{}, err
		}
		if err := c.keepMapping(ctx, tx, into, b.StatementMapping); err != nil {
			return answer{}, err
		}
		if err := imports.ConfirmPreview(ctx, tx, b); err != nil {
			return answer{}, err
		}
		// The items of the preview count no more. The import would refuse it, and the preview would be gone.
		used, err := tx.Usage(ctx, b.AccountID)
		if err != nil {
			return answer{}, err
		}
		if err := used.RefuseImport(c.access.Quotas); err != nil {
			return answer{}, err
		}
		out := bankStatements.document(c, http.StatusAccepted, b)
		out.location = c.url(bankStatements.path(c, b))
		return out, bankStatements.emit(ctx, tx, c, b, finance.Created)
	})
}

// keepMapping stores the mapping of a confirmed preview at its locked deposit account, for the next files, unless it is
// there already.
func (c *call) keepMapping(ctx context.Context, tx *storage.Tx, d *finance.DepositAccount,
	m *finance.StatementMapping) error {
	if m == nil || reflect.DeepEqual(m, d.StatementMapping) {
		return nil
	}
	c.before = depositAccounts.rendered(c, d)
	defer func() { c.before = nil }()
	d.StatementMapping = m
	if err := tx.UpdateDepositAccount(ctx, d); err != nil {
		return err
	}
	return depositAccounts.emit(ctx, tx, c, d, finance.Updated)
}
