package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/share"
	"bordero/internal/wire"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/proof"
)

// bankStatements has no create and no update: uploadStatement stores a new one.
var bankStatements = resource[finance.BankStatement]{
	root: "bank_statement", plural: "bank_statements",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.BankStatement],
		error) {
		return q.BankStatements(ctx, c.scope(), c.pathID("deposit_account_id"), l)
	},
	find: func(ctx context.Context, _ storage.Queries, c *call, id int64) (*finance.BankStatement, error) {
		return proof.Statement(ctx, c.api.Store, c.scope(), c.pathID("deposit_account_id"), id)
	},
	parent: depositAccountParent,
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.BankStatement, error) {
		b, err := imports.LockBankStatementForDelete(ctx, tx, c.scope(), c.pathID("deposit_account_id"), id)
		if err == nil && c.GetHeader("If-Match") != "" {
			b.Proof, err = proof.OfTx(ctx, tx, b) // the client has seen the proof with the statement
		}
		if err != nil {
			return nil, err
		}
		bound, err := imports.StatementReconciledBeyond(ctx, tx, c.access, b)
		if err == nil && bound {
			err = c.lackingKinds()
		}
		return b, err
	},
	remove: func(tx *storage.Tx, ctx context.Context, b *finance.BankStatement) error {
		if err := b.Removable(); err != nil {
			return err
		}
		return imports.DeleteBankStatement(ctx, tx, b)
	},
	events: func(c *call, b *finance.BankStatement, action finance.Action) []finance.Event {
		if b.Preview {
			return nil
		}
		return []finance.Event{{
			Family: finance.BankStatementsFamily, Action: action,
			AccountID: b.AccountID, EntityID: c.entityID, ParentID: b.DepositAccountID, IDs: []int64{b.ID},
		}}
	},
	show: showBankStatement,
	path: func(c *call, b *finance.BankStatement) string {
		return paths.BankStatement(c.entityID, b.DepositAccountID, b.ID)
	},
}

func showBankStatement(_ *call, w *wire.Writer, b *finance.BankStatement) {
	w.Int("id", b.ID)
	w.Int("deposit_account_id", b.DepositAccountID)
	w.String("file_file_name", b.FileFileName)
	w.String("file_content_type", b.FileContentType)
	w.Int("file_file_size", b.FileFileSize)
	w.Time("file_updated_at", b.FileUpdatedAt)
	w.Int("imported_items_count", b.ImportedItemsCount)
	w.Int("future_items_ignored_count", b.FutureItemsIgnoredCount)
	w.Int("amount_zero_items_ignored_count", b.AmountZeroItemsIgnoredCount)
	w.Int("invalid_date_items_ignored_count", b.InvalidDateItemsIgnoredCount)
	w.Int("pending_items_ignored_count", b.PendingItemsIgnoredCount)
	w.Int("balance_items_ignored_count", b.BalanceItemsIgnoredCount)
	w.Int("duplicate_items_ignored_count", b.DuplicateItemsIgnoredCount)
	w.Int("other_account_items_ignored_count", b.OtherAccountItemsIgnoredCount)
	w.StringPtr("file_account_number", b.FileAccountNumber)
	wire.DecimalPtr(w, "ledger_balance", b.LedgerBalance)
	wire.DatePtr(w, "ledger_balance_on", b.LedgerBalanceOn)
	wire.DatePtr(w, "period_start", b.PeriodStart)
	wire.DatePtr(w, "period_end", b.PeriodEnd)
	showStatementMapping(w, b.StatementMapping)
	if w.XML() { // XML clients expect the event as flat fields
		w.Int("event_id", b.EventID)
		w.String("event_status", b.EventStatus)
		w.StringPtr("event_output", b.EventOutput)
		w.TimePtr("event_started_at", b.EventStartedAt)
		w.TimePtr("event_finished_at", b.EventFinishedAt)
		showWarnings(w, "event_warnings", b.EventWarnings)
	} else {
		w.Object("event", func() {
			w.Int("id", b.EventID)
			w.String("status", b.EventStatus)
			w.StringPtr("output", b.EventOutput)
			w.Time("created_at", b.CreatedAt)
			w.TimePtr("started_at", b.EventStartedAt)
			w.TimePtr("finished_at", b.EventFinishedAt)
			showWarnings(w, "warnings", b.EventWarnings)
		})
	}
	w.Time("created_at", b.CreatedAt)
	w.Time("updated_at", b.UpdatedAt)
	if b.Proof == nil {
		w.Null("balance_proof")
		return
	}
	w.Object("balance_proof", func() { showProof(w, b.Proof) })
}

func showWarnings(w *wire.Writer, name string, warnings finance.StatementWarnings) {
	w.Objects(name, strings.TrimSuffix(name, "s"), len(warnings), func(i int) {
		w.String("code", warnings[i].Code)
		w.String("message", warnings[i].Message)
		w.Int("count", warnings[i].Count)
	})
}

// lockBankStatement locks the bank statement of the path until the transaction ends, and shares its
// deposit account, which then cannot be deleted.
func lockBankStatement(ctx context.Context, tx *storage.Tx, c *call) (*finance.BankStatement, error) {
	if err := shareDepositAccount(ctx, tx, c); err != nil {
		return nil, err
	}
	id := c.pathID("bank_statement_id")
	b, err := imports.LockBankStatement(ctx, tx, c.scope(), c.pathID("deposit_account_id"), id)
	return b, found(err, bankStatements.root, id)
}

// uploadStatement stores a statement's file, and its row and import job in one transaction. The
// answer is 201. A preview is stored in the same way, but its job does not import it.
func (a *API) uploadStatement(c *call) error {
	if err := bankStatements.checkParents(c.ctx(), a.Store.Queries, c); err != nil {
		return err // before up to 50 MiB are read in vain
	}
	book := &keptBook{holding: c.holding}
	r, asked, err := a.receiveStatement(c, book, c.pathID("deposit_account_id"))
	if err != nil {
		return err
	}
	refused, err := c.unknownHeader(r.head, book, &asked)
	if err != nil {
		a.discard(c, r)
		return err
	}
	return a.storeUpload(c, r, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		if err := shareDepositAccount(ctx, tx, c); err != nil {
			return answer{}, err
		}
		if refused != nil {
			return answer{}, finance.Refuse("file", refused)
		}
		b := asked
		b.FileKey = r.key
		if err := c.storeStatement(ctx, tx, &b); err != nil {
			return answer{}, err
		}
		out := bankStatements.document(c, http.StatusCreated, &b)
		out.location = c.url(bankStatements.path(c, &b))
		return out, nil
	})
}

// keptBook keeps a workbook while it is stored, unless it is large or there is no memory for it.
type keptBook struct {
	holding *share.Holding
	content []byte
	not     bool // the file is no workbook, or is not kept
}

// Write adds to the file. It never fails.
func (k *keptBook) Write(p []byte) (int, error) {
	k.not = k.not || len(k.content) == 0 && !statement.IsBook(p) || len(k.content)+len(p) > statement.BookSize ||
		k.holding.Take(int64(len(p))) != nil
	if k.not {
		k.content = nil
	} else {
		k.content = append(k.content, p...)
	}
	return len(p), nil
}

// unknownHeader returns the fault of a CSV, or of a kept workbook, whose header is neither known nor that of the
// mapping that came with the file or, without one, of its deposit account.
func (c *call) unknownHeader(head []byte, book *keptBook, b *finance.BankStatement) (*messages.Fault, error) {
	detected := statement.Detect(head) != ""
	if detected && len(book.content) == 0 {
		return nil, nil
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	m := b.StatementMapping
	if m == nil {
		d, err := c.api.Store.DepositAccount(c.ctx(), c.scope(), b.DepositAccountID)
		if err != nil {
			return nil, found(err, depositAccounts.root, b.DepositAccountID)
		}
		m = d.StatementMapping
	}
	switch {
	case detected:
		return statement.UnknownHeader(book.content, m), nil
	case statement.Mapped(head, m):
		return nil, nil
	}
	return statement.LooksLike(head), nil
}

// receiveStatement stores the statement's file, and returns its row but for the key. copyTo receives the file too. The
// deposit account is 0 for a routed file, which can have no mapping.
func (a *API) receiveStatement(c *call, copyTo io.Writer, depositAccount int64) (*received, finance.BankStatement,
	error) {
	b := finance.BankStatement{AccountID: c.access.AccountID, DepositAccountID: depositAccount}
	if err := c.importOptions(nil, &b); err != nil {
		return nil, b, err
	}
	also := []string{previewPart, acceptPart, strings.TrimSuffix(acceptPart, "[]")}
	if depositAccount != 0 {
		also = append(also, mappingParts()...)
	}
	r, err := a.receive(c, upload{
		part: "bank_statement[file]", attribute: "file", blank: messages.Blank, unnamed: "extrato",
		limit: a.MaxStatement, head: statement.DetectSize, also: also, copyTo: copyTo, statement: true,
		accept: func(head []byte, all bool) error { return acceptStatement(head, all, depositAccount != 0) },
	})
	if err != nil {
		return nil, b, err
	}
	if err := c.importOptions(r.texts, &b); err != nil {
		a.discard(c, r)
		return nil, b, err
	}
	b.FileFileName, b.FileContentType, b.FileFileSize = r.name, r.contentType, r.size
	return r, b, nil
}

// storeStatement stores the row of an uploaded file with its job and its event.
func (c *call) storeStatement(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) error {
	if err := tx.InsertBankStatement(ctx, b); err != nil {
		return err
	}
	err := tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID,
		DepositAccountID: b.DepositAccountID})
	if err != nil {
		return err
	}
	return bankStatements.emit(ctx, tx, c, b, finance.Created)
}

// acceptStatement refuses a file with a head that no statement has. The name of the file is irrelevant. If the file can
// have a mapping, unknownHeader decides about a table: the mapping's parts may follow the file.
func acceptStatement(head []byte, all, mapped bool) error {
	if len(bytes.TrimSpace(head)) == 0 && all {
		return finance.Refuse("file", messages.Blank.Hinted(messages.EmptyFile))
	}
	if statement.Detect(head) != "" || mapped && statement.MayBeMapped(head) {
		return nil
	}
	return finance.Refuse("file", statement.LooksLike(head))
}

var bankStatementFields = openapi.Fields{
	"file_file_name": {Doc: "The last part of the uploaded file's name, at most 255 characters.",
		Example: "extrato.ofx"},
	"file_content_type": {Doc: "The content type of the upload.", Example: "application/octet-stream"},
	"file_file_size":    {Doc: "Size of the file in bytes."},
	"file_updated_at":   {Doc: "When the file was uploaded."},
	"imported_items_count": {Doc: "Items that became transactions; in a preview, items that would " +
		"become transactions."},
	"future_items_ignored_count":       {Doc: "Items dated after today."},
	"amount_zero_items_ignored_count":  {Doc: "Items with a blank amount, or an amount of 0.00 after rounding."},
	"invalid_date_items_ignored_count": {Doc: "Items with a date that is missing, unreadable or not in the calendar."},
	"pending_items_ignored_count": {Doc: "Items that the bank or the aggregator announces and has not booked: " +
		"pending, scheduled or only informative."},
	"balance_items_ignored_count":   {Doc: "Balance lines written as transactions."},
	"duplicate_items_ignored_count": {Doc: "Items that were imported before."},
	"other_account_items_ignored_count": {
		Doc: "Items of an account other than the deposit account's `account_number`."},
	"file_account_number": {Doc: "The account number in the file, as written there."},
	"statement_mapping": {Doc: "The mapping that a preview was uploaded with; its confirmation keeps it at the " +
		"deposit account. Null for files without one."},
	"ledger_balance":    {Doc: "The balance that the file states."},
	"ledger_balance_on": {Doc: "The day of that balance."},
	"period_start": {Doc: "The first day of the period that the file states; of several periods, the first " +
		"day of the first."},
	"period_end": {
		Doc: "The last day of the period that the file states; of several periods, the last day of the last."},
	"balance_proof": {Doc: "Whether the balance that the file states equals our balance on that day. " +
		"Null in lists, before the import has succeeded, and if the file states no balance."},
	"balance_proof.status":       balanceProofFields["status"],
	"balance_proof.on":           balanceProofFields["on"],
	"balance_proof.bank_balance": balanceProofFields["bank_balance"],
	"balance_proof.our_balance":  balanceProofFields["our_balance"],
	"balance_proof.difference":   balanceProofFields["difference"],
	"balance_proof.explanations": {Doc: "Explanations of the difference: their amounts add up to the difference " +
		"exactly. " +
		"Empty if there is no explanation, or more than one possible explanation."},
	"balance_proof.explanations.kind": {Doc: "The kind of the explanation.", Enum: openapi.Enum{
		Name: "BalanceExplanationKind", Values: finance.ExplanationKinds}},
	"balance_proof.explanations.amount": {
		Doc:     "The amount missing from our balance; negative for an amount that our balance has too much.",
		Example: "-63.56"},
	"balance_proof.explanations.ids":                     {Doc: "The transactions."},
	"balance_proof.explanations.items":                   {Doc: "The items of statements."},
	"balance_proof.explanations.items.bank_statement_id": {Doc: "The statement."},
	"balance_proof.explanations.items.id":                {Doc: "The number of the item in its file."},
	"balance_proof.explanations.days": {
		Doc: "The first and the last day of a missing period. The files do not cover all its days."},
	"balance_proof.explanations.days.from": {Doc: "The first day."},
	"balance_proof.explanations.days.to":   {Doc: "The last day."},
	"event": {
		Doc: "The import, or the preview. XML has no such element, but `event-id`, `event-status`, `event-output`, " +
			"`event-started-at`, `event-finished-at` and `event-warnings`."},
	"event.status": {Doc: "The status of the import or preview.", Enum: openapi.Enum{
		Name: "ImportStatus", Values: importStatuses}},
	"event.output": {
		Doc:     "A summary for people: the imported transactions, or the fault of the file and its place.",
		Example: "Foram importadas 8 transações.",
	},
	"event.started_at":  {Doc: importStarted},
	"event.finished_at": {Doc: "When the import or preview ended; null while it runs."},
	"event.warnings": {Doc: "Warnings for programs; `output` has the same in words. Empty for most files, " +
		"and while the import runs."},
	"event.warnings.code":    warningFields["code"],
	"event.warnings.message": warningFields["message"],
	"event.warnings.count":   warningFields["count"],
	"accept": {Doc: "Codes of warnings that do not stop the import, in addition to the codes " +
		"accepted at the upload.", Enum: openapi.Enum{Name: "AcceptableWarning", Values: finance.Acceptable}},
	"event_id": {Doc: "The id of the import."},
	"event_status": {Doc: "The status of the import.", Enum: openapi.Enum{
		Name: "ImportStatus", Values: importStatuses}},
	"event_output": {Doc: "A summary for people: the imported transactions, or the fault of the file and " +
		"its place."},
	"event_started_at":  {Doc: importStarted},
	"event_finished_at": {Doc: "When the import ended; null while it runs."},
	"event_warnings": {Doc: "Warnings for programs; `event-output` has the same in words. Empty for most " +
		"files, and while the import runs."},
	"event_warnings.code":    warningFields["code"],
	"event_warnings.message": warningFields["message"],
	"event_warnings.count":   warningFields["count"],
}

const importStarted = "When the last attempt at it began. Until then it waited: for its turn, or since an attempt " +
	"failed. " +
	"Null before the first attempt, and if an earlier release did it."

var warningFields = openapi.Fields{
	"code": {Doc: "The code of the warning.", Enum: openapi.Enum{Name: "StatementWarningCode",
		Values: finance.StatementWarningCodes}},
	"message": {Doc: "The warning in words."},
	"count":   {Doc: "The number of items with the warning."},
}

var importStatuses = []string{finance.ImportQueued, finance.ImportProcessing, finance.ImportSuccess,
	finance.ImportError, finance.ImportPreviewed}
