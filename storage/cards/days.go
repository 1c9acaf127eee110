package cards

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
)

// changeDays applies the days of a locked card to the invoices after the last one that is closed, paid or
// reconciled: a job dates them anew (ApplyDays), and until then they are not paid. Without such invoices
// the days apply at once. Days that the card has already change nothing, unless it has no invoice at all.
// Days that are pending are enqueued again: a client that repeats them helps if their job is dead.
func changeDays(ctx context.Context, tx *storage.Tx, k *finance.CreditCard) error {
	latest := k.Latest()
	same := k.Pending == nil && latest.ClosingDay == *k.ClosingDay && latest.ExpirationDay == *k.ExpirationDay
	if same && latest.StartsOn.IsZero() {
		return nil
	}
	last, err := lastKept(ctx, tx, k, k.Today)
	if err != nil {
		return err
	}
	next, err := finance.BillingAfter(last, *k.ClosingDay, *k.ExpirationDay)
	if err != nil {
		return err
	}
	open, err := invoicesFrom(ctx, tx, k, next.StartsOn)
	if err != nil || same && (last != nil || len(open) > 0) {
		return err
	}
	days, err := daysOfPurchases(ctx, tx, k, next.StartsOn)
	if err != nil {
		return err
	}
	if _, _, err := k.Billings.Then(next).Redate(open, days); err != nil {
		return err
	}
	if len(open) == 0 {
		return bill(ctx, tx, k, next)
	}
	_, err = db.Exec(ctx, tx.DB, `
		INSERT INTO pending_card_days (account_id, credit_card_id, starts_on, first_month, closing_day, expiration_day)
		VALUES ($1, $2, coalesce($3, date '0001-01-01'), coalesce($4, date '0001-01-01'), $5, $6)
		ON CONFLICT (account_id, credit_card_id) DO UPDATE SET starts_on = excluded.starts_on,
			first_month = excluded.first_month, closing_day = excluded.closing_day,
			expiration_day = excluded.expiration_day`,
		k.AccountID, k.ID, next.StartsOn, next.FirstMonth, next.ClosingDay, next.ExpirationDay)
	if err != nil {
		return err
	}
	return tx.Enqueue(ctx, k.AccountID, jobs.ApplyCardDays{AccountID: k.AccountID, CreditCardID: k.ID})
}

// lastKept returns the period of the last invoice of a locked card that keeps its dates: one that closed
// before the day, or that is paid or reconciled. It is nil if there is none. The payable accounts of the
// other invoices are locked, against payment.
func lastKept(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, before finance.Date) (
	*finance.InvoicePeriod, error) {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY (ARRAY(
			SELECT id FROM credit_card_invoices WHERE account_id = $1 AND credit_card_id = $2
				AND end_date >= coalesce($3, date '0001-01-01')))
		ORDER BY id FOR NO KEY UPDATE`, k.AccountID, k.ID, before)
	if err != nil {
		return nil, err
	}
	last, err := db.One[finance.InvoicePeriod](ctx, tx.DB, `
		SELECT i.start_date, i.end_date, i.due_date FROM credit_card_invoices i
		WHERE i.account_id = $1 AND i.credit_card_id = $2 AND (i.end_date < coalesce($3, date '0001-01-01')
			OR EXISTS (SELECT FROM financial_accounts f WHERE f.account_id = $1 AND f.credit_card_invoice_id = i.id
				AND f.status > 1))
		ORDER BY i.end_date DESC LIMIT 1`, k.AccountID, k.ID, before)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	return &last, err
}

// invoicesFrom reads the invoices of a locked card that end on the day or later, in order of time.
func invoicesFrom(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, day finance.Date) (
	[]finance.CreditCardInvoice, error) {
	return db.Many[finance.CreditCardInvoice](ctx, tx.DB, `
		SELECT id, start_date, end_date, due_date FROM credit_card_invoices
		WHERE account_id = $1 AND credit_card_id = $2 AND end_date >= coalesce($3, date '0001-01-01')
		ORDER BY end_date`, k.AccountID, k.ID, day)
}

// daysOfPurchases sums up the transactions of a locked card from the day on, in order of time.
func daysOfPurchases(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, day finance.Date) (
	[]finance.DayOfPurchases, error) {
	return db.Many[finance.DayOfPurchases](ctx, tx.DB, `
		SELECT occurred_at AS day, sum(amount) AS sum, count(*) AS count FROM credit_card_transactions
		WHERE account_id = $1 AND credit_card_id = $2 AND occurred_at >= coalesce($3, date '0001-01-01')
		GROUP BY occurred_at ORDER BY occurred_at`, k.AccountID, k.ID, day)
}

// checkPending refuses a change of the purchases of a locked card if its pending days could not place them: a
// day without an invoice, or an invoice beyond the maximum. The job that applies these days would never succeed.
func checkPending(ctx context.Context, tx *storage.Tx, k *finance.CreditCard) error {
	if k.Pending == nil {
		return nil
	}
	days, err := daysOfPurchases(ctx, tx, k, k.Pending.StartsOn)
	if err != nil {
		return err
	}
	next := k.Billings.Then(*k.Pending)
	for _, d := range days {
		if _, err := next.Periods([]finance.Date{d.Day}); err != nil {
			return err
		}
	}
	if _, _, err := next.Redate(nil, days); err != nil {
		return finance.Refuse("amount", messages.InvoiceTooLarge)
	}
	return nil
}

// bill stores a billing of a locked card in the place of the later ones and of pending days.
func bill(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, next finance.Billing) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM pending_card_days WHERE account_id = $1 AND credit_card_id = $2`,
		k.AccountID, k.ID)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM credit_card_billings WHERE account_id = $1 AND credit_card_id = $2
		AND starts_on >= coalesce($3, date '0001-01-01')`, k.AccountID, k.ID, next.StartsOn)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		INSERT INTO credit_card_billings (account_id, credit_card_id, starts_on, first_month, closing_day,
			expiration_day)
		VALUES ($1, $2, coalesce($3, date '0001-01-01'), coalesce($4, date '0001-01-01'), $5, $6)`,
		k.AccountID, k.ID, next.StartsOn, next.FirstMonth, next.ClosingDay, next.ExpirationDay)
	return err
}

// ApplyDays applies the pending days of a card: it dates the open invoices anew and places their purchases
// again by their days (finance.Billings.Redate), and emits the changes. Without pending days, and for a card that is
// deleted or in an entity that is being deleted, there is nothing to do, so running it twice is harmless.
func ApplyDays(ctx context.Context, tx *storage.Tx, account, id int64) error {
	_, err := db.One[int64](ctx, tx.DB, `
		SELECT k.id FROM credit_cards k JOIN entities e ON e.account_id = k.account_id AND e.id = k.entity_id
		WHERE k.account_id = $1 AND k.id = $2 AND k.deleted_at IS NULL AND e.deleted_at IS NULL
		FOR NO KEY UPDATE OF k FOR KEY SHARE OF e`, account, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	k, err := card(ctx, tx, account, id)
	if err != nil || k.Pending == nil {
		return err
	}
	next := *k.Pending
	// An earlier release does not refuse the payment of an open invoice: it keeps its dates then.
	last, err := lastKept(ctx, tx, k, next.StartsOn)
	if err != nil {
		return err
	}
	if last != nil && !last.EndDate.Before(next.StartsOn) {
		if next, err = finance.BillingAfter(last, next.ClosingDay, next.ExpirationDay); err != nil {
			return err
		}
	}
	open, err := invoicesFrom(ctx, tx, k, next.StartsOn)
	if err != nil {
		return err
	}
	days, err := daysOfPurchases(ctx, tx, k, next.StartsOn)
	if err != nil {
		return err
	}
	k.Billings = k.Billings.Then(next)
	dated, left, err := k.Billings.Redate(open, days)
	if err != nil {
		return err
	}
	if err := bill(ctx, tx, k, next); err != nil {
		return err
	}
	return redate(ctx, tx, k, open, dated, left)
}

// redate stores invoices of a card that are dated anew (finance.Billings.Redate). Their payable accounts
// are locked and unpaid.
func redate(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, open, dated []finance.CreditCardInvoice,
	left []int64) error {
	changed, err := storeDated(ctx, tx, k, open, dated)
	if err != nil {
		return err
	}
	from := finance.Date{}
	if len(dated) > 0 {
		from = dated[0].StartDate
	}
	moved, err := db.Many[int64](ctx, tx.DB, `
		UPDATE credit_card_transactions t SET credit_card_invoice_id = i.id, updated_at = now()
		FROM credit_card_invoices i
		WHERE t.account_id = $1 AND t.credit_card_id = $2 AND t.occurred_at >= coalesce($3, date '0001-01-01')
			AND i.account_id = $1 AND i.credit_card_id = $2 AND t.occurred_at BETWEEN i.start_date AND i.end_date
			AND t.credit_card_invoice_id <> i.id
		RETURNING t.id`, k.AccountID, k.ID, from)
	if err != nil {
		return err
	}
	for _, id := range left {
		changed = append(changed, finance.CreditCardInvoice{ID: id})
	}
	accounts, err := dateAccounts(ctx, tx, k, open, dated)
	if err != nil {
		return err
	}
	if err := followInvoices(ctx, tx, k, changed, accounts, detachFiles); err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.CardTransactionsFamily, Action: finance.Updated, AccountID: k.AccountID, EntityID: k.EntityID,
		ParentID: k.ID, IDs: moved,
	})
}

// periodParameters are the periods of invoices as parameters of a statement.
type periodParameters struct{ starts, ends, dues []string }

func parametersOf(invoices []finance.CreditCardInvoice) (p periodParameters) {
	for _, i := range invoices {
		p.starts, p.ends = append(p.starts, i.StartDate.String()), append(p.ends, i.EndDate.String())
		p.dues = append(p.dues, i.DueDate.String())
	}
	return p
}

var storeDatedInvoices = db.Named("credit_card_invoices.date", `
	WITH dated AS MATERIALIZED (
		SELECT * FROM unnest(@ids::bigint[], @starts::date[], @ends::date[], @dues::date[], @balances::numeric[],
			@counts::bigint[]) AS s (id, start_date, end_date, due_date, balance, count)),
	kept AS (
		UPDATE credit_card_invoices i SET start_date = s.start_date, end_date = s.end_date, due_date = s.due_date,
			balance = s.balance, transactions_count = s.count
		FROM dated s WHERE i.account_id = @account AND i.id = s.id
		RETURNING i.id, i.start_date, i.end_date, i.due_date, i.balance, i.transactions_count),
	new AS (
		INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date, balance,
			transactions_count)
		SELECT @account, @card, start_date, end_date, due_date, balance, count FROM dated WHERE id = 0 ORDER BY end_date
		RETURNING id, start_date, end_date, due_date, balance, transactions_count)
	SELECT * FROM kept UNION ALL SELECT * FROM new`)

// storeDated gives open invoices their new periods and sums, inserts invoices without an id, and returns
// them all. Unique indexes compare row by row: the open invoices first move beyond the calendar, by the
// days of 10,000 years, and one that is left without purchases stays there until it is deleted.
func storeDated(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, open, dated []finance.CreditCardInvoice) (
	[]finance.CreditCardInvoice, error) {
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE credit_card_invoices SET start_date = start_date + 3652425, end_date = end_date + 3652425,
			due_date = due_date + 3652425, balance = 0, transactions_count = 0
		WHERE account_id = $1 AND credit_card_id = $2 AND id = ANY($3)`, k.AccountID, k.ID, idsOf(open))
	if err != nil {
		return nil, err
	}
	p := parametersOf(dated)
	balances, counts := make([]string, len(dated)), make([]int64, len(dated))
	for n, i := range dated {
		balances[n], counts[n] = i.Balance.String(), i.TransactionsCount
	}
	return db.ManyNamed[finance.CreditCardInvoice](ctx, tx.DB, storeDatedInvoices, db.Args{
		"account": k.AccountID, "card": k.ID, "ids": idsOf(dated), "starts": p.starts, "ends": p.ends, "dues": p.dues,
		"balances": balances, "counts": counts,
	})
}

func idsOf(invoices []finance.CreditCardInvoice) []int64 {
	ids := make([]int64, len(invoices))
	for n, i := range invoices {
		ids[n] = i.ID
	}
	return ids
}

// dateAccounts gives the payable accounts of invoices their new due dates, and returns the accounts that
// changed. A competency month that was the invoice's follows, as does the month in a description
// that begins as the card wrote it.
func dateAccounts(ctx context.Context, tx *storage.Tx, k *finance.CreditCard, open, dated []finance.CreditCardInvoice) (
	[]int64, error) {
	kept := min(len(open), len(dated))
	former, current := make([]string, kept), make([]string, kept)
	for n := range kept {
		former[n], current[n] = open[n].AccountPrefix(), dated[n].AccountPrefix()
	}
	return db.Many[int64](ctx, tx.DB, `
		UPDATE financial_accounts f SET due_date = i.due_date, updated_at = now(),
			competency_month = CASE f.competency_month WHEN date_trunc('month', f.due_date)::date THEN i.month
				ELSE f.competency_month END,
			description = CASE WHEN starts_with(f.description, s.former)
				THEN left(s.current || substr(f.description, char_length(s.former) + 1), 255) ELSE f.description END
		FROM unnest($2::bigint[], $3::text[], $4::text[]) AS s (id, former, current)
		JOIN credit_card_invoices i ON i.account_id = $1 AND i.id = s.id
		WHERE f.account_id = $1 AND f.credit_card_invoice_id = i.id AND f.due_date <> i.due_date AND i.balance > 0
		RETURNING f.id`, k.AccountID, idsOf(open[:kept]), former, current)
}
