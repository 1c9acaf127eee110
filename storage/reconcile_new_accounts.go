package storage

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// newAccountColumns are the columns of a new account of a reconciliation. All new accounts have the
// account, entity and creator of the reconciliation.
var newAccountColumns = db.ColumnsOf[finance.FinancialAccount](
	"id, external_id, kind, reconcile_id, due_date, competency_month, occurred_at, total_amount, " +
		financialAccountWritable.List(""))

// ShareNewAccounts finds the references of the new accounts of a reconciliation and locks them FOR
// KEY SHARE, as ShareReferences does for one record, with a constant number of statements. A
// missing record is a finance.Invalid under an association of new_accounts.
func (tx *Tx) ShareNewAccounts(ctx context.Context, s Scope, sees finance.Access,
	accounts []finance.FinancialAccount) error {
	var invalid finance.Invalid
	if err := tx.shareNamedCategories(ctx, s, accounts, &invalid); err != nil {
		return err
	}
	for _, r := range []struct {
		association, from string
		of                func(*finance.FinancialAccount) *int64
	}{
		{"category", `categories WHERE account_id = $1 AND $2::bigint IS NOT NULL`,
			func(f *finance.FinancialAccount) *int64 { return f.CategoryID }},
		{"person", `people WHERE account_id = $1 AND $2::bigint IS NOT NULL`, func(f *finance.FinancialAccount) *int64 {
			return f.PersonID
		}},
		{"classification_center", `classification_centers WHERE account_id = $1 AND entity_id = $2`,
			func(f *finance.FinancialAccount) *int64 { return f.ClassificationCenterID }},
		{"expected_deposit_account", `deposit_accounts WHERE account_id = $1 AND entity_id = $2`,
			func(f *finance.FinancialAccount) *int64 { return f.ExpectedDepositAccountID }},
	} {
		var ids []int64
		for i := range accounts {
			if id := r.of(&accounts[i]); id != nil {
				ids = append(ids, *id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		held, err := db.Many[int64](ctx, tx.DB, `SELECT id FROM `+r.from+
			` AND id = ANY($3) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`,
			s.AccountID, s.EntityID, ids)
		if err != nil {
			return err
		}
		for i := range accounts {
			if id := r.of(&accounts[i]); id != nil && !slices.Contains(held, *id) {
				// The error is an Invalid.
				_ = invalid.WithinItem(finance.NewAccountList, i, finance.Refuse(r.association, messages.NotExisting))
			}
		}
	}
	var files finance.IDs
	for i := range accounts {
		files = append(files, accounts[i].AttachmentIDs...)
	}
	unknown, err := tx.shareSeenAttachments(ctx, s, sees, files)
	if err != nil {
		return err
	}
	for i := range accounts {
		// The error is an Invalid.
		_ = invalid.WithinItem(finance.NewAccountList, i, unknownAttachments(accounts[i].AttachmentIDs, unknown))
	}
	if err := tx.shareNewClassifications(ctx, s, accounts, &invalid); err != nil {
		return err
	}
	if err := tx.claimNewExternalIDs(ctx, s, accounts, &invalid); err != nil {
		return err
	}
	return invalid.Err()
}

// claimNewExternalIDs claims the external ids of the accounts, which are of one kind. Before the kind is known, in a
// request with other faults, nothing is claimed.
func (tx *Tx) claimNewExternalIDs(ctx context.Context, s Scope, accounts []finance.FinancialAccount,
	invalid *finance.Invalid) error {
	var claimed []string
	for i := range accounts {
		if id := accounts[i].ExternalID; id != nil {
			claimed = append(claimed, *id)
		}
	}
	if len(claimed) == 0 || accounts[0].Kind == "" {
		return nil
	}
	has, err := tx.ClaimExternalIDs(ctx, ExternalIDsOf(accounts[0].Kind), s, claimed)
	if err != nil {
		return err
	}
	for i := range accounts {
		id := accounts[i].ExternalID
		if id == nil {
			continue
		}
		of, taken := has[*id]
		has[*id] = 0 // also for the later accounts
		if taken {
			// The error is an Invalid.
			_ = invalid.WithinItem(finance.NewAccountList, i, externalIDTaken(of))
		}
	}
	return nil
}

// shareNewClassifications finds and locks the values and centers that the accounts are classified
// by.
func (tx *Tx) shareNewClassifications(ctx context.Context, s Scope, accounts []finance.FinancialAccount,
	invalid *finance.Invalid) error {
	var values finance.CustomClassifications
	var centers finance.CenterClassifications
	for i := range accounts {
		values, centers = append(values, accounts[i].CustomClassifications...),
			append(centers, accounts[i].CenterClassifications...)
	}
	if err := tx.shareValues(ctx, s.AccountID, values); err != nil {
		return err
	}
	unknown, err := tx.shareCenters(ctx, s, centers)
	if err != nil {
		return err
	}
	for i := range accounts {
		f := &accounts[i]
		values = values[copy(f.CustomClassifications, values):]
		_ = invalid.WithinItem(finance.NewAccountList, i, unknownValues(f.CustomClassifications)) // they are Invalids
		_ = invalid.WithinItem(finance.NewAccountList, i, unknownCenters(f.CenterClassifications, unknown))
	}
	return nil
}

// shareNamedCategories sets the category of the accounts that name it.
func (tx *Tx) shareNamedCategories(ctx context.Context, s Scope, accounts []finance.FinancialAccount,
	invalid *finance.Invalid) error {
	var names []string
	var named []int // indices of the accounts
	for i := range accounts {
		if name := accounts[i].CategoryFullName; name != nil {
			names, named = append(names, *name), append(named, i)
		}
	}
	if len(names) == 0 {
		return nil
	}
	found, err := db.Many[struct{ Line, ID int64 }](ctx, tx.DB, `
		SELECT n.line, c.id FROM unnest($2::text[]) WITH ORDINALITY AS n (name, line)
		JOIN categories c ON c.account_id = $1 AND fold(c.full_name) = fold(n.name) AND c.deleted_at IS NULL
			ORDER BY c.id FOR KEY SHARE OF c`, s.AccountID, names)
	if err != nil {
		return err
	}
	for _, f := range found {
		accounts[named[f.Line-1]].CategoryID = &f.ID
	}
	for line, i := range named {
		if !slices.ContainsFunc(found, func(f struct{ Line, ID int64 }) bool { return f.Line == int64(line+1) }) {
			// The error is an Invalid.
			_ = invalid.WithinItem(finance.NewAccountList, i, finance.Refuse("category", messages.NotExisting))
		}
	}
	return nil
}

// InsertNewAccounts stores the new accounts of stored reconciliations, with their taxes,
// attachments and classifications, reconciled. It sets their ids.
func (tx *Tx) InsertNewAccounts(ctx context.Context, s Scope, creator *int64,
	accounts []finance.FinancialAccount) error {
	ids, err := tx.financialAccountIDs(ctx, len(accounts))
	if err != nil {
		return err
	}
	var taxed []taxRow
	var attached, files []int64
	var values, centers classificationRows
	for i := range accounts {
		f := &accounts[i]
		f.ID = ids[i]
		values.add(f.ID, ByValue(f.CustomClassifications))
		centers.add(f.ID, ByCenter(f.CenterClassifications))
		for line, t := range f.Taxes {
			taxed = append(taxed, taxRow{f.ID, line + 1, t})
		}
		for _, file := range f.AttachmentIDs {
			attached, files = append(attached, f.ID), append(files, file)
		}
	}
	rows, err := newAccountColumns.JSON(accounts)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		INSERT INTO financial_accounts (account_id, entity_id, creator_id, status, before_reconcile, `+
		newAccountColumns.List("")+`)
		SELECT $1, $2, $3, 3, '{"new": true}', `+newAccountColumns.List("n.")+`
		FROM json_populate_recordset(NULL::financial_accounts, $4) n ORDER BY n.id`, s.AccountID, s.EntityID, creator,
		string(rows))
	if err != nil {
		return refused(err)
	}
	if err := values.insert(ctx, tx, financialAccount, s.AccountID); err != nil {
		return err
	}
	if err := centers.insert(ctx, tx, financialAccount, s.AccountID); err != nil {
		return err
	}
	if err := tx.insertTaxRows(ctx, s.AccountID, taxed); err != nil || len(files) == 0 {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id)
		SELECT $1, record, file FROM unnest($2::bigint[], $3::bigint[]) AS l (record, file) ON CONFLICT DO NOTHING`,
		s.AccountID, attached, files)
	return err
}
