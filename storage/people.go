package storage

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/finance/taxid"
	"bordero/internal/db"
	"bordero/internal/messages"
)

const personColumns = `id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code,
	email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name,
	febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at`

var personFilters = map[string]filter{
	"name_equals": {"name = ?", text},
	"federation_subscription_number_equals": {"federation_subscription_code = ?",
		func(s string) (any, error) { return taxid.Compact(s), nil }},
	"person_type_in": {"person_type = ANY(?)", personTypes},
	"updated_at_gte": changedSince,
}

// personTypes parses a comma-separated list of types.
func personTypes(s string) (any, error) {
	types := strings.Split(s, ",")
	for _, t := range types {
		if !slices.Contains(finance.PersonTypes, t) {
			return nil, errors.New(messages.NotInList)
		}
	}
	return types, nil
}

// People lists the people of the account, by name without regard to case and accents.
func (q Queries) People(ctx context.Context, account int64, l List) (Listed[finance.Person], error) {
	return list[finance.Person](ctx, q.DB, l, personFilters, personColumns,
		`people WHERE account_id = $1 AND deleted_at IS NULL`, "fold(name), id", account)
}

// Person reads one person of the account.
func (q Queries) Person(ctx context.Context, account, id int64) (*finance.Person, error) {
	p, err := db.One[finance.Person](ctx, q.DB, `SELECT `+personColumns+`
		FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, account, id)
	return &p, err
}

// LockPerson reads one person of the account and locks it FOR NO KEY UPDATE, to change it.
func (tx *Tx) LockPerson(ctx context.Context, account, id int64) (*finance.Person, error) {
	p, err := db.One[finance.Person](ctx, tx.DB, `SELECT `+personColumns+`
		FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`, account, id)
	return &p, err
}

// SharePerson locks a person of the account FOR KEY SHARE until the transaction ends, so that
// it is not deleted before a record refers to it.
func (tx *Tx) SharePerson(ctx context.Context, account, id int64) error {
	_, err := db.One[int64](ctx, tx.DB, `SELECT id FROM people WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE`, account, id)
	return err
}

// InsertPerson stores a new person and fills in the columns that the database sets.
func (tx *Tx) InsertPerson(ctx context.Context, p *finance.Person) (err error) {
	*p, err = db.One[finance.Person](ctx, tx.DB, `
		INSERT INTO people (account_id, creator_id, name, person_type, customer, supplier, federation_subscription_number,
			federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code,
			country, febraban_name, febraban_favored_code, note, force_destroy)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		RETURNING `+personColumns, append([]any{p.AccountID, p.CreatorID}, personValues(p)...)...)
	return err
}

// UpdatePerson stores the changes of a person.
func (tx *Tx) UpdatePerson(ctx context.Context, p *finance.Person) (err error) {
	*p, err = db.One[finance.Person](ctx, tx.DB, `
		UPDATE people
		SET name = $3, person_type = $4, customer = $5, supplier = $6, federation_subscription_number = $7,
			federation_subscription_code = $8, email = $9, phone = $10, site = $11, address = $12, address_number = $13,
			complement = $14, neighborhood = $15, city = $16, state = $17, zip_code = $18, country = $19, febraban_name = $20,
			febraban_favored_code = $21, note = $22, force_destroy = $23, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING `+personColumns, append([]any{p.AccountID, p.ID}, personValues(p)...)...)
	return err
}

// personValues are the parameters from $3 on of both statements.
func personValues(p *finance.Person) []any {
	return []any{p.Name, p.PersonType, p.Customer, p.Supplier, p.FederationSubscriptionNumber,
		compactNumber(p.FederationSubscriptionNumber), p.Email, p.Phone, p.Site, p.Address, p.AddressNumber, p.Complement, p.Neighborhood,
		p.City, p.State, p.ZipCode, p.Country, p.FebrabanName, p.FebrabanFavoredCode, p.Note, p.ForceDestroy}
}

// RemovePerson hides a person and enqueues its removal.
func (tx *Tx) RemovePerson(ctx context.Context, p *finance.Person) error {
	return tx.hide(ctx, "people", p.AccountID, p.ID)
}
