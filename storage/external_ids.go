package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// Identities are what other systems know the records of one kind by: their external ids. An identity is unique among
// the records of the kind in their entity; of people and categories, in the account.
type Identities struct {
	kind, table string
	read        db.Statement
	taken       finance.Message // of an identity that another record has
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
	TransactionIDs       = childExternalIDs("financial_transactions", "deposit_account", ` AND `+ImportStays("r"))
	CardTransactionIDs   = childExternalIDs("credit_card_transactions", "credit_card", "")
)

// externalIDs returns the external ids of a kind. records selects the records of the account with the alias r, and
// visible is the condition for those that are not being deleted.
func externalIDs(kind, table, records, visible string) Identities {
	return Identities{kind: kind, table: table, read: db.Named("external_ids."+kind, `
		SELECT r.id, r.external_id AS identity, NOT (`+visible+`) AS hidden
		FROM `+records+` AND r.external_id = ANY(@identities) ORDER BY r.id`),
		taken: finance.Message{Attribute: "external_id", Fault: messages.Taken}}
}

func accountExternalIDs(table string) Identities {
	return externalIDs(table, table, table+` r WHERE r.account_id = @account AND @entity::bigint = 0
			AND r.deleted_at IS NULL`, `r.deleted_at IS NULL`)
}

func entityExternalIDs(table, visible string) Identities {
	return externalIDs(table, table, table+` r WHERE r.account_id = @account AND r.entity_id = @entity`, visible)
}

func financialAccountExternalIDs(kind finance.AccountKind) Identities {
	return externalIDs(string(kind)+"_accounts", "financial_accounts", `financial_accounts r
		WHERE r.account_id = @account AND r.entity_id = @entity AND r.kind = '`+string(kind)+`'`,
		OwnerVisible("financial_accounts", "r"))
}

// childExternalIDs returns the external ids of records whose parents have the entity. stays is a further
// condition, which records that are not being deleted meet.
func childExternalIDs(table, parent, stays string) Identities {
	return externalIDs(table, table, table+` r
		JOIN `+parent+`s p ON p.account_id = r.account_id AND p.id = r.`+parent+`_id
		WHERE r.account_id = @account AND p.entity_id = @entity`, OwnerVisible(table, "r")+stays)
}

// ExternalIDsOf returns the external ids of the accounts of a kind.
func ExternalIDsOf(kind finance.AccountKind) Identities {
	if kind == finance.Payable {
		return PayableAccountIDs
	}
	return ReceivableAccountIDs
}

// HoldIdentities locks identities until the transaction ends, in order, for a transaction that claims them later, some
// at a time.
func (tx *Tx) HoldIdentities(ctx context.Context, k Identities, s Scope, claimed []string) error {
	_, err := db.Exec(ctx, tx.DB, `SELECT pg_advisory_xact_lock(key) FROM (
		SELECT DISTINCT hashtextextended(concat_ws(' ', 'external id', $3::text, $1::bigint, $2::bigint, id), 0) AS key
		FROM unnest($4::text[]) AS id ORDER BY key) AS keys`, s.AccountID, s.EntityID, k.kind, claimed)
	return err
}

// ClaimIdentities locks identities as HoldIdentities does, and returns the ids of the records that have them. A
// record that is being removed with its parent, or with the statement that brought it, loses its external id. The scope
// of people and categories has no entity.
func (tx *Tx) ClaimIdentities(ctx context.Context, k Identities, s Scope, claimed []string) (map[string]int64,
	error) {
	if err := tx.HoldIdentities(ctx, k, s, claimed); err != nil {
		return nil, err
	}
	type identified struct {
		ID       int64
		Identity string
		Hidden   bool
	}
	found, err := db.ManyNamed[identified](ctx, tx.DB, k.read, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "identities": claimed,
	})
	if err != nil {
		return nil, err
	}
	has, hidden := map[string]int64{}, []int64(nil)
	for _, r := range found {
		if r.Hidden {
			hidden = append(hidden, r.ID)
			continue
		}
		has[r.Identity] = r.ID
	}
	if len(hidden) > 0 {
		_, err = db.Exec(ctx, tx.DB, `UPDATE `+k.table+` SET external_id = NULL WHERE account_id = $1 AND id = ANY($2)`,
			s.AccountID, hidden)
	}
	return has, err
}

// ClaimIdentity claims the identity of a record, for InsertX and UpdateX. One that another record has is a
// finance.Invalid.
func (tx *Tx) ClaimIdentity(ctx context.Context, k Identities, s Scope, id int64, claimed string) error {
	has, err := tx.ClaimIdentities(ctx, k, s, []string{claimed})
	if err != nil {
		return err
	}
	if of := has[claimed]; of != 0 && of != id {
		return k.Taken(of)
	}
	return nil
}

// Taken returns the fault of an identity that a record has; of is 0 if that is not stored yet.
func (k Identities) Taken(of int64) error {
	taken := k.taken
	taken.RecordID = of
	return &finance.Invalid{Messages: []finance.Message{taken}}
}
