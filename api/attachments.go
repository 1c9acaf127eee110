package api

import (
	"context"
	"mime"
	"net/http"
	"slices"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var attachments = resource[finance.Attachment]{
	root: finance.AttachmentName, plural: "attachments",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Attachment],
		error) {
		return q.Attachments(ctx, c.scope(), c.access, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Attachment, error) {
		return q.Attachment(ctx, c.scope(), c.access, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Attachment, error) {
		return tx.LockAttachmentForDelete(ctx, c.scope(), c.access, id)
	},
	assign: func(in *wire.Input, a *finance.Attachment) {
		in.StringPtr("title", &a.Title)
	},
	validate: (*finance.Attachment).Validate,
	update:   (*storage.Tx).UpdateAttachment,
	remove:   (*storage.Tx).RemoveAttachment,
	events: func(_ *call, a *finance.Attachment, action finance.Action) []finance.Event {
		return []finance.Event{{Family: finance.AttachmentsFamily, Action: action, AccountID: a.AccountID,
			EntityID: a.EntityID, IDs: []int64{a.ID}, VisibleTo: a.VisibleTo}}
	},
	show: showAttachment,
	path: func(_ *call, a *finance.Attachment) string { return paths.Attachment(a.EntityID, a.ID) },
}

func showAttachment(c *call, w *wire.Writer, a *finance.Attachment) {
	w.Int("id", a.ID)
	w.Int("entity_id", a.EntityID)
	w.StringPtr("title", a.Title)
	w.String("attachment_file_name", a.AttachmentFileName)
	w.String("attachment_content_type", a.AttachmentContentType)
	w.Int("attachment_file_size", a.AttachmentFileSize)
	w.Time("created_at", a.CreatedAt)
	w.Time("updated_at", a.UpdatedAt)
	self := paths.Attachment(a.EntityID, a.ID)
	w.String("download_url", c.url(self+"/download"))
	showAttachables(c, w, a)
	c.links(w, link{"self", "get", self}, link{"download", "get", self + "/download"})
}

// showAttachables writes the records that a file is attached to: financial accounts, then
// transactions, then sales. Each names its kind and has no root key.
func showAttachables(c *call, w *wire.Writer, a *finance.Attachment) {
	accounts, transactions := len(a.Accounts), len(a.Transactions)
	w.Objects("attachables", "attachable", accounts+transactions+len(a.Sales), func(i int) {
		switch {
		case i < accounts:
			showAttachedAccount(c, w, &a.Accounts[i])
		case i < accounts+transactions:
			showAttachedTransaction(c, w, &a.Transactions[i-accounts])
		default:
			showAttachedSale(c, w, &a.Sales[i-accounts-transactions])
		}
	})
}

func showAttachedAccount(c *call, w *wire.Writer, f *finance.FinancialAccount) {
	w.String("kind", string(f.Kind)+"_account")
	showFinancialAccount(c, w, f)
}

func showAttachedTransaction(c *call, w *wire.Writer, t *finance.FinancialTransaction) {
	w.String("kind", financialTransactions.root)
	showFinancialTransaction(c, w, t)
}

func showAttachedSale(c *call, w *wire.Writer, s *finance.Sale) {
	w.String("kind", sales.root)
	showSale(c, w, s)
}

// showFile writes an attachment within the document of a record that it is attached to.
func showFile(c *call, w *wire.Writer, a *finance.Attachment) {
	w.Int("id", a.ID)
	w.StringPtr("title", a.Title)
	w.String("attachment_file_name", a.AttachmentFileName)
	w.String("attachment_content_type", a.AttachmentContentType)
	w.Int("attachment_file_size", a.AttachmentFileSize)
	w.String("download_url", c.url(paths.Attachment(a.EntityID, a.ID)+"/download"))
}

// newAttachment answers with the template of an attachment. The status is 200.
func (a *API) newAttachment(c *call) error {
	if err := attachments.checkParents(c.ctx(), a.Store.Queries, c); err != nil {
		return err
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object(attachments.root, func() { showAttachmentTemplate(c, w, nil) })
	}))
}

func showAttachmentTemplate(_ *call, w *wire.Writer, _ *finance.Attachment) {
	w.IntPtr("id", nil)
	w.IntPtr("entity_id", nil)
	w.Null("title")
	w.Null("attachment_file_name")
	w.Null("attachment_content_type")
	w.IntPtr("attachment_file_size", nil)
	w.TimePtr("created_at", nil)
	w.TimePtr("updated_at", nil)
}

// uploadAttachment stores a file with its title and its links to records. The answer is 201 with
// a Location and the record.
func (a *API) uploadAttachment(c *call) error {
	if err := attachments.checkParents(c.ctx(), a.Store.Queries, c); err != nil {
		return err // before up to 100 MiB are read in vain
	}
	r, err := a.receive(c, upload{
		part: "attachment[attachment]", attribute: finance.AttachmentName, blank: messages.BlankAttachment,
		unnamed: "anexo",
		limit:   a.MaxAttachment, head: headSize, accept: func([]byte, bool) error { return nil }, texts: true,
	})
	if err != nil {
		return err
	}
	return a.storeUpload(c, r, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		in, err := wire.Form(r.texts)
		if err != nil {
			return answer{}, err
		}
		in.Strict = c.strict
		c.document, c.uploads = in, "" // the checks below are about the texts
		t := finance.Attachment{
			AccountID: c.access.AccountID, EntityID: c.entityID,
			FileKey: r.key, AttachmentFileName: r.name, AttachmentContentType: trusted(r.contentType, r.head),
			AttachmentFileSize: r.size,
		}
		root, _ := in.Root(attachments.root)
		attachments.assign(root, &t)
		root.IDs(finance.AssociatedTransactions, (*[]int64)(&t.TransactionIDs))
		root.IDs(finance.AssociatedAccounts, (*[]int64)(&t.AccountIDs))
		if err := joined(
			func() error { return checked(in, t.Validate()) },
			func() error { return tx.LockAttachables(ctx, c.scope(), c.access, &t) },
		); err != nil {
			return answer{}, err
		}
		if err := tx.InsertAttachment(ctx, c.access, &t); err != nil {
			return answer{}, err
		}
		out := attachments.document(c, http.StatusCreated, &t)
		out.location = c.url(attachments.path(c, &t))
		return out, attachments.emit(ctx, tx, c, &t, finance.Created)
	})
}

// headSize is the number of bytes of a file that http.DetectContentType considers.
const headSize = 512

// signed lists types that http.DetectContentType recognises by a file's first bytes.
var signed = []string{"application/pdf", "application/zip", "image/gif", "image/jpeg", "image/png", "image/webp"}

// trusted returns the type that a file is served as: the declared type, unless it is in signed and
// the head of the file contradicts it.
func trusted(declared string, head []byte) string {
	found, _, _ := mime.ParseMediaType(http.DetectContentType(head))
	if slices.Contains(signed, declared) && found != declared {
		return "application/octet-stream"
	}
	return declared
}

// destroyAttachment removes an attachment. The answer is 200 and empty. The file is removed after
// the commit.
func (a *API) destroyAttachment(c *call) error {
	var key string
	err := a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		t, err := attachments.lockBy(ctx, tx, c, func(ctx context.Context, tx *storage.Tx, c *call, id int64) (
			*finance.Attachment, error) {
			return tx.LockAttachmentWithRecordsForDelete(ctx, c.scope(), c.access, id)
		})
		if err != nil {
			return answer{}, err
		}
		key = t.FileKey
		return attachments.destroyed(ctx, tx, c, t, http.StatusOK)
	})
	if err != nil {
		return err
	}
	a.removeFiles(c, key)
	return nil
}

var attachmentFields = openapi.Fields{
	"title": {Doc: "A title for people.", In: "A title for people."},
	"attachment_file_name": {Doc: "The last part of the uploaded file's name, at most 255 characters.",
		Example: "nota.pdf"},
	"attachment_content_type": {Doc: "The content type of the upload.", Example: "application/pdf"},
	"attachment_file_size":    {Doc: "Size of the file in bytes."},
	"download_url": {Doc: "Requires a token, and redirects to an address that requires no token.",
		Format: "uri"},
	"attachables": {
		Doc: "The records with this attachment that the user may see, without root keys: payable and receivable " +
			"accounts, transactions, then sales.",
		AnyOf: []string{"AttachedAccount", "AttachedTransaction", "AttachedSale"},
	},
}
