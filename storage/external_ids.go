package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// ExternalIDs are the external ids of one kind of records: their names in other systems. An external id is unique
// among the records of the kind in their entity; of people and categories, in the account.
type ExternalIDs struct {
	kind, table string
	read        db.Statement
}

// The kinds of records with external ids.
var (
	PersonIDs            = accountExternalIDs("people")
	CategoryIDs          = accountExternalIDs("categories")
	CenterIDs            = entityExternalIDs("classification_centers", "r.deleted_at IS NULL")
	DepositAccountIDs    = entityExternalIDs("deposit_accounts", "r.deleted_at IS NULL")
	SaleIDs              = entityExternalIDs("sales", OwnerVisible("sales", "r"))
	PayableAccountIDs    = financialAccountExternalIDs(finance.Payable)
	ReceivableAccountIDs = financialAccountExternalIDs(finance.Receivable)
	TransactionIDs       = childExternalIDs("financial_transactions", "deposit_account")
	CardTransactionIDs   = childExternalIDs("credit_card_transactions", "credit_card")
)

// externalIDs returns the external ids of a kind. records selects the records of the account with the alias r, and
// visible is the condition for those that are not being deleted.
func externalIDs(kind, table, records, visible string) ExternalIDs {
	return ExternalIDs{kind: kind, table: table, read: db.Named("external_ids."+kind, `
		SELECT r.id, r.external_id, NOT (`+visible+`) AS hidden
		FROM `+records+` AND r.external_id = ANY(@external_ids) ORDER BY r.id`)}
}

func accountExternalIDs(table string) ExternalIDs {
	return externalIDs(table, table, table+` r WHERE r.account_id = @account AND @entity::bigint = 0
			AND r.deleted_at IS NULL`, `r.deleted_at IS NULL`)
}

func entityExternalIDs(table, visible string) ExternalIDs {
	return externalIDs(table, table, table+` r WHERE r.account_id = @account AND r.entity_id = @entity`, visible)
}

func financialAccountExternalIDs(kind finance.AccountKind) ExternalIDs {
	return externalIDs(string(kind)+"_accounts", "financial_accounts", `financial_accounts r
		WHERE r.account_id = @account AND r.entity_id = @entity AND r.kind = '`+string(kind)+`'`,
		OwnerVisible("financial_accounts", "r"))
}

// childExternalIDs returns the external ids of records whose parents have the entity.
func childExternalIDs(table, parent string) ExternalIDs {
	return externalIDs(table, table, table+` r
		JOIN `+parent+`s p ON p.account_id = r.account_id AND p.id = r.`+parent+`_id
		WHERE r.account_id = @account AND p.entity_id = @entity`, OwnerVisible(table, "r"))
}

// ExternalIDsOf returns the external ids of the accounts of a kind.
func ExternalIDsOf(kind finance.AccountKind) ExternalIDs {
	if kind == finance.Payable {
		return PayableAccountIDs
	}
	return ReceivableAccountIDs
}

// ClaimExternalIDs locks external ids until the transaction ends, in order, and returns the ids of the records that
// have them. A record that is being removed with its parent loses its external id. The scope of people and categories
// has no entity.
func (tx *Tx) ClaimExternalIDs(ctx context.Context, k ExternalIDs, s Scope, claimed []string) (map[string]int64,
	error) {
	_, err := db.Exec(ctx, tx.DB, `SELECT pg_advisory_xact_lock(key) FROM (
		SELECT DISTINCT hashtextextended(concat_ws(' ', 'external id', $3::text, $1::bigint, $2::bigint, id), 0) AS key
		FROM unnest($4::text[]) AS id ORDER BY key) AS keys`, s.AccountID, s.EntityID, k.kind, claimed)
	if err != nil {
		return nil, err
	}
	type named struct {
		ID         int64
		ExternalID string
		Hidden     bool
	}
	found, err := db.Many[named](ctx, tx.DB, k.read.SQL, k.read.Args(db.Args{
		"account": s.AccountID, "entity": s.EntityID, "external_ids": claimed,
	})...)
	if err != nil {
		return nil, err
	}
	has, hidden := map[string]int64{}, []int64(nil)
	for _, r := range found {
		if r.Hidden {
			hidden = append(hidden, r.ID)
			continue
		}
		has[r.ExternalID] = r.ID
	}
	if len(hidden) > 0 {
		_, err = db.Exec(ctx, tx.DB, `UPDATE `+k.table+` SET external_id = NULL WHERE account_id = $1 AND id = ANY($2)`,
			s.AccountID, hidden)
	}
	return has, err
}

// ClaimExternalID claims the external id of a record, for InsertX and UpdateX. One that another record has is a
// finance.Invalid.
func (tx *Tx) ClaimExternalID(ctx context.Context, k ExternalIDs, s Scope, id int64, claimed string) error {
	has, err := tx.ClaimExternalIDs(ctx, k, s, []string{claimed})
	if err != nil {
		return err
	}
	if of := has[claimed]; of != 0 && of != id {
		return ExternalIDTaken(of)
	}
	return nil
}

// ExternalIDTaken returns the fault of an external id that a record has; of is 0 if that is not stored yet.
func ExternalIDTaken(of int64) error {
	return &finance.Invalid{Messages: []finance.Message{{
		Attribute: "external_id", Fault: messages.Taken, RecordID: of,
	}}}
}
