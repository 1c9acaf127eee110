package storage

import (
	"context"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
)

// InsertSales stores new sales of an entity with locked references, each with the installments that it splits into,
// and enqueues their pricing. Each becomes its first installment as stored, and its Created contains all ids.
func (tx *Tx) InsertSales(ctx context.Context, sales []*finance.Sale) error {
	var rows []finance.Sale
	counts := make([]int, len(sales))
	for i, s := range sales {
		all := []finance.Sale{*s}
		if s.Splits() {
			all = s.Split()
		}
		rows, counts[i] = append(rows, all...), len(all)
	}
	ids, err := db.Many[int64](ctx, tx.DB, `SELECT nextval(pg_get_serial_sequence('sales', 'id'))
		FROM generate_series(1, $1)`, len(rows))
	if err != nil {
		return err
	}
	slices.Sort(ids)
	firsts := make([]int64, len(sales))
	n := 0
	for i, s := range sales {
		s.Created = ids[n : n+counts[i]]
		firsts[i] = s.Created[0]
		for k, id := range s.Created {
			rows[n+k].ID = id
			if k > 0 {
				rows[n+k].OriginalSaleID = &firsts[i]
			}
		}
		n += counts[i]
	}
	document, err := insertedSaleColumns.JSON(rows)
	if err != nil {
		return err
	}
	of := sales[0]
	_, err = db.ExecNamed(ctx, tx.DB, insertSales, db.Args{
		"account": of.AccountID, "entity": of.EntityID, "sales": string(document),
	})
	if err != nil {
		return err
	}
	if err := tx.insertPartsOfSales(ctx, of.AccountID, rows); err != nil {
		return err
	}
	saleAccounts := map[int64]bool{}
	for _, s := range sales {
		saleAccounts[s.SaleAccountID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(saleAccounts)) {
		if err := tx.EnqueuePricing(ctx, of.AccountID, id); err != nil {
			return err
		}
	}
	stored, err := db.Many[finance.Sale](ctx, tx.DB, `SELECT `+saleColumns+`
		FROM sales s WHERE s.account_id = $1 AND s.id = ANY($2) ORDER BY s.id`, of.AccountID, firsts)
	for i := range stored {
		created := sales[i].Created
		*sales[i] = stored[i]
		sales[i].Created = created
	}
	return err
}

// insertPartsOfSales stores the taxes, attachments and classifications of new sales.
func (tx *Tx) insertPartsOfSales(ctx context.Context, account int64, sales []finance.Sale) error {
	var files attachmentRows
	var values, centers classificationRows
	for i := range sales {
		s := &sales[i]
		values.add(s.ID, ByValue(s.CustomClassifications))
		centers.add(s.ID, ByCenter(s.CenterClassifications))
		files.add(s.ID, s.AttachmentIDs)
	}
	if err := tx.insertSaleTaxes(ctx, account, sales); err != nil {
		return err
	}
	if err := values.insert(ctx, tx, sale, account); err != nil {
		return err
	}
	if err := centers.insert(ctx, tx, sale, account); err != nil {
		return err
	}
	return files.insert(ctx, tx, AttachedSale, account)
}

// insertSaleTaxes gives each of the sales the taxes that were sent: those without an id.
func (tx *Tx) insertSaleTaxes(ctx context.Context, account int64, sales []finance.Sale) error {
	var of, taxes []int64
	var amounts []string
	for i := range sales {
		for _, t := range sales[i].Taxes {
			if t.ID == 0 {
				of, taxes, amounts = append(of, sales[i].ID), append(taxes, t.TaxID), append(amounts, t.Amount.String())
			}
		}
	}
	if len(of) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, tx.DB, `
		INSERT INTO sale_taxes (account_id, sale_id, tax_id, amount)
		SELECT $1, sale_id, tax_id, amount
		FROM unnest($2::bigint[], $3::int[], $4::numeric[]) WITH ORDINALITY AS t (sale_id, tax_id, amount, line)
		ORDER BY line`, account, of, taxes, amounts)
	return err
}
