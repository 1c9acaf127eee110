package storage

import (
	"context"

	"bordero/internal/db"

	"github.com/lib/pq"
)

// NamedIDs has ids of records whose names a table shows beside them, by the kind of the record: category,
// person, classification_center or deposit_account.
type NamedIDs map[string][]int64

// RecordName is the name of a record.
type RecordName struct {
	Kind string
	ID   int64
	Name string
}

var readNames = db.Named("names.read", `
	SELECT 'category' AS kind, id, name FROM categories
		WHERE account_id = @account AND id = ANY(@categories) AND deleted_at IS NULL
	UNION ALL
	SELECT 'person', id, name FROM people WHERE account_id = @account AND id = ANY(@people)
	UNION ALL
	SELECT 'classification_center', id, name FROM classification_centers
		WHERE account_id = @account AND id = ANY(@centers)
	UNION ALL
	SELECT 'deposit_account', id, name FROM deposit_accounts
		WHERE account_id = @account AND id = ANY(@deposit_accounts)`)

// Names reads the names of records of the account in one statement. An id that the account does not have
// has no name, nor has a hidden category: filters and totals count its records as without one.
func (q Queries) Names(ctx context.Context, account int64, ids NamedIDs) ([]RecordName, error) {
	return db.ManyNamed[RecordName](ctx, q.DB, readNames, db.Args{
		"account": account, "categories": pq.Int64Array(ids["category"]), "people": pq.Int64Array(ids["person"]),
		"centers":          pq.Int64Array(ids["classification_center"]),
		"deposit_accounts": pq.Int64Array(ids["deposit_account"]),
	})
}
