package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
)

// newAccountColumns are the columns of a new account of a reconciliation. All new accounts have the
// account, entity and creator of the reconciliation.
var newAccountColumns = db.ColumnsOf[finance.FinancialAccount](
	"id, external_id, kind, reconcile_id, due_date, competency_month, occurred_at, total_amount, " +
		financialAccountWritable.List(""))

// ShareNewAccounts is ShareEach for the new accounts of a reconciliation. A missing record is a finance.Invalid under
// an association of new_accounts.
func (tx *Tx) ShareNewAccounts(ctx context.Context, s Scope, sees finance.Access,
	accounts []finance.FinancialAccount) error {
	all := make([]Refers, len(accounts))
	for i := range accounts {
		all[i] = RefersTo(&accounts[i])
	}
	faults, err := tx.ShareEach(ctx, s, sees, all)
	if err != nil {
		return err
	}
	var invalid finance.Invalid
	for i, fault := range faults {
		_ = invalid.WithinItem(finance.NewAccountList, i, fault) // an Invalid, or none
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
	kind := ExternalIDsOf(accounts[0].Kind)
	has, err := tx.ClaimIdentities(ctx, kind, s, claimed)
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
			_ = invalid.WithinItem(finance.NewAccountList, i, kind.Taken(of))
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
	for i := range accounts {
		accounts[i].ID = ids[i]
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
	return tx.insertPartsOfAccounts(ctx, s.AccountID, accounts)
}
