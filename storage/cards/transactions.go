package cards

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/list"
)

const classifiedCardTransaction storage.Classified = "credit_card_transaction"

// cardTransactionWritable are the columns that a client's document sets, without the day.
var cardTransactionWritable = db.ColumnsOf[finance.CreditCardTransaction](
	`amount, document, observation, description, category_id, person_id,
	classification_center_id`)

// cardTransactionColumns are selected with the aliases t and i, the invoice.
var cardTransactionColumns = `t.id, t.external_id, t.account_id, t.credit_card_id, t.occurred_at, ` +
	cardTransactionWritable.List("t.") + `, t.recurrence_id, t.parcel, t.parcels, t.created_at, t.updated_at,
	i.id AS "invoice.id", i.start_date AS "invoice.start_date", i.end_date AS "invoice.end_date",
		i.due_date AS "invoice.due_date",
	i.balance AS "invoice.balance",
	(SELECT p.id FROM credit_card_transactions p WHERE p.account_id = t.account_id
		AND p.recurrence_id = t.recurrence_id AND p.parcel < t.parcel
		ORDER BY p.parcel DESC LIMIT 1) AS previous_id,
	(SELECT n.id FROM credit_card_transactions n WHERE n.account_id = t.account_id
		AND n.recurrence_id = t.recurrence_id AND n.parcel > t.parcel
		ORDER BY n.parcel LIMIT 1) AS next_id, ` + classifiedCardTransaction.CustomClassifications("t")

var (
	insertCardTransactions = db.Named("credit_card_transactions.insert", `
		WITH new_ids AS MATERIALIZED (
			SELECT nextval('credit_card_transactions_id_seq') AS id, s.*
				FROM unnest(@days::date[], @end_dates::date[]) WITH ORDINALITY AS s (day, end_date, parcel))
		INSERT INTO credit_card_transactions (id, account_id, credit_card_id, credit_card_invoice_id, occurred_at,
			recurrence_id, parcel, parcels, external_id,
			`+cardTransactionWritable.List("")+`)
		SELECT d.id, @account, @card, i.id, d.day, CASE WHEN @parcels::int IS NOT NULL
			THEN first_value(d.id) OVER (ORDER BY d.parcel) END,
			CASE WHEN @parcels::int IS NOT NULL THEN d.parcel END, @parcels,
			CASE d.parcel WHEN 1 THEN @external_id END, `+cardTransactionWritable.Parameters()+`
		FROM new_ids d JOIN credit_card_invoices i ON i.account_id = @account AND i.credit_card_id = @card
			AND i.end_date = d.end_date
		ORDER BY d.parcel RETURNING id, credit_card_invoice_id AS "invoice.id"`)
	updateCardTransaction = db.Named("credit_card_transactions.update", `
		UPDATE credit_card_transactions t
		SET external_id = @external_id, credit_card_invoice_id = i.id, occurred_at = @day,
			`+cardTransactionWritable.Assignments()+`, updated_at = now()
		FROM credit_card_invoices i
		WHERE t.account_id = @account AND t.id = @id AND i.account_id = @account AND i.credit_card_id = @card
			AND i.end_date = @end_date
		RETURNING i.id AS "invoice.id"`)
)

const (
	cardTransactions = `credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id`
	// cardTransactionsOf selects the transactions of a card of an entity.
	cardTransactionsOf = cardTransactions + ` JOIN credit_cards k ON k.account_id = t.account_id
		AND k.id = t.credit_card_id
		WHERE t.account_id = @account AND k.entity_id = @entity AND k.deleted_at IS NULL AND t.credit_card_id = @card`
)

var selectCardTransaction = db.Named("credit_card_transactions.read",
	`SELECT `+cardTransactionColumns+` FROM `+cardTransactionsOf+` AND t.id = @id`)

// Transactions lists one page of the transactions of a card's invoice of the month,
// by day. It selects the ids of the page first, as FinancialAccounts does.
func Transactions(ctx context.Context, q storage.Queries, s storage.Scope, card int64, month finance.Month,
	l list.Query) (
	listed list.Page[finance.CreditCardTransaction], err error) {
	order := list.By("t.id", list.DayKey("t.occurred_at"))
	page, err := list.Read[int64](ctx, q.DB, l, nil, "t.id", cardTransactionsOf+` AND i.month = @month`, order,
		db.Args{"account": s.AccountID, "entity": s.EntityID, "card": card, "month": month})
	if err != nil {
		return listed, err
	}
	return cardTransactionsByID(ctx, q, s, page, order)
}

// TransactionFilters search among the transactions of all cards of an entity. Categories, people and centers
// have indexes; the other filters scan the cards' transactions, or only the requested days.
var TransactionFilters = list.Table("CreditCardTransaction", map[string]list.Filter{
	"credit_card_id":  list.Where("t.credit_card_id = ?", list.ID, "Of this card."),
	"occurred_at_gte": list.Where("t.occurred_at >= CAST(? AS date)", list.Day, "Of this day or later."),
	"occurred_at_lte": list.Where("t.occurred_at <= CAST(? AS date)", list.Day, "Of this day or earlier."),
	"amount_equals": list.Where("t.amount = CAST(? AS numeric)", list.Amount,
		"Exactly this amount, with its sign: negative for a refund."),
	"amount_gte": list.Where("t.amount >= CAST(? AS numeric)", list.Amount,
		"This amount or more, with its sign."),
	"amount_lte": list.Where("t.amount <= CAST(? AS numeric)", list.Amount,
		"This amount or less, with its sign."),
	"document_equals": list.Where("t.document = ?", list.Text, "The exact document."),
	"description_contains": list.Where("fold(t.description) LIKE fold(?)", list.Containing,
		"Part of the description, whatever its case and accents."),
	"category_id_equals":              list.Where("t.category_id = ?", list.ID, "Of this category alone."),
	"category_id_is_null":             storage.WithoutCategory("t"),
	"category_tree":                   storage.InCategoryTree("t"),
	"person_id_equals":                list.Where("t.person_id = ?", list.ID, "Of this person."),
	"person_id_is_null":               list.Where("(t.person_id IS NULL) = ?", list.Boolean, "Without a person."),
	"classification_center_id_equals": list.Where("t.classification_center_id = ?", list.ID, "Of this center."),
	"classification_center_id_is_null": list.Where("(t.classification_center_id IS NULL) = ?", list.Boolean,
		"Without a center."),
	"reconciled_in": storage.ReconciledIn(`t.credit_card_invoice_id IN (SELECT f.credit_card_invoice_id
		FROM financial_accounts f WHERE f.account_id = @account AND f.reconcile_id IN %s)`),
	"external_id_equals": list.ExternalID("t."),
	"updated_at_gte":     list.ChangedSince("t."),
})

// EntityTransactions lists one page of the transactions of all cards of the entity, newest first. It selects
// the ids of the page first, as FinancialAccounts does.
func EntityTransactions(ctx context.Context, q storage.Queries, s storage.Scope, l list.Query) (
	listed list.Page[finance.CreditCardTransaction], err error) {
	order := list.By("t.id", list.DayKey("t.occurred_at")).Down()
	page, err := list.ReadFrom[int64](ctx, q.DB, l, TransactionFilters, "t.id", list.Source{
		Parents: `(SELECT id FROM credit_cards WHERE account_id = @account AND entity_id = @entity
			AND deleted_at IS NULL) k`,
		Alias: "t",
		Rows:  `credit_card_transactions t WHERE t.account_id = @account AND t.credit_card_id = k.id`,
	}, order, db.Args{"account": s.AccountID, "entity": s.EntityID})
	if err != nil {
		return listed, err
	}
	return cardTransactionsByID(ctx, q, s, page, order)
}

// cardTransactionsByID reads the transactions of a page of ids.
func cardTransactionsByID(ctx context.Context, q storage.Queries, s storage.Scope, page list.Page[int64],
	order list.Order) (listed list.Page[finance.CreditCardTransaction], err error) {
	listed.Total, listed.Next = page.Total, page.Next
	listed.Items, err = db.Many[finance.CreditCardTransaction](ctx, q.DB, `SELECT `+cardTransactionColumns+`
		FROM `+cardTransactions+` WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY `+order.SQL(), s.AccountID,
		page.Items)
	return listed, err
}

// Transaction reads one transaction of a card of the entity.
func Transaction(ctx context.Context, q storage.Queries, s storage.Scope, card, id int64) (
	*finance.CreditCardTransaction,
	error) {
	t, err := db.OneNamed[finance.CreditCardTransaction](ctx, q.DB, selectCardTransaction, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "card": card, "id": id,
	})
	return &t, err
}

// LockTransaction locks a card of the entity, as Lock does, and one of its
// transactions, and reads it. The card's lock alone does not suffice: the deletion of a record to
// which the transaction refers changes it without that lock.
func LockTransaction(ctx context.Context, tx *storage.Tx, s storage.Scope, card, id int64) (
	*finance.CreditCardTransaction,
	error) {
	if err := Lock(ctx, tx, s, card); err != nil {
		return nil, err
	}
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM credit_card_transactions WHERE account_id = $1 AND credit_card_id = $2
		AND id = $3 FOR NO KEY UPDATE`,
		s.AccountID, card, id)
	if err != nil {
		return nil, err
	}
	return Transaction(ctx, tx.Queries, s, card, id)
}

// InsertTransaction stores a new transaction, or all its installments, each in the
// invoice of its day. The caller has locked the card and the records that the transaction
// refers to. A day in a paid invoice is finance.ErrInvoicePaid, in a reconciled one
// finance.ErrInvoiceReconciled. t becomes the first installment; t.Created has the ids of all.
func InsertTransaction(ctx context.Context, tx *storage.Tx, t *finance.CreditCardTransaction) error {
	card, err := card(ctx, tx, t.AccountID, t.CreditCardID)
	if err != nil {
		return err
	}
	days := t.Days()
	periods, err := card.Billings.Periods(days)
	if err != nil {
		return err
	}
	if err := openInvoices(ctx, tx, card, periods); err != nil {
		return err
	}
	texts := make([]string, len(days))
	for i, d := range days {
		texts[i] = d.String()
	}
	kept, err := db.ManyNamed[finance.CreditCardTransaction](ctx, tx.DB, insertCardTransactions,
		cardTransactionWritable.Args(t), db.Args{
			"account": t.AccountID, "card": t.CreditCardID, "days": texts, "end_dates": endDates(periods),
			"parcels": t.NumberOfParcels, "external_id": t.ExternalID,
		})
	if err != nil {
		return err
	}
	var m invoiceDeltas
	var ids []int64
	for _, row := range kept {
		ids = append(ids, row.ID)
		m.add(row.Invoice.ID, t.Amount, 1)
	}
	if err := tx.InsertClassifications(ctx, classifiedCardTransaction, t.AccountID, ids,
		storage.ByValue(t.CustomClassifications)); err != nil {
		return err
	}
	if err := addToInvoices(ctx, tx, card, m, detachFiles); err != nil {
		return err
	}
	t.ID = ids[0]
	if err := readCardTransaction(ctx, tx, t); err != nil {
		return err
	}
	t.Created = ids
	return nil
}

// UpdateTransaction stores the changes of a locked transaction and moves it to the
// invoice of its day. If that invoice, or the former one, is paid, it returns
// finance.ErrInvoicePaid, or finance.ErrInvoiceReconciled if it is reconciled.
func UpdateTransaction(ctx context.Context, tx *storage.Tx, t *finance.CreditCardTransaction) error {
	before := *t
	if err := readCardTransaction(ctx, tx, &before); err != nil {
		return err
	}
	card, err := card(ctx, tx, t.AccountID, t.CreditCardID)
	if err != nil {
		return err
	}
	period, err := card.Billings.Periods([]finance.Date{t.OccurredAt})
	if err != nil {
		return err
	}
	// Both at once, so that their payable accounts are locked in the order of their ids.
	if err := openInvoices(ctx, tx, card, append(period, before.Invoice.InvoicePeriod)); err != nil {
		return err
	}
	kept, err := db.OneNamed[finance.CreditCardTransaction](ctx, tx.DB, updateCardTransaction,
		cardTransactionWritable.Args(t), db.Args{
			"account": t.AccountID, "id": t.ID, "external_id": t.ExternalID, "card": t.CreditCardID,
			"day": t.OccurredAt, "end_date": period[0].EndDate,
		})
	if err != nil {
		return err
	}
	if err := tx.UpdateClassifications(ctx, classifiedCardTransaction, t.AccountID, t.ID,
		storage.ByValue(t.CustomClassifications)); err != nil {
		return err
	}
	var m invoiceDeltas
	m.add(before.Invoice.ID, -before.Amount, -1)
	m.add(kept.Invoice.ID, t.Amount, 1)
	if err := addToInvoices(ctx, tx, card, m, detachFiles); err != nil {
		return err
	}
	return readCardTransaction(ctx, tx, t)
}

// RemoveTransaction removes a locked transaction. The other installments remain. If
// its invoice is paid, it returns finance.ErrInvoicePaid, or finance.ErrInvoiceReconciled if it is reconciled.
func RemoveTransaction(ctx context.Context, tx *storage.Tx, t *finance.CreditCardTransaction) error {
	if err := lockOpenInvoices(ctx, tx, t.AccountID, []int64{t.Invoice.ID}); err != nil {
		return err
	}
	return removeCardTransactions(ctx, tx, t, []int64{t.ID})
}

// RemoveInstallments removes the installments of a purchase, except those in paid invoices,
// and returns their ids. t is one of them, locked.
func RemoveInstallments(ctx context.Context, tx *storage.Tx, t *finance.CreditCardTransaction) ([]int64, error) {
	parcels, err := db.Many[finance.CreditCardTransaction](ctx, tx.DB, `
		SELECT id, credit_card_invoice_id AS "invoice.id" FROM credit_card_transactions
		WHERE account_id = $1 AND credit_card_id = $2 AND recurrence_id = $3`, t.AccountID, t.CreditCardID,
		t.RecurrenceID)
	if err != nil {
		return nil, err
	}
	invoices := make([]int64, len(parcels))
	for i, p := range parcels {
		invoices[i] = p.Invoice.ID
	}
	paid, err := lockInvoices(ctx, tx, t.AccountID, invoices)
	if err != nil {
		return nil, err
	}
	isPaid := map[int64]bool{}
	for _, f := range paid {
		isPaid[*f.CreditCardInvoiceID] = true
	}
	var ids []int64
	for _, p := range parcels {
		if !isPaid[p.Invoice.ID] {
			ids = append(ids, p.ID)
		}
	}
	return ids, removeCardTransactions(ctx, tx, t, ids)
}

// removeCardTransactions removes transactions of the card of t. The payable accounts of their
// invoices are locked, unpaid.
func removeCardTransactions(ctx context.Context, tx *storage.Tx, t *finance.CreditCardTransaction, ids []int64) error {
	gone, err := db.Many[finance.CreditCardTransaction](ctx, tx.DB, `
		DELETE FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2)
			RETURNING credit_card_invoice_id AS "invoice.id", amount`,
		t.AccountID, ids)
	if err != nil || len(gone) == 0 {
		return err
	}
	card, err := card(ctx, tx, t.AccountID, t.CreditCardID)
	if err != nil {
		return err
	}
	var m invoiceDeltas
	for _, g := range gone {
		m.add(g.Invoice.ID, -g.Amount, -1)
	}
	return addToInvoices(ctx, tx, card, m, removeFiles)
}

// readCardTransaction reads a transaction again. Its card is locked.
func readCardTransaction(ctx context.Context, tx *storage.Tx, t *finance.CreditCardTransaction) (err error) {
	*t, err = db.One[finance.CreditCardTransaction](ctx, tx.DB, `SELECT `+cardTransactionColumns+`
		FROM `+cardTransactions+` WHERE t.account_id = $1 AND t.id = $2`, t.AccountID, t.ID)
	return err
}

// CascadePurchases removes transactions of a hidden credit card, and updates or removes the
// invoices and their payable accounts. It emits the events of all.
func CascadePurchases(ctx context.Context, tx *storage.Tx, account int64, ids []int64) error {
	card, err := db.One[struct{ ID, EntityID int64 }](ctx, tx.DB, `
		SELECT id, entity_id FROM credit_cards WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT credit_card_id FROM credit_card_transactions WHERE account_id = $1
				AND id = ANY($2))) FOR NO KEY UPDATE`, account, ids)
	if err != nil {
		return err
	}
	invoices, err := db.Many[int64](ctx, tx.DB, `
		SELECT DISTINCT credit_card_invoice_id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2)`,
		account, ids)
	if err != nil {
		return err
	}
	ofInvoices := `financial_accounts WHERE account_id = @account AND credit_card_invoice_id = ANY(@ids)`
	err = tx.UndoReconcilesAround(ctx, account, ofInvoices, invoices, func() error {
		_, err := lockInvoices(ctx, tx, account, invoices)
		return err
	})
	if err != nil {
		return err
	}
	t := finance.CreditCardTransaction{AccountID: account, CreditCardID: card.ID}
	if err := removeCardTransactions(ctx, tx, &t, ids); err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.CardTransactionsFamily, Action: finance.Destroyed, AccountID: account, EntityID: card.EntityID,
		ParentID: card.ID, IDs: ids,
	})
}
