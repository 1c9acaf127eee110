package storage

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
)

// InsertFinancialAccounts stores new accounts of one kind, entity and creator, each with the series of parcels that it
// begins, under consecutive ids. Only the first of a series is paid or received, if the account is. Each becomes the
// first of its series as stored, and its Created contains all ids.
func (tx *Tx) InsertFinancialAccounts(ctx context.Context, accounts []*finance.FinancialAccount) error {
	var rows []finance.FinancialAccount
	for _, f := range accounts {
		rows = append(rows, seriesOf(f)...)
	}
	ids, err := tx.financialAccountIDs(ctx, len(rows))
	if err != nil {
		return err
	}
	firsts := make([]int64, len(accounts))
	n := 0
	for i, f := range accounts {
		count := len(f.Occurrences())
		firsts[i] = ids[n]
		f.Created = ids[n : n+count]
		for k := range f.Created {
			rows[n+k].ID = ids[n+k]
			if f.RecurrencePeriod != nil {
				rows[n+k].RecurrenceID = &firsts[i]
			}
		}
		n += count
	}
	document, err := insertedAccountColumns.JSON(rows)
	if err != nil {
		return err
	}
	of := accounts[0]
	_, err = db.ExecNamed(ctx, tx.DB, insertFinancialAccounts, db.Args{
		"account": of.AccountID, "entity": of.EntityID, "kind": of.Kind, "creator": of.CreatorID,
		"accounts": string(document),
	})
	if err != nil {
		return refused(err)
	}
	if err := tx.insertPartsOfAccounts(ctx, of.AccountID, rows); err != nil {
		return err
	}
	stored, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `SELECT `+FinancialAccountColumns+`
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.id`, of.AccountID, firsts)
	for i := range stored {
		created := accounts[i].Created
		*accounts[i] = stored[i]
		accounts[i].Created = created
	}
	return err
}

// seriesOf returns the accounts of the series that a new account begins, without ids.
func seriesOf(f *finance.FinancialAccount) []finance.FinancialAccount {
	occurrences := f.Occurrences()
	rows := slices.Repeat([]finance.FinancialAccount{*f}, len(occurrences))
	for i := range rows {
		r := &rows[i]
		r.DueDate, r.CompetencyMonth = occurrences[i].DueDate, occurrences[i].CompetencyMonth
		if f.NumberOfParcels != nil {
			parcel := int64(i + 1)
			r.CurrentParcel = &parcel
		}
		if i == 0 {
			continue
		}
		r.ExternalID, r.Status, r.OccurredAt, r.TotalAmount = nil, finance.Outstanding, nil, nil
	}
	return rows
}

// insertPartsOfAccounts stores the taxes, attachments and classifications of new accounts.
func (tx *Tx) insertPartsOfAccounts(ctx context.Context, account int64, accounts []finance.FinancialAccount) error {
	var taxed []taxRow
	var files attachmentRows
	var values, centers classificationRows
	for i := range accounts {
		f := &accounts[i]
		values.add(f.ID, ByValue(f.CustomClassifications))
		centers.add(f.ID, ByCenter(f.CenterClassifications))
		for line, t := range f.Taxes {
			taxed = append(taxed, taxRow{f.ID, line + 1, t})
		}
		files.add(f.ID, f.AttachmentIDs)
	}
	if err := values.insert(ctx, tx, financialAccount, account); err != nil {
		return err
	}
	if err := centers.insert(ctx, tx, financialAccount, account); err != nil {
		return err
	}
	if err := tx.insertTaxRows(ctx, account, taxed); err != nil {
		return err
	}
	return files.insert(ctx, tx, AttachedAccount, account)
}

// financialAccountIDs draws ascending ids. If another transaction draws in between, it draws all
// ids again, so that the ids of a series are consecutive, unless other transactions draw without a
// pause. Only a lock taken by every transaction that creates an account would guarantee it.
func (tx *Tx) financialAccountIDs(ctx context.Context, count int) (ids []int64, err error) {
	for range 100 {
		ids, err = db.Many[int64](ctx, tx.DB, `SELECT nextval('financial_accounts_id_seq') FROM generate_series(1, $1)`,
			count)
		if err != nil || ids[count-1]-ids[0] == int64(count-1) {
			break
		}
	}
	return ids, err
}

// insertTaxes inserts the taxes for each of the accounts.
func (tx *Tx) insertTaxes(ctx context.Context, account int64, ids []int64, taxes finance.TaxCharges) error {
	var rows []taxRow
	for _, id := range ids {
		for line, t := range taxes {
			rows = append(rows, taxRow{id, line + 1, t})
		}
	}
	return tx.insertTaxRows(ctx, account, rows)
}

// taxRow is a tax of a financial account, with its place among the account's taxes.
type taxRow struct {
	financialAccount int64
	line             int
	finance.TaxCharge
}

func (tx *Tx) insertTaxRows(ctx context.Context, account int64, rows []taxRow) error {
	if len(rows) == 0 {
		return nil
	}
	var ids, taxIDs []int64
	var lines []int
	var amounts []string
	for _, r := range rows {
		ids, lines, taxIDs, amounts = append(ids, r.financialAccount), append(lines, r.line), append(taxIDs, r.TaxID),
			append(amounts, r.Amount.String())
	}
	_, err := db.Exec(ctx, tx.DB, `
		INSERT INTO financial_account_taxes (account_id, financial_account_id, line, tax_id, amount)
		SELECT $1, t.* FROM unnest($2::bigint[], $3::int[], $4::int[], $5::numeric[]) AS t`, account, ids, lines,
		taxIDs, amounts)
	return err
}
