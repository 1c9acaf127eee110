package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"
)

const sale Classified = "sale"

// saleWritable are the columns that a client's document sets, without the columns in which
// installments differ.
var saleWritable = db.ColumnsOf[finance.Sale](
	`external_id, sale_account_id, payment_method, issuer, document, document_emission_date, provider_code,
	competency_month, description, observation, nominal_amount, interest_amount, ticket_amount, discount_amount, ` +
		`total_amount, total_taxes,
	category_id, person_id, classification_center_id`)

// insertedSaleColumns are the columns of a new sale. Those of one statement are of one entity.
var insertedSaleColumns = db.ColumnsOf[finance.Sale](`id, occurred_at, confirmed_at, installment_number,
	installment_count, original_sale_id, ` + saleWritable.List(""))

// saleColumns are read with the alias s.
var saleColumns = `s.id, s.account_id, s.entity_id, s.status, s.awaiting_pricing, s.occurred_at, s.confirmed_at, ` +
	saleWritable.List("s.") + `,
	s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
		s.receivable_amount,
	s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at, s.liquidated_at, s.amount_difference,
		s.installment_number,
	s.installment_count, s.original_sale_id, s.created_at, s.updated_at,
	(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'TaxID', x.tax_id, 'Amount', x.amount::text)
		ORDER BY x.id), '[]')
		FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
	(SELECT coalesce(json_agg(json_build_object('ID', i.id, 'InstallmentNumber', i.installment_number,
			'NominalAmount', i.nominal_amount::text, 'Status', i.status) ORDER BY i.installment_number, i.id), '[]')
		FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id AND ` + OwnerVisible("sales",
	"i") +
	`) AS installments,
	(SELECT coalesce(json_agg(json_build_object('ID', a.id, 'EntityID', a.entity_id, 'Title', a.title,
		'AttachmentFileName', a.attachment_file_name,
			'AttachmentContentType', a.attachment_content_type, 'AttachmentFileSize', a.attachment_file_size)
				ORDER BY a.id), '[]')
		FROM sale_attachments x JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachments,
	` + AttachedSale.ids("s") + `, ` + sale.Classifications("s")

var (
	insertSales = db.Named("sales.insert", `
		INSERT INTO sales (account_id, entity_id, `+insertedSaleColumns.List("")+`)
		SELECT @account, @entity, `+insertedSaleColumns.List("n.")+`
		FROM json_populate_recordset(NULL::sales, @sales) n ORDER BY n.id`)
	updateSale = db.Named("sales.update", `
		UPDATE sales AS s
		SET occurred_at = @day, confirmed_at = @confirmed, installment_number = @number,
			installment_count = @installments, awaiting_pricing = @awaits,
			asked_pricing = CASE WHEN @awaits THEN nextval('sale_rule_applications_id_seq') ELSE s.asked_pricing END,
			`+saleWritable.Assignments()+`, updated_at = now()
		WHERE s.account_id = @account AND s.id = @id RETURNING `+saleColumns)
)

// salesOf selects the sales of an entity.
const salesOf = `sales s WHERE s.account_id = @account AND s.entity_id = @entity`

var (
	readSale = db.Named("sales.read",
		`SELECT `+saleColumns+` FROM `+salesOf+` AND s.id = @id AND `+OwnerVisible("sales", "s"))
	lockSaleForDelete = db.Named("sales.lock_for_delete",
		`SELECT s.sale_account_id FROM `+salesOf+` AND s.id = @id FOR UPDATE OF s`)
)

// Sales returns one page of the sales of the entity, by id. It finds the ids of the page first, as
// FinancialAccounts does.
func (q Queries) Sales(ctx context.Context, s Scope, l list.Query) (listed list.Page[finance.Sale], err error) {
	remaining, err := q.ListVisible(ctx, s.AccountID, "sales", "s")
	if err != nil {
		return listed, err
	}
	id, from := saleSource(l.Search, remaining)
	page, err := list.Read[int64](ctx, q.DB, l, SaleFiltersFor(l.Search), id, from,
		list.OrderFor(l.Search, selectiveSaleFilters, list.By(id)),
		db.Args{"account": s.AccountID, "entity": s.EntityID})
	if err != nil {
		return listed, err
	}
	listed.Total, listed.Next = page.Total, page.Next
	listed.Items, err = db.Many[finance.Sale](ctx, q.DB,
		`SELECT `+saleColumns+` FROM sales s WHERE s.account_id = $1 AND s.id = ANY($2) ORDER BY s.id`, s.AccountID,
		page.Items)
	return listed, err
}

// Sale reads one sale of the entity.
func (q Queries) Sale(ctx context.Context, s Scope, id int64) (*finance.Sale, error) {
	v, err := db.OneNamed[finance.Sale](ctx, q.DB, readSale,
		db.Args{"account": s.AccountID, "entity": s.EntityID, "id": id})
	return &v, err
}

// PriceAgain has a changed, locked sale await its pricing, if an attribute that pricing depends on differs from the
// sale before. It refuses a change that Sale.ValidateChange refuses, also while a job still has to liquidate the
// sale of a received account. The account stays open until the transaction ends: a receipt that waited for it sees
// that the sale awaits its price, and is refused.
func (tx *Tx) PriceAgain(ctx context.Context, s *finance.Sale, before finance.Sale) error {
	if err := s.ValidateChange(before); err != nil || !s.ChangesFixed(before) {
		return err
	}
	if before.FinancialAccountID != nil {
		status, err := db.One[int64](ctx, tx.DB, `SELECT status FROM financial_accounts WHERE account_id = $1
			AND id = $2 FOR SHARE`, s.AccountID, *before.FinancialAccountID)
		if err != nil {
			return err
		}
		if err := finance.RefuseLiquidated(status); err != nil {
			return err
		}
	}
	s.AwaitingPricing = s.AwaitingPricing || s.NeedsRepricing(before)
	return nil
}

// LockSaleForDelete reads one sale of the entity, locks it FOR UPDATE, and protects its sale
// account from deletion until the transaction ends, after HoldReceivables. It reads in a statement of its own: while
// it waited for the locks, the taxes may have changed, or the sale account may have been hidden.
func (tx *Tx) LockSaleForDelete(ctx context.Context, s Scope, id int64) (*finance.Sale, error) {
	if err := tx.HoldReceivables(ctx, s.AccountID, []int64{id}); err != nil {
		return nil, err
	}
	of, err := db.OneNamed[int64](ctx, tx.DB, lockSaleForDelete,
		db.Args{"account": s.AccountID, "entity": s.EntityID, "id": id})
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, tx.DB, `SELECT FROM sale_accounts WHERE account_id = $1 AND id = $2 FOR KEY SHARE`,
		s.AccountID, of); err != nil {
		return nil, err
	}
	return tx.Sale(ctx, s, id)
}

// UpdateSale stores the changes of a locked sale, and enqueues its pricing if it awaits pricing.
func (tx *Tx) UpdateSale(ctx context.Context, s *finance.Sale) error {
	kept := []int64{}
	for _, t := range s.Taxes {
		if t.ID != 0 {
			kept = append(kept, t.ID)
		}
	}
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM sale_taxes WHERE account_id = $1 AND sale_id = $2 AND id <> ALL($3)`,
		s.AccountID, s.ID, kept)
	if err != nil {
		return err
	}
	if err := tx.insertSaleTaxes(ctx, s.AccountID, []finance.Sale{*s}); err != nil {
		return err
	}
	if err := tx.reattach(ctx, AttachedSale, finance.ReceivableAccounts, s.AccountID, s.ID,
		s.AttachmentIDs); err != nil {
		return err
	}
	if err := tx.UpdateClassifications(ctx, sale, s.AccountID, s.ID, ByValue(s.CustomClassifications),
		ByCenter(s.CenterClassifications)); err != nil {
		return err
	}
	*s, err = db.OneNamed[finance.Sale](ctx, tx.DB, updateSale, saleWritable.Args(s), db.Args{
		"account": s.AccountID, "id": s.ID, "day": s.OccurredAt, "confirmed": s.ConfirmedAt,
		"number": s.InstallmentNumber, "installments": s.InstallmentCount, "awaits": s.AwaitingPricing,
	})
	if err != nil || !s.AwaitingPricing {
		return err
	}
	return tx.EnqueuePricing(ctx, s.AccountID, s.SaleAccountID)
}

// LockSaleWithReceivablesForDelete is LockSaleForDelete for the removal of a sale with its
// installments, hidden ones too: their receivable accounts, which change too, are locked before any sale.
func (tx *Tx) LockSaleWithReceivablesForDelete(ctx context.Context, s Scope, id int64) (*finance.Sale, error) {
	ids, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM sales WHERE account_id = $1 AND entity_id = $2 AND (id = $3 OR original_sale_id = $3)`,
		s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	if err := tx.LockReceivables(ctx, s.AccountID, ids); err != nil {
		return nil, err
	}
	return tx.LockSaleForDelete(ctx, s, id)
}

// RemoveSale removes a locked sale and its unpaid installments, also from their receivable
// accounts. s.Removed are their ids. The other installments become independent; RemoveSale returns
// their ids. The receivable accounts decide which installments are paid, because a job may still
// have to set the status of the sales.
func (tx *Tx) RemoveSale(ctx context.Context, s *finance.Sale) (left []int64, err error) {
	held, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM sales WHERE account_id = $1 AND (id = $2 OR original_sale_id = $2) ORDER BY id FOR UPDATE`,
		s.AccountID, s.ID)
	if err != nil {
		return nil, err
	}
	s.Removed, err = db.Many[int64](ctx, tx.DB, `
		SELECT s.id FROM sales s LEFT JOIN financial_accounts f ON f.account_id = s.account_id
			AND f.id = s.financial_account_id
		WHERE s.account_id = $1 AND s.id = ANY($3) AND (s.id = $2 OR coalesce(f.status, $4) = $4) ORDER BY s.id`,
		s.AccountID, s.ID, held, finance.Outstanding)
	if err != nil {
		return nil, err
	}
	if err := tx.WithdrawSales(ctx, s.AccountID, s.Removed, tx.RemoveEmptied); err != nil {
		return nil, err
	}
	left, err = db.Many[int64](ctx, tx.DB, `
		UPDATE sales SET original_sale_id = NULL, updated_at = now()
		WHERE account_id = $1 AND original_sale_id = $2 AND id <> ALL($3) RETURNING id`, s.AccountID, s.ID, s.Removed)
	if err != nil {
		return nil, err
	}
	if err := tx.RemoveAttachmentsOf(ctx, AttachedSale, s.AccountID, s.Removed); err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM sales WHERE account_id = $1 AND id = ANY($2)`, s.AccountID, s.Removed)
	return left, err
}
