package storage

import (
	"context"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

const financialAccount Classified = "financial_account"

// financialAccountWritable are the columns that a client's document sets: all but days, status and
// total.
var financialAccountWritable = db.ColumnsOf[finance.FinancialAccount](
	`amount, ticket_amount, interest_amount, discount_amount, description,
	document, document_emission_date, observation, remind, category_id, classification_center_id, ` +
		`expected_deposit_account_id, person_id`)

// insertedAccountColumns are the columns of a new account. Those of one statement have the same account, entity,
// kind and creator.
var insertedAccountColumns = db.ColumnsOf[finance.FinancialAccount](
	`id, external_id, status, due_date, competency_month, occurred_at, total_amount, recurrence_id, recurrence_period,
	number_of_parcels, current_parcel, ` + financialAccountWritable.List(""))

// FinancialAccountColumns are selected with the alias f.
var FinancialAccountColumns = bareFinancialAccountColumns + `,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)), '[]') FROM (
			SELECT id, deposit_account_id FROM financial_transactions t
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id AND ` +
	OwnerVisible("financial_transactions",
		"t") + ` ORDER BY id LIMIT 20) m) END AS reconciled_with`

// bareFinancialAccountColumns are FinancialAccountColumns without the transactions that an
// account is reconciled with: a query of a whole reconciliation has them already.
var bareFinancialAccountColumns = `f.id, f.external_id, f.account_id, f.entity_id, f.kind, f.status, f.due_date,
	f.occurred_at, f.total_amount,
	f.withheld_tax_amount, f.fee_amount, f.before_reconcile -> 'new' IS NOT NULL AS new_in_reconcile, ` +
	`f.competency_month, f.reminded_at, ` + financialAccountWritable.List("f.") +
	`, f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at,
	f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL
		THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales s WHERE account_id = f.account_id AND financial_account_id = f.id AND ` +
	OwnerVisible("sales", "s") + ` ORDER BY id LIMIT 20) m) END AS sales,
	` + AttachedAccount.ids("f") + `, ` + financialAccount.Classifications("f")

var (
	insertFinancialAccounts = db.Named("financial_accounts.insert", `
		INSERT INTO financial_accounts (account_id, entity_id, kind, creator_id, `+insertedAccountColumns.List("")+`)
		SELECT @account, @entity, @kind, @creator, `+insertedAccountColumns.List("n.")+`
		FROM json_populate_recordset(NULL::financial_accounts, @accounts) n ORDER BY n.id`)
	updateFinancialAccount = db.Named("financial_accounts.update", `
		UPDATE financial_accounts AS f
		SET external_id = @external_id, status = @status, due_date = @due_date, occurred_at = @day,
			total_amount = @total, competency_month = @month,
			`+financialAccountWritable.Assignments()+`, updated_at = now()
		WHERE f.account_id = @account AND f.id = @id RETURNING `+FinancialAccountColumns)
)

// DueAmount is the amount that has to be paid for the account f while it is open.
const DueAmount = `f.amount + coalesce(f.ticket_amount, 0) + coalesce(f.interest_amount, 0)
	- coalesce(f.discount_amount, 0)`

// DiscountWithin returns the SET clause that limits the discount of the account f to the amount due
// without a discount. The statement recomputes the amount of f. A larger one would block every
// payment and change of the account until a client changed the discount.
func DiscountWithin(amount string) string {
	return ` discount_amount = CASE WHEN f.discount_amount IS NOT NULL THEN
		least(f.discount_amount, ` + amount + ` + coalesce(f.ticket_amount, 0) + coalesce(f.interest_amount, 0)) END`
}

// financialAccountsOf selects the financial accounts of one kind of an entity.
const financialAccountsOf = `financial_accounts f WHERE f.account_id = @account AND f.entity_id = @entity
	AND f.kind = @kind`

var (
	readFinancialAccount = db.Named("financial_accounts.read",
		`SELECT `+FinancialAccountColumns+` FROM `+financialAccountsOf+` AND f.id = @id
		AND `+OwnerVisible("financial_accounts", "f"))
	lockFinancialAccountForDelete = db.Named("financial_accounts.lock_for_delete",
		`SELECT f.id, f.sale_account_id, f.credit_card_invoice_id FROM `+financialAccountsOf+`
		AND f.id = @id FOR UPDATE`)
	lockFinancialAccountsForDelete = db.Named("financial_accounts.lock_all_for_delete",
		`SELECT f.id, f.status, f.sale_account_id, f.credit_card_invoice_id FROM `+financialAccountsOf+`
		AND f.id = ANY(@ids) ORDER BY f.id FOR UPDATE`)
	lockSeriesForDelete = db.Named("financial_accounts.lock_series_for_delete", `
		SELECT FROM financial_accounts
		WHERE account_id = @account
			AND recurrence_id = (SELECT f.recurrence_id FROM `+financialAccountsOf+` AND f.id = @id)
		ORDER BY id FOR UPDATE`)
)

// OpenOn returns the condition for financial accounts, with the alias f, that were open at the end of a day:
// created or due by then, and not paid or received by then. day is a parameter.
func OpenOn(day string) string {
	return strings.ReplaceAll(`(f.due_date <= CAST(? AS date) OR f.created_at < CAST(? AS date) + 1)
		AND (f.occurred_at IS NULL OR f.occurred_at > CAST(? AS date))`, "?", day)
}

// FinancialAccountFilters are the filters of the lists of payable and receivable accounts.
var FinancialAccountFilters = list.Table("FinancialAccount", map[string]list.Filter{
	"status_equals": list.Where("f.status = CAST(? AS int)", list.Integer,
		"1 outstanding, 2 paid or received, 3 reconciled."),
	"due_date_gte": list.Where("f.due_date >= CAST(? AS date)", list.Day, "Due on this day or later."),
	"due_date_lte": list.Where("f.due_date <= CAST(? AS date)", list.Day, "Due on this day or earlier."),
	"occurred_at_gte": list.Where("f.occurred_at >= CAST(? AS date)", list.Day,
		"Paid or received on this day or later."),
	"occurred_at_lte": list.Where("f.occurred_at <= CAST(? AS date)", list.Day,
		"Paid or received on this day or earlier."),
	"amount_equals":    list.Where("f.amount = CAST(? AS numeric)", list.Amount, "The amount."),
	"amount_gte":       list.Where("f.amount >= CAST(? AS numeric)", list.Amount, "This amount or more."),
	"amount_lte":       list.Where("f.amount <= CAST(? AS numeric)", list.Amount, "This amount or less."),
	"person_id_equals": list.Where("f.person_id = ?", list.ID, "Person."),
	"person_name_equals": list.Where("f.person_id IN (SELECT id FROM people WHERE account_id = @account "+
		"AND deleted_at IS NULL AND "+personNamed+")", list.Text, "Exact name of the person."),
	"category_id_equals": list.Where("f.category_id = ?", list.ID, "Category, without those below it."),
	"category_full_name_equals": list.Where(
		"f.category_id IN (SELECT id FROM categories WHERE account_id = @account AND deleted_at IS NULL "+
			"AND full_name = ?)", list.Text, "Exact full name of the category."),
	"classification_center_id_equals": list.Where("f.classification_center_id = ?", list.ID, "Center."),
	"classification_center_name_equals": list.Where(
		"f.classification_center_id IN (SELECT id FROM classification_centers WHERE account_id = @account "+
			"AND deleted_at IS NULL AND name = ?)", list.Text, "Exact name of the center."),
	"person_id_is_null":   list.Where("(f.person_id IS NULL) = ?", list.Boolean, "Without a person."),
	"category_id_is_null": WithoutCategory("f"),
	"category_tree":       InCategoryTree("f"),
	"classification_center_id_is_null": list.Where("(f.classification_center_id IS NULL) = ?", list.Boolean,
		"Without a center."),
	"competency_month_gte": list.Where("f.competency_month >= CAST(? AS date)", list.Month,
		"Of this month, `YYYY-MM`, or later."),
	"competency_month_lte": list.Where("f.competency_month <= CAST(? AS date)", list.Month,
		"Of this month, `YYYY-MM`, or earlier."),
	"expected_deposit_account_id_equals": list.Where("f.expected_deposit_account_id = ?", list.ID,
		"Expected in this deposit account."),
	"expected_deposit_account_id_is_null": list.Where("(f.expected_deposit_account_id IS NULL) = ?", list.Boolean,
		"Expected in no deposit account."),
	"reconciled_in": ReconciledIn("f.reconcile_id IN %s"),
	"credit_card_invoice_id_is_null": list.Where("(f.credit_card_invoice_id IS NULL) = ?", list.Boolean,
		"Of no invoice of a credit card. Sums of purchases and of these accounts count no money twice."),
	"sale_account_id_is_null": list.Where("(f.sale_account_id IS NULL) = ?", list.Boolean,
		"Of no sales of a sale account. Sums of sales and of these accounts count no money twice."),
	"open_on": list.Where(OpenOn("?"), list.Day,
		"Open at the end of this day: created or due by then, and paid or received later or not yet. Accounts "+
			"that were deleted since, and payments that were undone since, are not known."),
	"description_contains": list.Where("fold(f.description) LIKE fold(?)", list.Containing,
		"Part of the description, whatever its case and accents."),
	"description_like": list.Where("fold(f.description) LIKE fold(?)", list.Containing,
		"The same as `description_contains`."),
	"document_equals":    list.Where("f.document = ?", list.Text, "Exact document."),
	"external_id_equals": list.ExternalID("f."),
	"updated_at_gte":     list.ChangedSince("f."),
})

// fewFinancialAccounts are the filters that usually select few accounts and have an index of their
// own. If such a filter selects half of all accounts, the query costs about twice the count.
var fewFinancialAccounts = []string{
	"external_id_equals", "person_id_equals", "person_name_equals", "category_id_equals",
	"category_full_name_equals", "category_tree",
	"classification_center_id_equals", "classification_center_name_equals", "expected_deposit_account_id_equals",
}

// FinancialAccounts lists one page of the payable or receivable accounts of the entity, by
// status and due date. It finds the ids of the page first: otherwise the subqueries would
// also run for the rows of all earlier pages.
func (q Queries) FinancialAccounts(ctx context.Context, s Scope, kind finance.AccountKind, l list.Query) (
	listed list.Page[finance.FinancialAccount], err error) {
	order := list.By("f.id", list.NumberKey("f.status"), list.DayKey("f.due_date"))
	// PostgreSQL would begin at the status, and not at a place within the status
	if list.Sent(l.Search, "status_equals") {
		order = list.By("f.id", list.DayKey("f.due_date"))
	}
	remaining, err := q.ListVisible(ctx, s.AccountID, "financial_accounts", "f")
	if err != nil {
		return listed, err
	}
	page, err := list.Read[int64](ctx, q.DB, l, FinancialAccountFilters, "f.id", financialAccountsOf+remaining,
		list.OrderFor(l.Search, fewFinancialAccounts, order),
		db.Args{"account": s.AccountID, "entity": s.EntityID, "kind": kind})
	if err != nil {
		return listed, err
	}
	listed.Total, listed.Next = page.Total, page.Next
	listed.Items, err = db.Many[finance.FinancialAccount](ctx, q.DB, `SELECT `+FinancialAccountColumns+`
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY `+order.SQL(), s.AccountID,
		page.Items)
	return listed, err
}

// FinancialAccount reads one account of the kind.
func (q Queries) FinancialAccount(ctx context.Context, s Scope, kind finance.AccountKind, id int64) (
	*finance.FinancialAccount, error) {
	f, err := db.OneNamed[finance.FinancialAccount](ctx, q.DB, readFinancialAccount, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "kind": kind, "id": id,
	})
	return &f, err
}

// LockFinancialAccountForDelete locks one account of the kind FOR UPDATE and reads it. The lock is a
// separate statement: the transaction that it waited for may have changed the taxes too.
func (tx *Tx) LockFinancialAccountForDelete(ctx context.Context, s Scope, kind finance.AccountKind, id int64) (
	*finance.FinancialAccount, error) {
	if kind == finance.Receivable {
		if err := tx.lockSaleAccountOf(ctx, s, id); err != nil {
			return nil, err
		}
	}
	held, err := db.OneNamed[finance.FinancialAccount](ctx, tx.DB, lockFinancialAccountForDelete, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "kind": kind, "id": id,
	})
	if err != nil {
		return nil, err
	}
	shared, err := tx.ShareOwners(ctx, s.AccountID, []finance.FinancialAccount{held})
	if err != nil {
		return nil, err
	}
	f, err := tx.FinancialAccount(ctx, s, kind, id)
	if err == nil && len(shared) > 0 {
		f.Awaits = shared[0].Awaits
	}
	return f, err
}

// UpdateFinancialAccount stores the changes of a locked account. The status of its sales follows it.
func (tx *Tx) UpdateFinancialAccount(ctx context.Context, f *finance.FinancialAccount) error {
	moved, err := tx.liquidationChanged(ctx, f)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM financial_account_taxes WHERE account_id = $1
		AND financial_account_id = $2`, f.AccountID, f.ID)
	if err != nil {
		return err
	}
	if err := tx.insertTaxes(ctx, f.AccountID, []int64{f.ID}, f.Taxes); err != nil {
		return err
	}
	if err := tx.reattach(ctx, AttachedAccount, f.Kind.Permission(), f.AccountID, f.ID, f.AttachmentIDs); err != nil {
		return err
	}
	if err := tx.UpdateClassifications(ctx, financialAccount, f.AccountID, f.ID, ByValue(f.CustomClassifications),
		ByCenter(f.CenterClassifications)); err != nil {
		return err
	}
	kept, err := db.OneNamed[finance.FinancialAccount](ctx, tx.DB, updateFinancialAccount,
		financialAccountWritable.Args(f), db.Args{
			"account": f.AccountID, "id": f.ID, "external_id": f.ExternalID, "status": f.Status,
			"due_date": f.DueDate, "day": f.OccurredAt, "total": f.TotalAmount, "month": f.CompetencyMonth,
		})
	if err != nil {
		return refused(err)
	}
	*f = kept
	if !moved {
		return nil
	}
	return tx.FollowReceivables(ctx, Scope{AccountID: f.AccountID, EntityID: f.EntityID}, []finance.FinancialAccount{
		*f})
}

// liquidationChanged reports whether the change of f, which is about to be stored, affects its sales.
// If f opens again, it receives the sales of its day again (reinstateDailyReceivables).
func (tx *Tx) liquidationChanged(ctx context.Context, f *finance.FinancialAccount) (bool, error) {
	if f.SaleAccountID == nil {
		return false, nil
	}
	before, err := db.One[finance.FinancialAccount](ctx, tx.DB, `
		SELECT status, occurred_at, total_amount FROM financial_accounts WHERE account_id = $1 AND id = $2`,
		f.AccountID, f.ID)
	if err != nil {
		return false, err
	}
	if before.Status != finance.Outstanding && f.Status == finance.Outstanding {
		err = tx.reinstateDailyReceivables(ctx, f.AccountID, []int64{f.ID})
	}
	return f.Moved(before), err
}

// RemoveFinancialAccount removes a locked account. The rest of its series remains a series.
func (tx *Tx) RemoveFinancialAccount(ctx context.Context, f *finance.FinancialAccount) error {
	return tx.removeAccounts(ctx, f.AccountID, []int64{f.ID})
}

// removeAccounts removes locked financial accounts, with the attachments that belong to no other
// record.
func (tx *Tx) removeAccounts(ctx context.Context, account int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if err := tx.lockAccountsForDelete(ctx, account, ids); err != nil {
		return err
	}
	if err := tx.RemoveAttachmentsOf(ctx, AttachedAccount, account, ids); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)`, account, ids)
	return err
}

// lockAccountsForDelete locks locked financial accounts again, FOR UPDATE, so that an upload of release 0.1.0 to
// one of them waits: under a weaker lock it could attach a file after their attachments have been found.
func (tx *Tx) lockAccountsForDelete(ctx context.Context, account int64, ids []int64) error {
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)
		ORDER BY id FOR UPDATE`, account, ids)
	return err
}

// RemoveFinancialAccounts removes accounts of the kind, either all or no account. An account that
// the entity does not have, or that is reconciled or derived, is a finance.Invalid.
func (tx *Tx) RemoveFinancialAccounts(ctx context.Context, s Scope, kind finance.AccountKind, ids []int64) error {
	held, err := db.ManyNamed[finance.FinancialAccount](ctx, tx.DB, lockFinancialAccountsForDelete, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "kind": kind, "ids": ids,
	})
	if err == nil {
		held, err = tx.ShareOwners(ctx, s.AccountID, held)
	}
	if err != nil {
		return err
	}
	var known, reconciled, derived []int64
	for _, f := range held {
		known = append(known, f.ID)
		switch {
		case f.Status == finance.Reconciled:
			reconciled = append(reconciled, f.ID)
		case f.Derived() != nil:
			derived = append(derived, f.ID)
		}
	}
	var invalid finance.Invalid
	addUnknown(&invalid, "selected_ids", Without(ids, known))
	if len(reconciled) > 0 {
		invalid.Add(finance.Base, messages.AccountsReconciled.With(finance.ListIDs(reconciled)))
	}
	if len(derived) > 0 {
		invalid.Add(finance.Base, messages.DerivedAccounts.With(finance.ListIDs(derived)))
	}
	if err := invalid.Err(); err != nil {
		return err
	}
	return tx.removeAccounts(ctx, s.AccountID, ids)
}

// LockSeriesForDelete is LockFinancialAccountForDelete before a removal of the whole series. It locks all
// accounts of the series in the order of their ids (docs/locking.md).
func (tx *Tx) LockSeriesForDelete(ctx context.Context, s Scope, kind finance.AccountKind, id int64) (
	*finance.FinancialAccount, error) {
	_, err := db.ExecNamed(ctx, tx.DB, lockSeriesForDelete, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "kind": kind, "id": id,
	})
	if err != nil {
		return nil, err
	}
	return tx.LockFinancialAccountForDelete(ctx, s, kind, id)
}

// RemoveSeries removes the accounts of a locked series that are not reconciled, and returns
// their ids. A series is removed to stop it; reconciled accounts are past payments.
func (tx *Tx) RemoveSeries(ctx context.Context, f *finance.FinancialAccount) ([]int64, error) {
	ids, err := db.Many[int64](ctx, tx.DB, `SELECT id FROM financial_accounts WHERE account_id = $1
		AND recurrence_id = $2 AND status <> $3`,
		f.AccountID, f.RecurrenceID, finance.Reconciled)
	if err != nil {
		return nil, err
	}
	return ids, tx.removeAccounts(ctx, f.AccountID, ids)
}
