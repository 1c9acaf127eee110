package storage

import (
	"context"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

// personWritable are the columns that a client's document sets.
var personWritable = db.ColumnsOf[finance.Person](
	`external_id, name, person_type, customer, supplier, federation_subscription_number,
	federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state,` +
		` zip_code, country,
	febraban_name, febraban_favored_code, note, force_destroy`)

var personColumns = `id, account_id, ` + personWritable.List("") + `, creator_id, use_count, created_at, updated_at`

// personNamed is the condition for people of a name. Its first part is what the index people_list has.
const personNamed = "fold(name) = fold(?) AND name = ?"

var personFilters = list.Table("Person", map[string]list.Filter{
	"name_equals": list.Where(personNamed, list.Text, "Exact name."),
	"federation_subscription_number_equals": list.Where(
		"federation_subscription_code = ?", taxNumber, "Exact CPF or CNPJ, formatted or not."),
	"person_type_in": list.Where("person_type = ANY(?)", personTypes,
		"Types, with commas between them or as search[person_type_in][]: NaturalPerson, JuridicalPerson."),
	"external_id_equals": list.ExternalID(""),
	"updated_at_gte":     list.ChangedSince(""),
})

// personTypes are types with commas between them.
var personTypes = list.Type{Name: "string", List: true, Parse: func(s string) (any, error) {
	types := strings.Split(s, ",")
	for _, t := range types {
		if !slices.Contains(finance.PersonTypes, t) {
			return nil, messages.NotOneOf(finance.PersonTypes)
		}
	}
	return types, nil
}}

// People lists the people of the account, by name without regard to case and accents.
func (q Queries) People(ctx context.Context, account int64, l list.Query) (list.Page[finance.Person], error) {
	return list.Read[finance.Person](ctx, q.DB, l, personFilters, personColumns,
		`people WHERE account_id = @account AND deleted_at IS NULL`, list.By("id", list.TextKey("fold(name)")),
		db.Args{"account": account})
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

var (
	insertPeople = db.Named("people.insert",
		`INSERT INTO people (account_id, creator_id, `+personWritable.List("")+`)
		SELECT @account, @creator, `+personWritable.List("n.")+`
		FROM json_populate_recordset(NULL::people, @people) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING `+personColumns)
	updatePerson = db.Named("people.update", `UPDATE people SET `+personWritable.Assignments()+`, updated_at = now()
		WHERE account_id = @account AND id = @id RETURNING `+personColumns)
)

// InsertPeople stores new people of one account and creator, and fills in the columns that the database sets.
func (tx *Tx) InsertPeople(ctx context.Context, people []*finance.Person) error {
	all := dereferenced(people)
	for i, p := range people {
		all[i].FederationSubscriptionCode = compactNumber(p.FederationSubscriptionNumber)
	}
	rows, err := personWritable.JSON(all)
	if err != nil {
		return err
	}
	stored, err := db.ManyNamed[finance.Person](ctx, tx.DB, insertPeople, db.Args{
		"account": people[0].AccountID, "creator": people[0].CreatorID, "people": string(rows),
	})
	for i := range stored {
		*people[i] = stored[i]
	}
	return err
}

// UpdatePerson stores the changes of a locked person. A change of the name or number
// enqueues the jobs that follow from it.
func (tx *Tx) UpdatePerson(ctx context.Context, p *finance.Person) error {
	p.FederationSubscriptionCode = compactNumber(p.FederationSubscriptionNumber)
	before, err := tx.Person(ctx, p.AccountID, p.ID)
	if err != nil {
		return err
	}
	*p, err = db.OneNamed[finance.Person](ctx, tx.DB, updatePerson, personWritable.Args(p), db.Args{
		"account": p.AccountID, "id": p.ID,
	})
	if err != nil || p.Name == before.Name && finance.OrZero(p.FederationSubscriptionCode) == finance.OrZero(
		before.FederationSubscriptionCode) {
		return err
	}
	return following.person(ctx, tx, p.AccountID, p.ID)
}

// RemovePerson hides a person and enqueues its removal.
func (tx *Tx) RemovePerson(ctx context.Context, p *finance.Person) error {
	return tx.Hide(ctx, "people", p.AccountID, p.ID)
}
