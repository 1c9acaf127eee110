// Package cards has credit cards, their purchases and invoices, with the payable account of each invoice.
package cards

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/list"
)

// creditCardColumns are selected from creditCards.
const creditCardColumns = `k.id, k.account_id, k.entity_id, k.name, k.flag,
	coalesce(p.closing_day, d.closing_day) AS closing_day,
	coalesce(p.expiration_day, d.expiration_day) AS expiration_day,
	d.billings, CASE WHEN p.starts_on IS NOT NULL THEN json_build_object('StartsOn', p.starts_on,
		'FirstMonth', p.first_month, 'ClosingDay', p.closing_day, 'ExpirationDay', p.expiration_day) END AS pending,
	(SELECT min(t.occurred_at) FROM credit_card_transactions t WHERE t.account_id = k.account_id
		AND t.credit_card_id = k.id) AS first_purchase, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
				AND f.status > 1)) AS balance`

// creditCards selects the cards of an account with their days, deleted cards included. A deleted card has no
// pending days: its purchases go, whatever sums they leave.
const creditCards = `credit_cards k LEFT JOIN pending_card_days p ON p.account_id = k.account_id
		AND p.credit_card_id = k.id AND k.deleted_at IS NULL
	CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay',
				b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1`

var creditCardFilters = list.Table("CreditCard", map[string]list.Filter{
	"name": list.Where("k.name = ?", list.Text, "Exact name."),
	"name_contains": list.Where("fold(k.name) LIKE fold(?)", list.Containing,
		"Part of the name, whatever its case and accents."),
	"updated_at_gte": list.ChangedSince("k."),
})

// List lists the cards of the entity, by id.
func List(ctx context.Context, q storage.Queries, s storage.Scope, l list.Query) (list.Page[finance.CreditCard],
	error) {
	return list.Read[finance.CreditCard](ctx, q.DB, l, creditCardFilters, creditCardColumns,
		creditCards+` AND k.entity_id = @entity AND k.deleted_at IS NULL`, list.By("k.id"),
		db.Args{"account": s.AccountID, "entity": s.EntityID})
}

// Read reads one card of the entity.
func Read(ctx context.Context, q storage.Queries, s storage.Scope, id int64) (*finance.CreditCard, error) {
	k, err := db.One[finance.CreditCard](ctx, q.DB, `SELECT `+creditCardColumns+` FROM `+creditCards+
		` AND k.entity_id = $2 AND k.id = $3 AND k.deleted_at IS NULL`,
		s.AccountID, s.EntityID, id)
	return &k, err
}

// Lock locks a card of the entity FOR NO KEY UPDATE until the transaction ends, for a
// change of it or of its purchases or invoices. The lock serialises the card's writers
// (docs/locking.md).
func Lock(ctx context.Context, tx *storage.Tx, s storage.Scope, id int64) error {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = $2 AND id = $3
			AND deleted_at IS NULL FOR NO KEY UPDATE`, s.AccountID, s.EntityID, id)
	return err
}

// LockAndRead locks one card of the entity as Lock does, and reads it in a second
// statement: the transaction that the lock waited for may have changed the days.
func LockAndRead(ctx context.Context, tx *storage.Tx, s storage.Scope, id int64) (*finance.CreditCard, error) {
	if err := Lock(ctx, tx, s, id); err != nil {
		return nil, err
	}
	return Read(ctx, tx.Queries, s, id)
}

// creditCardWritable are the columns that a client's document sets; the days are billings.
var creditCardWritable = db.ColumnsOf[finance.CreditCard](`name, flag, observation, category_id, person_id, ` +
	`classification_center_id, archived_at`)

var (
	insertCreditCard = db.Named("credit_cards.insert",
		`INSERT INTO credit_cards (account_id, entity_id, `+creditCardWritable.List("")+`)
		VALUES (@account, @entity, `+creditCardWritable.Parameters()+`) RETURNING id`)
	updateCreditCard = db.Named("credit_cards.update",
		`UPDATE credit_cards SET `+creditCardWritable.Assignments()+
			`, updated_at = now() WHERE account_id = @account AND id = @id`)
)

// Insert stores a new card and fills in the columns that the database sets.
func Insert(ctx context.Context, tx *storage.Tx, k *finance.CreditCard) (err error) {
	k.ID, err = db.OneNamed[int64](ctx, tx.DB, insertCreditCard, creditCardWritable.Args(k), db.Args{
		"account": k.AccountID, "entity": k.EntityID,
	})
	if err != nil {
		return err
	}
	days := finance.Billing{ClosingDay: *k.ClosingDay, ExpirationDay: *k.ExpirationDay}
	if err := bill(ctx, tx, k, days); err != nil {
		return err
	}
	return readAgain(ctx, tx, k)
}

// Update stores the changes of a locked card. Changed days apply as changeDays says.
func Update(ctx context.Context, tx *storage.Tx, k *finance.CreditCard) error {
	_, err := db.ExecNamed(ctx, tx.DB, updateCreditCard, creditCardWritable.Args(k), db.Args{
		"account": k.AccountID, "id": k.ID,
	})
	if err != nil {
		return err
	}
	if err := changeDays(ctx, tx, k); err != nil {
		return err
	}
	return readAgain(ctx, tx, k)
}

// readAgain reads a card as it is stored now.
func readAgain(ctx context.Context, tx *storage.Tx, k *finance.CreditCard) error {
	kept, err := card(ctx, tx, k.AccountID, k.ID)
	if err == nil {
		*k = *kept
	}
	return err
}

// Remove hides a locked card and enqueues its removal with its transactions, invoices
// and their payable accounts. If one of these is paid, it returns finance.ErrInvoicePaid, or
// finance.ErrInvoiceReconciled if one is reconciled.
func Remove(ctx context.Context, tx *storage.Tx, k *finance.CreditCard) error {
	invoices, err := db.Many[int64](ctx, tx.DB, `SELECT id FROM credit_card_invoices WHERE account_id = $1
		AND credit_card_id = $2`, k.AccountID, k.ID)
	if err != nil {
		return err
	}
	if err := lockOpenInvoices(ctx, tx, k.AccountID, invoices); err != nil {
		return err
	}
	return tx.Hide(ctx, "credit_cards", k.AccountID, k.ID)
}

// card reads one locked card, even if it is hidden.
func card(ctx context.Context, tx *storage.Tx, account, id int64) (*finance.CreditCard, error) {
	k, err := db.One[finance.CreditCard](ctx, tx.DB, `SELECT `+creditCardColumns+` FROM `+creditCards+` AND k.id = $2`,
		account, id)
	return &k, err
}
