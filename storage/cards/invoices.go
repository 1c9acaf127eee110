package cards

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// Invoices lists one page of the invoices of a card of the entity, by month. Every
// invoice has transactions.
func Invoices(ctx context.Context, q storage.Queries, s storage.Scope, card int64,
	l list.Query) (list.Page[finance.CreditCardInvoice], error) {
	return list.Read[finance.CreditCardInvoice](ctx, q.DB, l, nil,
		`i.id, i.account_id, i.credit_card_id, i.start_date, i.end_date, i.due_date, i.balance, i.transactions_count,`+
			` f.id AS payable_account_id`,
		`credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE i.account_id = @account AND k.entity_id = @entity AND k.deleted_at IS NULL
			AND i.credit_card_id = @card`,
		list.By("i.id", list.DayKey("i.month")),
		db.Args{"account": s.AccountID, "entity": s.EntityID, "card": card})
}

// openInvoices creates the missing invoices of the periods of a locked card, and locks the
// payable accounts of all of them. Its errors for paid invoices are those of lockOpenInvoices.
func openInvoices(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, periods []finance.InvoicePeriod) error {
	starts, ends, dues := make([]string, len(periods)), endDates(periods), make([]string, len(periods))
	for i, p := range periods {
		starts[i], dues[i] = p.StartDate.String(), p.DueDate.String()
	}
	_, err := db.Exec(ctx, tx.DB, `
		INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date)
		SELECT DISTINCT $1::bigint, $2::bigint, s.start_date, s.end_date, s.due_date
		FROM unnest($3::date[], $4::date[], $5::date[]) AS s (start_date, end_date, due_date)
		ORDER BY s.end_date
		ON CONFLICT (account_id, credit_card_id, end_date) DO NOTHING`, k.AccountID, k.ID, starts, ends, dues)
	if err != nil {
		return err
	}
	ids, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2
			AND end_date = ANY($3::date[])`, k.AccountID, k.ID, ends)
	if err != nil {
		return err
	}
	return lockOpenInvoices(ctx, tx, k.AccountID, ids)
}

func endDates(periods []finance.InvoicePeriod) []string {
	ends := make([]string, len(periods))
	for i, p := range periods {
		ends[i] = p.EndDate.String()
	}
	return ends
}

// lockOpenInvoices locks the payable accounts of invoices. If an invoice is paid, it returns
// finance.ErrInvoicePaid, or finance.ErrInvoiceReconciled if one is reconciled.
func lockOpenInvoices(ctx context.Context, tx *storage.Tx, account int64, invoices []int64) error {
	paid, err := lockInvoices(ctx, tx, account, invoices)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(paid, func(f finance.FinancialAccount) bool { return f.Status > finance.Settled }):
		return finance.ErrInvoiceReconciled
	case len(paid) > 0:
		return finance.ErrInvoicePaid
	}
	return nil
}

// lockInvoices locks the payable accounts of invoices FOR NO KEY UPDATE until the transaction
// ends, against payment, and returns those that are paid already. Invoices without a
// payable account get none meanwhile, because their card is locked.
func lockInvoices(ctx context.Context, tx *storage.Tx, account int64, invoices []int64) (
	paid []finance.FinancialAccount, err error) {
	held, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT status, credit_card_invoice_id FROM financial_accounts
		WHERE account_id = $1 AND credit_card_invoice_id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, account, invoices)
	for _, f := range held {
		if f.Status != finance.Outstanding {
			paid = append(paid, f)
		}
	}
	return paid, err
}

// invoiceDeltas are changes of invoices: the amount to add to the balance of an invoice, and the number to
// add to its count of transactions. An invoice may occur several times.
type invoiceDeltas struct {
	invoices, counts []int64
	sums             []string
}

func (m *invoiceDeltas) add(invoice int64, sum finance.Amount, count int64) {
	m.invoices, m.sums, m.counts = append(m.invoices, invoice), append(m.sums, sum.String()), append(m.counts, count)
}

// The statements that make the payable accounts of invoices follow them.
var (
	updatePayables = db.Named("credit_card_invoices.update_payables", `
		UPDATE financial_accounts f SET amount = i.balance,`+storage.DiscountWithin("i.balance")+
		`, updated_at = now() FROM credit_card_invoices i
		WHERE f.account_id = @account AND i.account_id = @account AND f.credit_card_invoice_id = i.id
			AND i.id = ANY(@invoices)
			AND f.amount <> i.balance
		RETURNING f.id`)
	// The records that the card refers to may have been deleted since.
	insertPayables = db.Named("credit_card_invoices.insert_payables", `
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, description,
			credit_card_invoice_id,
			category_id, person_id, classification_center_id)
		SELECT i.account_id, @entity, 'payable', i.due_date, i.balance, i.month, s.description, i.id,
			(SELECT id FROM categories WHERE account_id = @account AND id = @category
				AND deleted_at IS NULL FOR KEY SHARE),
			(SELECT id FROM people WHERE account_id = @account AND id = @person AND deleted_at IS NULL FOR KEY SHARE),
			(SELECT id FROM classification_centers WHERE account_id = @account AND id = @center
				AND deleted_at IS NULL FOR KEY SHARE)
		FROM unnest(@invoices::bigint[], @descriptions::text[]) AS s (id, description)
		JOIN credit_card_invoices i ON i.account_id = @account AND i.id = s.id
		WHERE NOT EXISTS (SELECT FROM financial_accounts f WHERE f.account_id = @account
			AND f.credit_card_invoice_id = i.id)
		ORDER BY i.end_date
		RETURNING id`)
	deletePayables = db.Named("credit_card_invoices.delete_payables", `
		DELETE FROM financial_accounts WHERE account_id = @account AND credit_card_invoice_id = ANY(@invoices)
			RETURNING id`)
)

// addToInvoices adds deltas to invoices of a card. Their payable accounts are locked and unpaid. An
// invoice with a balance above zero gets a payable account of that amount; any other invoice gets
// no payable account. An invoice without transactions is deleted. A balance that exceeds its column
// is a finance.Invalid, and so are purchases that the card's pending days could not place.
func addToInvoices(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, m invoiceDeltas, free freeFiles) error {
	changed, err := db.Many[finance.CreditCardInvoice](ctx, tx.DB, `
		UPDATE credit_card_invoices i
		SET balance = i.balance + m.sum, transactions_count = i.transactions_count + m.count
		FROM (SELECT id, sum(amount) AS sum, sum(count) AS count FROM unnest($2::bigint[], $3::numeric[],
			$4::bigint[]) AS s (id, amount, count)
			GROUP BY id) m
		WHERE i.account_id = $1 AND i.id = m.id RETURNING i.id, i.due_date, i.balance, i.transactions_count`,
		k.AccountID, m.invoices, m.sums, m.counts)
	if pq.As(err, pqerror.NumericValueOutOfRange) != nil {
		return finance.Refuse("amount", messages.InvoiceTooLarge)
	}
	if err != nil {
		return err
	}
	if err := checkPending(ctx, tx, k); err != nil {
		return err
	}
	return followInvoices(ctx, tx, k, changed, nil, free)
}

// followInvoices makes the payable accounts of changed invoices follow them: see addToInvoices. It
// emits the changes of these accounts and of those with a new date.
func followInvoices(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, changed []finance.CreditCardInvoice,
	dated []int64, free freeFiles) error {
	var owed, unowed []int64
	var descriptions []string
	for _, i := range changed {
		if i.Balance > 0 {
			owed, descriptions = append(owed, i.ID), append(descriptions, i.AccountDescription(k.Name))
		} else {
			unowed = append(unowed, i.ID)
		}
	}
	if len(unowed) > 0 {
		payables, err := db.Many[int64](ctx, tx.DB, `
			SELECT id FROM financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2)
				ORDER BY id FOR UPDATE`, k.AccountID, unowed) // as removeAccounts locks them
		if err != nil {
			return err
		}
		if err := free(ctx, tx, k.AccountID, payables); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		action    finance.Action
		statement db.Statement
		args      db.Args
	}{
		{finance.Updated, updatePayables, db.Args{"invoices": owed}},
		{finance.Created, insertPayables, db.Args{
			"invoices": owed, "descriptions": descriptions, "entity": k.EntityID,
			"category": k.CategoryID, "person": k.PersonID, "center": k.ClassificationCenterID,
		}},
		{finance.Destroyed, deletePayables, db.Args{"invoices": unowed}},
	} {
		ids, err := db.ManyNamed[int64](ctx, tx.DB, step.statement, step.args, db.Args{"account": k.AccountID})
		if err != nil {
			return err
		}
		if step.action == finance.Updated {
			ids = slices.Compact(slices.Sorted(slices.Values(append(ids, dated...))))
		}
		err = tx.Emit(ctx, finance.Event{Family: finance.PayableAccountsFamily, Action: step.action,
			AccountID: k.AccountID, EntityID: k.EntityID, IDs: ids})
		if err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM credit_card_invoices WHERE account_id = $1 AND id = ANY($2)
		AND transactions_count = 0`, k.AccountID, unowed)
	return err
}

// freeFiles ends the links of files to payable accounts that are locked FOR UPDATE and about to be removed. It is
// removeFiles where a user removes a purchase, else detachFiles (decision 0025).
type freeFiles func(ctx context.Context, tx *storage.Tx, account int64, payables []int64) error

func removeFiles(ctx context.Context, tx *storage.Tx, account int64, payables []int64) error {
	return tx.RemoveAttachmentsOf(ctx, storage.AttachedAccount, account, payables)
}

func detachFiles(ctx context.Context, tx *storage.Tx, account int64, payables []int64) error {
	return tx.DetachFiles(ctx, finance.PayableAccounts, account, payables)
}
