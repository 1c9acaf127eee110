package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/internal/share"
	"bordero/storage/list"
)

// attached is a kind of record that can have attachments, as the singular of its table's
// name. Its links are in the table <attached>_attachments.
type attached string

const (
	AttachedAccount     attached = "financial_account"
	AttachedTransaction attached = "financial_transaction"
	AttachedSale        attached = "sale"
)

// attachedKinds lists all kinds, in the order of their locks.
var attachedKinds = []attached{AttachedAccount, AttachedTransaction, AttachedSale}

// ids returns the column attachment_ids of the record with the alias.
func (o attached) ids(alias string) string {
	return strings.NewReplacer("{owner}", string(o), "{alias}", alias).Replace(`(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM {owner}_attachments x
		WHERE x.account_id = {alias}.account_id AND x.{owner}_id = {alias}.id) AS attachment_ids`)
}

// links returns the FROM and WHERE of the links x of the attachment a to records r of the kind.
func (o attached) links() string {
	return fmt.Sprintf(`%[1]s_attachments x JOIN %[1]ss r ON r.account_id = x.account_id AND r.id = x.%[1]s_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id`, o)
}

// remaining returns the FROM and WHERE of the links to records that are not hidden.
func (o attached) remaining() string { return o.links() + ` AND ` + OwnerVisible(string(o)+"s", "r") }

// seen returns the FROM and WHERE of the remaining links to records that the user's @permissions cover.
func (o attached) seen() string {
	return o.remaining() + map[attached]string{
		AttachedAccount:     ` AND r.kind || '_accounts' = ANY(@permissions)`,
		AttachedTransaction: ` AND 'financial_transactions' = ANY(@permissions)`,
		AttachedSale:        ` AND 'receivable_accounts' = ANY(@permissions)`,
	}[o]
}

// anywhere returns the condition that records of any kind have such links.
func anywhere(links func(attached) string) string {
	var all []string
	for _, o := range attachedKinds {
		all = append(all, `EXISTS (SELECT FROM `+links(o)+`)`)
	}
	return `(` + strings.Join(all, ` OR `) + `)`
}

// eachAttached returns the text for each kind, with {kind} replaced by its name.
func eachAttached(separator, text string) string {
	var all []string
	for _, o := range attachedKinds {
		all = append(all, strings.ReplaceAll(text, "{kind}", string(o)))
	}
	return strings.Join(all, separator)
}

// records returns a column with the ids of the first records of the links that the attachment a has, up to limit; of
// financial accounts, up to limit of each kind.
func (o attached) records(column string, limit int, links func(attached) string) string {
	first := func(condition string) string {
		return fmt.Sprintf(`(SELECT x.%s_id AS id FROM %s%s ORDER BY 1 LIMIT %d)`, o, links(o), condition, limit)
	}
	all := first("")
	if o == AttachedAccount {
		all = first(` AND r.kind = 'payable'`) + ` UNION ALL ` + first(` AND r.kind = 'receivable'`)
	}
	return `(SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM (` + all + `) r) AS ` + column
}

// attachmentsOf selects the attachments a of the account and the entity.
const attachmentsOf = `attachments a WHERE a.account_id = @account AND a.entity_id = @entity`

// visible selects the attachments of the entity that a user with the @permissions sees: through one of their records
// or, without records, by the permission for the kind of record that they were detached from.
var visible = attachmentsOf + ` AND (` + anywhere(attached.seen) + `
	OR (a.detached_from IS NULL OR a.detached_from = ANY(@permissions)) AND NOT ` + anywhere(attached.links) + `)`

// attachmentColumns returns the columns of an attachment a, with the ids of the first records of its links of each
// kind.
func attachmentColumns(records int, links func(attached) string) string {
	return `a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type,
		a.attachment_file_size,
	a.created_at, a.updated_at, ` + AttachedAccount.records("account_ids", records, links) + `,
	` + AttachedTransaction.records("transaction_ids", records, links) + `, ` +
		AttachedSale.records("sale_ids", records, links)
}

// The most records of a kind that an attachment names in a list, and alone.
const (
	recordsInList = 20
	recordsOfOne  = 500
)

// The columns and the statements of attachments that a user sees.
var (
	visibleInList  = attachmentColumns(recordsInList, attached.seen)
	allInList      = attachmentColumns(recordsInList, attached.links)
	readAttachment = db.Named("attachments.read",
		`SELECT `+attachmentColumns(recordsOfOne, attached.seen)+` FROM `+visible+` AND a.id = @id`)
	readAttachmentFile   = db.Named("attachments.file", `SELECT a.file_key FROM `+visible+` AND a.id = @id`)
	shareSeenAttachments = db.Named("attachments.share",
		`SELECT a.id FROM `+visible+` AND a.id = ANY(@ids) ORDER BY a.id FOR KEY SHARE`)
)

var attachmentFilters = list.Table("Attachment", map[string]list.Filter{
	"updated_at_gte": list.ChangedSince("a."),
})

// Attachments reads one page of the entity's attachments that the user sees, newest first,
// each with the first 20 records of each kind that it belongs to and that the user may see.
//
// A user with all permissions sees all attachments, unless records are hidden: no index has the condition of the
// others, and to count three million attachments with it takes longer than a request may.
func (q Queries) Attachments(ctx context.Context, s Scope, sees finance.Access, l list.Query) (
	listed list.Page[finance.Attachment], err error) {
	permissions := sees.Allowed()
	some := len(permissions) < len(finance.Permissions)
	if !some {
		if some, err = q.anyHidden(ctx, s.AccountID); err != nil {
			return listed, err
		}
	}
	columns, from, args := allInList, attachmentsOf, db.Args{"account": s.AccountID, "entity": s.EntityID}
	if some {
		columns, from, args["permissions"] = visibleInList, visible, permissions
	}
	listed, err = list.Read[finance.Attachment](ctx, q.DB, l, attachmentFilters, columns, from,
		list.By("a.id").Down(), args)
	if err != nil {
		return listed, err
	}
	return listed, q.attachables(ctx, s, listed.Items)
}

// Attachment reads one attachment of the entity that the user sees, with the first 500 records of each
// kind that it belongs to and that the user may see.
func (q Queries) Attachment(ctx context.Context, s Scope, sees finance.Access, id int64) (*finance.Attachment, error) {
	a, err := db.OneNamed[finance.Attachment](ctx, q.DB, readAttachment, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "permissions": sees.Allowed(), "id": id,
	})
	if err != nil {
		return nil, err
	}
	all := []finance.Attachment{a}
	err = q.attachables(ctx, s, all)
	return &all[0], err
}

// AttachmentFile returns the file key of an attachment of the entity that the user sees.
func (q Queries) AttachmentFile(ctx context.Context, s Scope, sees finance.Access, id int64) (key string, err error) {
	return db.OneNamed[string](ctx, q.DB, readAttachmentFile, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "permissions": sees.Allowed(), "id": id,
	})
}

// LockAttachmentForDelete locks one attachment of the entity FOR UPDATE, then reads it. It reads in a
// second statement, because a transaction that it waited for may have attached the file.
func (tx *Tx) LockAttachmentForDelete(ctx context.Context, s Scope, sees finance.Access, id int64) (*finance.Attachment,
	error) {
	_, err := db.One[int64](ctx, tx.DB, `SELECT id FROM attachments WHERE account_id = $1 AND entity_id = $2
		AND id = $3 FOR UPDATE`,
		s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	a, err := tx.Attachment(ctx, s, sees, id)
	if err != nil {
		return nil, err
	}
	return a, tx.concern(ctx, a)
}

// concern reads the families of the records of an attachment: a user who may see one of these
// families may see the changes of the attachment.
func (tx *Tx) concern(ctx context.Context, a *finance.Attachment) (err error) {
	a.VisibleTo, err = db.One[finance.FamilyList](ctx, tx.DB, `SELECT `+attachmentConcerns+
		` FROM attachments a WHERE a.account_id = $1 AND a.id = $2`, a.AccountID, a.ID)
	return err
}

// attachmentConcerns are the concerns of the attachment a.
const attachmentConcerns = `coalesce((SELECT json_agg(c.family) FROM (
		SELECT f.kind || '_accounts' FROM financial_account_attachments x JOIN financial_accounts f
			ON f.account_id = x.account_id AND f.id = x.financial_account_id
			WHERE x.account_id = a.account_id AND x.attachment_id = a.id
		UNION SELECT 'financial_transactions' FROM financial_transaction_attachments x
			WHERE x.account_id = a.account_id AND x.attachment_id = a.id
		UNION SELECT 'receivable_accounts' FROM sale_attachments x WHERE x.account_id = a.account_id
			AND x.attachment_id = a.id) AS c (family)),
	CASE WHEN a.detached_from IS NOT NULL THEN json_build_array(a.detached_from) END, '[]')`

// attachables reads the records of the attachments by their ids.
func (q Queries) attachables(ctx context.Context, s Scope, all []finance.Attachment) (err error) {
	var accountIDs, transactionIDs, saleIDs []int64
	for _, a := range all {
		accountIDs, transactionIDs, saleIDs = append(accountIDs, a.AccountIDs...),
			append(transactionIDs, a.TransactionIDs...), append(saleIDs, a.SaleIDs...)
	}
	if err := q.reserve(ctx, s.AccountID, accountIDs, transactionIDs, saleIDs); err != nil {
		return err
	}
	var accounts []finance.FinancialAccount
	var transactions []finance.FinancialTransaction
	var sales []finance.Sale
	if len(accountIDs) > 0 {
		accounts, err = db.Many[finance.FinancialAccount](ctx, q.DB, `SELECT `+FinancialAccountColumns+`
			FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.id`, s.AccountID,
			accountIDs)
	}
	if err == nil && len(transactionIDs) > 0 {
		transactions, err = db.Many[finance.FinancialTransaction](ctx, q.DB, `SELECT `+transactionColumns+`
			FROM financial_transactions t WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.id`, s.AccountID,
			transactionIDs)
	}
	if err == nil && len(saleIDs) > 0 {
		sales, err = db.Many[finance.Sale](ctx, q.DB, `SELECT `+saleColumns+`
			FROM sales s WHERE s.account_id = $1 AND s.id = ANY($2) ORDER BY s.id`, s.AccountID, saleIDs)
	}
	for i := range all {
		a := &all[i]
		a.Accounts = Among(accounts, a.AccountIDs, func(f finance.FinancialAccount) int64 { return f.ID })
		a.Transactions = Among(transactions, a.TransactionIDs, func(t finance.FinancialTransaction) int64 {
			return t.ID
		})
		a.Sales = Among(sales, a.SaleIDs, func(v finance.Sale) int64 { return v.ID })
	}
	return err
}

// reserve reserves memory for the records of attachments before they are read: a page of 500
// attachments may name 40,000 records, each with a long observation, and the same record many
// times.
func (q Queries) reserve(ctx context.Context, account int64, accounts, transactions, sales []int64) error {
	held := share.HoldingOf(ctx)
	if held == nil || len(accounts)+len(transactions)+len(sales) <= recordsOfOne {
		return nil
	}
	const besideObservation = 1 << 10
	bytes, err := db.One[int64](ctx, q.DB, `
		SELECT coalesce(sum(coalesce(octet_length(observation), 0) + $5), 0)::bigint FROM (
			SELECT f.observation FROM unnest($2::bigint[]) AS named JOIN financial_accounts f ON f.account_id = $1
				AND f.id = named
			UNION ALL
			SELECT t.observation FROM unnest($3::bigint[]) AS named JOIN financial_transactions t ON t.account_id = $1
				AND t.id = named
			UNION ALL
			SELECT s.observation FROM unnest($4::bigint[]) AS named JOIN sales s ON s.account_id = $1
				AND s.id = named) r`,
		account, accounts, transactions, sales, besideObservation)
	if err != nil {
		return err
	}
	return held.Reserve(bytes)
}

var attachmentWritable = db.ColumnsOf[finance.Attachment](`title, file_key, attachment_file_name, ` +
	`attachment_content_type, attachment_file_size`)

var insertAttachment = db.Named("attachments.insert",
	`INSERT INTO attachments (account_id, entity_id, `+attachmentWritable.List("")+`)
	VALUES (@account, @entity, `+attachmentWritable.Parameters()+`) RETURNING id`)

// InsertAttachment inserts the row of an uploaded file and attaches it to its records, which
// LockAttachables has locked. It emits the events of the records. Records whose deposit or sale accounts
// have been removed since are a finance.Invalid, as in LockAttachables.
func (tx *Tx) InsertAttachment(ctx context.Context, sees finance.Access, a *finance.Attachment) error {
	id, err := db.OneNamed[int64](ctx, tx.DB, insertAttachment, attachmentWritable.Args(a), db.Args{
		"account": a.AccountID, "entity": a.EntityID,
	})
	if err != nil {
		return err
	}
	if err := tx.attach(ctx, AttachedAccount, a.AccountID, a.AccountIDs, []int64{id}); err != nil {
		return err
	}
	if err := tx.attach(ctx, AttachedTransaction, a.AccountID, a.TransactionIDs, []int64{id}); err != nil {
		return err
	}
	a.ID = id
	if len(a.AccountIDs)+len(a.TransactionIDs) > 0 {
		if err := tx.changeRecords(ctx, a); err != nil {
			return err
		}
	}
	kept, err := tx.Attachment(ctx, Scope{AccountID: a.AccountID, EntityID: a.EntityID}, sees, id)
	if errors.Is(err, ErrNotFound) {
		return cmp.Or(unattachable(a.TransactionIDs, a.AccountIDs), err)
	}
	if err != nil {
		return err
	}
	*a = *kept
	return tx.concern(ctx, a)
}

// UpdateAttachment stores the title of a locked attachment.
func (tx *Tx) UpdateAttachment(ctx context.Context, a *finance.Attachment) (err error) {
	a.UpdatedAt, err = db.One[time.Time](ctx, tx.DB, `
		UPDATE attachments SET title = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING updated_at`,
		a.AccountID, a.ID, a.Title)
	return err
}

// RemoveAttachment removes an attachment, which is locked with its records, and its links. It emits the
// events of the records. The caller removes the file after the commit.
func (tx *Tx) RemoveAttachment(ctx context.Context, a *finance.Attachment) error {
	if err := tx.changeRecords(ctx, a); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM attachments WHERE account_id = $1 AND id = $2`, a.AccountID, a.ID)
	return err
}

// shareSeenAttachments locks attachments FOR KEY SHARE, and returns those that the entity does not have or the user
// does not see.
func (tx *Tx) shareSeenAttachments(ctx context.Context, s Scope, sees finance.Access, ids finance.IDs) (unknown []int64,
	err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	held, err := db.ManyNamed[int64](ctx, tx.DB, shareSeenAttachments, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "permissions": sees.Allowed(), "ids": []int64(ids),
	})
	return Without(ids, held), err
}

// unknownAttachments refuses the unknown ids.
func unknownAttachments(ids finance.IDs, unknown []int64) error {
	var invalid finance.Invalid
	for _, id := range ids {
		if slices.Contains(unknown, id) {
			invalid.AddAt(fmt.Sprintf("%s/=%d", finance.AttachmentIDList, id), finance.AttachmentIDList,
				messages.NotExisting)
		}
	}
	return invalid.Err()
}

// attach links each of the records to each of the files that still exist.
func (tx *Tx) attach(ctx context.Context, o attached, account int64, records, files []int64) error {
	if len(records) == 0 || len(files) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, tx.DB, fmt.Sprintf(`
		INSERT INTO %[1]s_attachments (account_id, %[1]s_id, attachment_id)
		SELECT $1, record, a.id FROM unnest($2::bigint[]) AS record, (
			SELECT id FROM attachments WHERE account_id = $1 AND id = ANY($3::bigint[]) ORDER BY id FOR KEY SHARE) a
		ON CONFLICT DO NOTHING`, o), account, records, files)
	return err
}

// attachmentRows are new links of records to shared files.
type attachmentRows struct{ records, files []int64 }

// add adds the files of a record.
func (r *attachmentRows) add(record int64, files finance.IDs) {
	for _, file := range files {
		r.records, r.files = append(r.records, record), append(r.files, file)
	}
}

// insert stores the links with one statement.
func (r *attachmentRows) insert(ctx context.Context, tx *Tx, o attached, account int64) error {
	if len(r.files) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, tx.DB, fmt.Sprintf(`
		INSERT INTO %[1]s_attachments (account_id, %[1]s_id, attachment_id)
		SELECT $1, record, file FROM unnest($2::bigint[], $3::bigint[]) AS l (record, file) ON CONFLICT DO NOTHING`, o),
		account, r.records, r.files)
	return err
}

// otherLinks returns the FROM and WHERE of the links of the @record to other attachments than the @files.
func (o attached) otherLinks() string {
	return fmt.Sprintf(`%[1]s_attachments WHERE account_id = @account AND %[1]s_id = @record
		AND attachment_id <> ALL(@files)`, o)
}

// namedForEach returns a statement for each kind, with the kind at the end of its name.
func namedForEach(name string, text func(attached) string) map[attached]db.Statement {
	all := map[attached]db.Statement{}
	for _, o := range attachedKinds {
		all[o] = db.Named(name+"."+string(o), text(o))
	}
	return all
}

var (
	detachOthers = namedForEach("attachments.detach", func(o attached) string {
		return `
		UPDATE attachments SET detached_from = @permission WHERE account_id = @account AND id = ANY(ARRAY(
			SELECT id FROM attachments WHERE account_id = @account AND id IN (
				SELECT attachment_id FROM ` + o.otherLinks() + `) ORDER BY id FOR NO KEY UPDATE))
		RETURNING id`
	})
	unlinkOthers = namedForEach("attachments.unlink", func(o attached) string {
		return `DELETE FROM ` + o.otherLinks()
	})
)

// reattach replaces the attachments of a locked record. A detached attachment stores the permission
// for the kind of the record, which decides whether a user still sees it. It also loses its links
// to hidden records, because it would be removed with them.
func (tx *Tx) reattach(ctx context.Context, o attached, kind finance.Permission, account, record int64,
	files finance.IDs) error {
	if files == nil {
		files = finance.IDs{} // NULL would detach nothing
	}
	args := db.Args{"account": account, "record": record, "files": []int64(files)}
	detached, err := db.ManyNamed[int64](ctx, tx.DB, detachOthers[o], args, db.Args{"permission": kind})
	if err == nil && len(detached) > 0 {
		if _, err = db.ExecNamed(ctx, tx.DB, unlinkOthers[o], args); err == nil {
			err = tx.detachHidden(ctx, account, detached)
		}
	}
	if err != nil {
		return err
	}
	return tx.attach(ctx, o, account, []int64{record}, files)
}

// detachHidden removes the links of locked attachments to hidden records.
func (tx *Tx) detachHidden(ctx context.Context, account int64, files []int64) error {
	for _, o := range attachedKinds {
		_, err := db.Exec(ctx, tx.DB, fmt.Sprintf(`
			DELETE FROM %[1]s_attachments h USING attachments a WHERE a.account_id = $1 AND a.id = ANY($2)
			AND h.account_id = a.account_id AND h.attachment_id = a.id AND h.%[1]s_id NOT IN (SELECT x.%[1]s_id
				FROM %[2]s)`, o, o.remaining()), account, files)
		if err != nil {
			return err
		}
	}
	return nil
}

// Among selects the records with the ids; both are sorted by id.
func Among[T any](records []T, ids []int64, idOf func(T) int64) (found []T) {
	for _, id := range ids {
		at, ok := slices.BinarySearchFunc(records, id, func(r T, id int64) int { return int(idOf(r) - id) })
		if ok {
			found = append(found, records[at])
		}
	}
	return found
}
