package storage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

// transactionWritable are the columns that a client's document sets. Of sharedBySides both sides of a typed transfer
// have the same values.
var transactionWritable = db.ColumnsOf[finance.FinancialTransaction](`external_id, amount, ` + sharedBySides)

const sharedBySides = `occurred_at, document, user_description, observation, category_id, person_id,
	classification_center_id`

// transactionColumns are selected with the alias t.
var transactionColumns = BareTransactionColumns + `,
	CASE WHEN t.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id, 'Kind', m.kind)), '[]') FROM (
			SELECT id, kind FROM financial_accounts
			WHERE account_id = t.account_id AND reconcile_id = t.reconcile_id ORDER BY id
				LIMIT 20) m) END AS reconciled_with`

// BareTransactionColumns are transactionColumns without the accounts that a transaction is
// reconciled with: a new transaction is not reconciled, and a query of a whole reconciliation has
// the accounts already.
var BareTransactionColumns = `t.id, t.account_id, t.deposit_account_id, t.external_id,
	CASE WHEN t.amount < 0 THEN 'Debit'
	ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.end_to_end_id, t.txid, t.counterpart_name,
	t.counterpart_document, (
		SELECT min(p.id) FROM people p WHERE p.account_id = t.account_id AND p.deleted_at IS NULL
			AND p.federation_subscription_code = t.counterpart_document AND t.person_id IS NULL
		HAVING count(*) = 1) AS suggested_person_id, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.category_id, t.person_id, t.classification_center_id, t.transfer_id,
		t.transfer_deposit_account_id, t.pair_id,
	t.reconcile_id, t.reconcile_id IS NOT NULL OR t.transfer_id IS NOT NULL AND EXISTS (
		SELECT FROM financial_transactions o WHERE o.account_id = t.account_id AND o.id = t.transfer_id
			AND o.reconcile_id IS NOT NULL) AS bound,
	t.created_at, t.updated_at, ` + AttachedTransaction.ids("t")

var (
	insertTransactions = db.Named("financial_transactions.insert", `
		INSERT INTO financial_transactions AS t (account_id, deposit_account_id, currency_id, `+
		transactionWritable.List("")+`)
		SELECT d.account_id, d.id, d.currency_id, `+transactionWritable.List("n.")+`
		FROM deposit_accounts d, json_populate_recordset(NULL::financial_transactions, @transactions) WITH ORDINALITY n
		WHERE d.account_id = @account AND d.id = @deposit_account
		ORDER BY n.ordinality
		RETURNING `+BareTransactionColumns)
	updateTransaction = db.Named("financial_transactions.update", `
		UPDATE financial_transactions AS t SET `+transactionWritable.Assignments()+`, updated_at = now()
		WHERE t.account_id = @account AND t.id = @id RETURNING `+transactionColumns)
)

// TransactionFilters search within one deposit account, newest first. Days use the index of the
// list; categories, people and centers have indexes of their own. The other filters scan the
// account's transactions, or only the requested days: an index would cost every import more than it
// saves.
var TransactionFilters = list.Table("FinancialTransaction", map[string]list.Filter{
	"occurred_at_gte": list.Where("t.occurred_at >= CAST(? AS date)", list.Day, "Of this day or later."),
	"occurred_at_lte": list.Where("t.occurred_at <= CAST(? AS date)", list.Day, "Of this day or earlier."),
	"type":            list.Where("(t.amount < 0) = ?", debit, "Whether money left the account or came in."),
	"amount_equals": list.Where("t.amount = CAST(? AS numeric)", list.Amount,
		"Exactly this amount, with its sign: negative for a debit."),
	"amount_gte": list.Where("t.amount >= CAST(? AS numeric)", list.Amount,
		"This amount or more, with its sign."),
	"amount_lte": list.Where("t.amount <= CAST(? AS numeric)", list.Amount,
		"This amount or less, with its sign."),
	"document_equals": list.Where("t.document = ?", list.Text, "The exact document."),
	"description_contains": list.Where("(fold(t.original_description) LIKE fold(?) OR fold(t.user_description) LIKE "+
		"fold(?))",
		list.Containing,
		"Part of either description, whatever its case and accents."),
	"category_id_equals":              list.Where("t.category_id = ?", list.ID, "Of this category alone."),
	"category_id_is_null":             WithoutCategory("t"),
	"person_id_equals":                list.Where("t.person_id = ?", list.ID, "Of this person."),
	"person_id_is_null":               list.Where("(t.person_id IS NULL) = ?", list.Boolean, "Without a person."),
	"classification_center_id_equals": list.Where("t.classification_center_id = ?", list.ID, "Of this center."),
	"classification_center_id_is_null": list.Where("(t.classification_center_id IS NULL) = ?", list.Boolean,
		"Without a center."),
	"category_tree": InCategoryTree("t"),
	"currency_id":   list.Where("t.currency_id = CAST(? AS bigint)", list.ID, "In this currency."),
	"reconciled":    list.Where("(t.reconcile_id IS NOT NULL) = ?", list.Boolean, "Whether it is in a reconcile."),
	"transfer_id_is_null": list.Where("(t.transfer_id IS NULL) = ?", list.Boolean,
		"True: neither side of a transfer, typed or paired."),
	"left": list.Where("(t.reconcile_id IS NULL AND t.transfer_id IS NULL) = ?", list.Boolean,
		"True: neither in a reconcile nor a side of a transfer, so still to be reconciled."),
	"end_to_end_id_equals": list.Where("t.end_to_end_id = ?", list.Text, "The exact end-to-end id of a Pix."),
	"txid_equals":          list.Where("t.txid = ?", list.Text, "The exact txid of a Pix."),
	"counterpart_document_equals": list.Where("t.counterpart_document = ?", counterpartNumber,
		"Exact CPF or CNPJ of the counterpart, formatted or not; a masked one as it is shown."),
	"counterpart_name_contains": list.Where("fold(t.counterpart_name) LIKE fold(?)", list.Containing,
		"Part of the counterpart's name, whatever its case and accents."),
	"external_id_equals": list.ExternalID("t."),
	"updated_at_gte":     list.ChangedSince("t."),
})

// counterpartNumber is a CPF or CNPJ, formatted or not, which banks may have masked with asterisks.
var counterpartNumber = list.Type{Name: "string", Parse: func(s string) (any, error) {
	return list.Text.Parse(strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(strings.ToUpper(s)))
}}

// EntityTransactionFilters are the filters of the transactions of all deposit accounts of an entity.
var EntityTransactionFilters = list.Table("EntityFinancialTransaction", withFilter(TransactionFilters,
	"deposit_account_id", list.Where("t.deposit_account_id = ?", list.ID, "Of this deposit account.")))

// withFilter returns a copy of filters with one more.
func withFilter(filters map[string]list.Filter, name string, f list.Filter) map[string]list.Filter {
	more := maps.Clone(filters)
	more[name] = f
	return more
}

// InCategoryTree returns the filter by a category and the categories below it, for records with the alias.
func InCategoryTree(alias string) list.Filter {
	return list.Where(alias+`.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = @account AND deleted_at IS NULL AND id = ?
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = @account AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree))`, list.ID, "Of this category or one below it.")
}

// WithoutCategory returns the filter of the records without a category. Those of a hidden one are among them, until a
// job has cleared the references to it: totals and income statements count them so.
func WithoutCategory(alias string) list.Filter {
	return list.Where(`(`+alias+`.category_id IS NULL OR `+alias+`.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = @account AND deleted_at IS NOT NULL))) = ?`, list.Boolean,
		"Without a category.")
}

// debit is the type of a transaction in a search, parsed as whether it is Debit.
var debit = list.Type{Name: "string", Enum: []string{finance.Credit, finance.Debit},
	Parse: func(s string) (any, error) {
		if s != finance.Debit && s != finance.Credit {
			return nil, messages.NotOneOf([]string{finance.Credit, finance.Debit})
		}
		return s == finance.Debit, nil
	}}

// FinancialTransactions lists one page of the transactions of a deposit account of the
// entity, newest first. Their number is a column of the deposit account, so that without
// a filter the cost of the first page does not depend on it.
func (q Queries) FinancialTransactions(ctx context.Context, s Scope, depositAccount int64, l list.Query) (
	list.Page[finance.FinancialTransaction], error) {
	newestFirst := list.By("t.id", list.DayKey("t.occurred_at")).Down()
	if len(l.Search) > 0 || l.After != nil || l.Count > 0 {
		return list.Read[finance.FinancialTransaction](ctx, q.DB, l, TransactionFilters, transactionColumns,
			`financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
			WHERE t.account_id = @account AND d.entity_id = @entity AND d.deleted_at IS NULL
				AND t.deposit_account_id = @deposit_account`,
			newestFirst, db.Args{
				"account": s.AccountID, "entity": s.EntityID, "deposit_account": depositAccount,
			})
	}
	var listed list.Page[finance.FinancialTransaction]
	var err error
	listed.Total, err = db.One[int64](ctx, q.DB, `
		SELECT transactions_count FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL`,
		s.AccountID, s.EntityID, depositAccount)
	if err != nil {
		return listed, err
	}
	limit, limits := l.Limit()
	page := db.Bind(`SELECT ` + transactionColumns + `
		FROM financial_transactions t WHERE t.account_id = @account AND t.deposit_account_id = @deposit_account
		ORDER BY ` + newestFirst.SQL() + ` ` + limit)
	listed.Items, err = db.ManyNamed[finance.FinancialTransaction](ctx, q.DB, page,
		limits, db.Args{"account": s.AccountID, "deposit_account": depositAccount})
	return listed, err
}

// EntityTransactions lists one page of the transactions of all deposit accounts of the entity, newest first.
func (q Queries) EntityTransactions(ctx context.Context, s Scope, l list.Query) (
	list.Page[finance.FinancialTransaction], error) {
	return list.ReadFrom[finance.FinancialTransaction](ctx, q.DB, l, EntityTransactionFilters, transactionColumns,
		list.Source{
			Parents: `(SELECT id FROM deposit_accounts WHERE account_id = @account AND entity_id = @entity
				AND deleted_at IS NULL) d`,
			Alias: "t",
			Rows:  `financial_transactions t WHERE t.account_id = @account AND t.deposit_account_id = d.id`,
			Count: `SELECT coalesce(sum(transactions_count), 0) FROM deposit_accounts WHERE account_id = @account
				AND entity_id = @entity AND deleted_at IS NULL`,
		}, list.By("t.id", list.DayKey("t.occurred_at")).Down(),
		db.Args{"account": s.AccountID, "entity": s.EntityID})
}

// FinancialTransaction reads one transaction of a deposit account of the entity.
func (q Queries) FinancialTransaction(ctx context.Context, s Scope, depositAccount, id int64) (
	*finance.FinancialTransaction, error) {
	t, err := db.One[finance.FinancialTransaction](ctx, q.DB, `SELECT `+transactionColumns+`
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.deposit_account_id = $3
			AND t.id = $4`,
		s.AccountID, s.EntityID, depositAccount, id)
	return &t, err
}

// LockFinancialTransactionForDelete reads one transaction and locks it, with the other side of a
// transfer, FOR UPDATE. The lower id comes first, so that requests from both sides do not
// deadlock. The deposit account of the other side may be in deletion. The lock is a separate
// statement: the transaction that it waited for may have changed the attachments too, or deleted the bank statement.
func (tx *Tx) LockFinancialTransactionForDelete(ctx context.Context, s Scope, depositAccount, id int64) (
	*finance.FinancialTransaction, error) {
	ids, err := db.Many[int64](ctx, tx.DB, `SELECT t.id
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND (t.id = $3 OR t.transfer_id = $3)
			AND EXISTS (SELECT FROM deposit_accounts o WHERE o.account_id = $1 AND o.id = $4 AND o.deleted_at IS NULL)
				ORDER BY t.id FOR UPDATE OF t`,
		s.AccountID, s.EntityID, id, depositAccount)
	if err != nil {
		return nil, err
	}
	sides, err := db.Many[finance.FinancialTransaction](ctx, tx.DB, `SELECT `+transactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = ANY($2) AND `+ImportStays("t"),
		s.AccountID, ids)
	for i, t := range sides {
		if t.ID == id && t.DepositAccountID == depositAccount {
			sides[i].Bound = slices.ContainsFunc(sides, func(side finance.FinancialTransaction) bool {
				return side.ReconcileID != nil
			})
			return &sides[i], err
		}
	}
	return nil, cmp.Or(err, ErrNotFound)
}

// InsertFinancialTransactions stores new transactions of one deposit account in its currency, each with the other side
// of a transfer, and updates the balances. The caller has locked the records that they refer to.
func (tx *Tx) InsertFinancialTransactions(ctx context.Context, all []*finance.FinancialTransaction) error {
	rows, sides := dereferenced(all), 0
	for _, t := range all {
		if sides++; t.OtherSide() != nil {
			sides++
		}
	}
	columns, statement := transactionWritable, insertTransactions
	if sides > len(all) {
		columns, statement = typedTransferColumns, insertTypedTransfers
	}
	document, err := columns.JSON(rows)
	if err != nil {
		return err
	}
	of := all[0]
	stored, err := db.ManyNamed[finance.FinancialTransaction](ctx, tx.DB, statement, db.Args{
		"account": of.AccountID, "deposit_account": of.DepositAccountID, "transactions": string(document),
	})
	if err == nil && len(stored) != sides {
		err = ErrNotFound
	}
	if err != nil {
		return err
	}
	var files attachmentRows
	for _, t := range all {
		attachments := t.AttachmentIDs
		*t, stored = stored[0], stored[1:]
		t.AttachmentIDs = attachments
		if t.TransferID != nil {
			stored = stored[1:] // the other side
		}
		files.add(t.ID, attachments)
		tx.moveSides(t, BalanceChange{Sum: t.Amount, Count: 1, Newest: t.OccurredAt})
	}
	return files.insert(ctx, tx, AttachedTransaction, of.AccountID)
}

// UpdateFinancialTransaction stores the changes of a locked transaction, applies them to
// the other side of a transfer and updates the balances.
func (tx *Tx) UpdateFinancialTransaction(ctx context.Context, t *finance.FinancialTransaction) error {
	before, err := db.One[finance.FinancialTransaction](ctx, tx.DB, `SELECT `+BareTransactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = $2`, t.AccountID, t.ID)
	if err != nil {
		return err
	}
	if err := tx.reattach(ctx, AttachedTransaction, finance.FinancialTransactions, t.AccountID, t.ID,
		t.AttachmentIDs); err != nil {
		return err
	}
	*t, err = db.OneNamed[finance.FinancialTransaction](ctx, tx.DB, updateTransaction,
		transactionWritable.Args(t), db.Args{
			"account": t.AccountID, "id": t.ID,
		})
	if err != nil {
		return err
	}
	if err := tx.moveOtherSide(ctx, t); err != nil {
		return err
	}
	m := BalanceChange{Sum: t.Amount - before.Amount, LastDayUnknown: t.OccurredAt != before.OccurredAt}
	if m == (BalanceChange{}) {
		return nil
	}
	tx.moveSides(t, m)
	return nil
}

// DeleteFinancialTransaction removes a locked transaction, with the other side of a typed transfer,
// and undoes its pair. An imported item stays in the memory of imported items, so that the same
// file does not import it again.
func (tx *Tx) DeleteFinancialTransaction(ctx context.Context, t *finance.FinancialTransaction) error {
	sides := []int64{t.ID}
	if other := t.OtherSide(); other != nil {
		sides = append(sides, other.ID)
	}
	if t.PairID != nil {
		if err := tx.Unpair(ctx, t.AccountID, sides, sides); err != nil {
			return err
		}
	}
	if err := tx.RemoveAttachmentsOf(ctx, AttachedTransaction, t.AccountID, sides); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM financial_transactions WHERE account_id = $1 AND id = ANY($2)`,
		t.AccountID, sides)
	if err != nil {
		return err
	}
	tx.moveSides(t, BalanceChange{Sum: -t.Amount, Count: -1, LastDayUnknown: true})
	return nil
}

// RemoveFinancialTransactions removes transactions of a deposit account, with the other sides of
// typed transfers, and emits their events. It removes all of them or, after a refusal, nothing. A
// transaction that the account does not have, or that is reconciled on either side, is a
// finance.Invalid.
func (tx *Tx) RemoveFinancialTransactions(ctx context.Context, s Scope, depositAccount int64, ids []int64) error {
	sides, err := db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		SELECT t.id, t.deposit_account_id, t.transfer_id, t.reconcile_id
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND (t.id = ANY($3) OR t.transfer_id = ANY($3))
			AND `+ImportStays("t")+` ORDER BY t.id FOR UPDATE OF t`,
		s.AccountID, s.EntityID, ids)
	if err != nil {
		return err
	}
	bound := map[int64]bool{} // reconciled on either side
	for _, t := range sides {
		if t.ReconcileID != nil {
			bound[t.ID] = true
			if t.TransferID != nil {
				bound[*t.TransferID] = true
			}
		}
	}
	var known, reconciled []int64
	for _, t := range sides {
		if t.DepositAccountID != depositAccount || !slices.Contains(ids, t.ID) {
			continue
		}
		known = append(known, t.ID)
		if bound[t.ID] {
			reconciled = append(reconciled, t.ID)
		}
	}
	var invalid finance.Invalid
	addUnknown(&invalid, "selected_ids", Without(ids, known))
	if len(reconciled) > 0 {
		invalid.Add(finance.Base, messages.TransactionsReconciled.With(finance.ListIDs(reconciled)))
	}
	if err := invalid.Err(); err != nil {
		return err
	}
	return tx.CascadeTransactions(ctx, s.AccountID, ids)
}

// CascadeTransactions removes transactions of a hidden deposit account, with the other sides of
// typed transfers. It undoes the whole of every reconciliation that contains one of them, and their
// pairs. It emits all events.
func (tx *Tx) CascadeTransactions(ctx context.Context, account int64, ids []int64) error {
	sides, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM unnest($2::bigint[]) AS t (id)
		UNION SELECT id FROM financial_transactions WHERE account_id = $1 AND transfer_id = ANY($2)
			AND pair_id IS NULL`, account, ids)
	if err != nil {
		return err
	}
	err = tx.UndoReconcilesAround(ctx, account, OfTransactions, sides, func() error {
		_, err := db.Exec(ctx, tx.DB, `SELECT FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT unnest(ARRAY[id, transfer_id]) FROM financial_transactions WHERE account_id = $1 AND id = ANY($2)))
				ORDER BY id FOR UPDATE`, account, sides)
		return err
	})
	if err != nil {
		return err
	}
	if err := tx.Unpair(ctx, account, sides, sides); err != nil {
		return err
	}
	if err := tx.RemoveAttachmentsOf(ctx, AttachedTransaction, account, sides); err != nil {
		return err
	}
	gone, err := db.Many[struct {
		ID, DepositAccountID, EntityID int64
		Amount                         finance.Amount
	}](ctx, tx.DB, `
		DELETE FROM financial_transactions t WHERE account_id = $1 AND id = ANY($2)
		RETURNING id, deposit_account_id, (SELECT entity_id FROM deposit_accounts d WHERE d.account_id = $1
			AND d.id = t.deposit_account_id) AS entity_id,
			amount`, account, sides)
	if err != nil {
		return err
	}
	events := map[int64]finance.Event{}
	for _, t := range gone {
		tx.Move(account, t.DepositAccountID, BalanceChange{Sum: -t.Amount, Count: -1, LastDayUnknown: true})
		events[t.DepositAccountID] = finance.Event{
			Family: finance.FinancialTransactionsFamily, Action: finance.Destroyed,
			AccountID: account, EntityID: t.EntityID, ParentID: t.DepositAccountID,
			IDs: append(events[t.DepositAccountID].IDs, t.ID),
		}
	}
	for _, id := range slices.Sorted(maps.Keys(events)) {
		if err := tx.Emit(ctx, events[id]); err != nil {
			return err
		}
	}
	return nil
}
