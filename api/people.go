package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var people = resource[finance.Person]{
	root: "person", plural: "people",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Person],
		error) {
		return q.People(ctx, c.access.AccountID, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Person, error) {
		return q.Person(ctx, c.access.AccountID, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Person, error) {
		return tx.LockPerson(ctx, c.access.AccountID, id)
	},
	newRecord: func(c *call) *finance.Person {
		return &finance.Person{AccountID: c.access.AccountID, CreatorID: &c.userID, Customer: true, Supplier: true}
	},
	assign:   assignPerson,
	validate: (*finance.Person).Validate,
	identity: func(_ *call, p *finance.Person) identity {
		return identity{storage.PersonIDs, storage.Scope{AccountID: p.AccountID}, p.ID, p.ExternalID}
	},
	insert:   (*storage.Tx).InsertPeople,
	update:   (*storage.Tx).UpdatePerson,
	remove:   (*storage.Tx).RemovePerson,
	referred: func(p *finance.Person) (string, []int64) { return "person_id", []int64{p.ID} },
	events: func(_ *call, p *finance.Person, action finance.Action) []finance.Event {
		return []finance.Event{{Family: finance.PeopleFamily, Action: action, AccountID: p.AccountID, IDs: []int64{
			p.ID}}}
	},
	show: showPerson,
	path: func(_ *call, p *finance.Person) string { return paths.Person(p.ID) },
}

func assignPerson(in *wire.Input, p *finance.Person) {
	assignExternalID(in, &p.ExternalID)
	in.String("name", &p.Name)
	in.Synonym("type", "person_type") // the name that some clients use
	in.StringPtr("type", &p.PersonType)
	in.StringPtr("person_type", &p.PersonType)
	in.BoolOr("customer", &p.Customer, !in.Changes)
	in.BoolOr("supplier", &p.Supplier, !in.Changes)
	in.StringPtr("federation_subscription_number", &p.FederationSubscriptionNumber)
	in.StringPtr("email", &p.Email)
	in.StringPtr("phone", &p.Phone)
	in.StringPtr("site", &p.Site)
	in.StringPtr("address", &p.Address)
	in.StringPtr("address_number", &p.AddressNumber)
	in.StringPtr("complement", &p.Complement)
	in.StringPtr("neighborhood", &p.Neighborhood)
	in.StringPtr("city", &p.City)
	in.StringPtr("state", &p.State)
	in.StringPtr("zip_code", &p.ZipCode)
	in.StringPtr("country", &p.Country)
	in.StringPtr("febraban_name", &p.FebrabanName)
	in.StringPtr("febraban_favored_code", &p.FebrabanFavoredCode)
	in.StringPtr("note", &p.Note)
	in.Bool("force_destroy", &p.ForceDestroy)
}

func showPerson(_ *call, w *wire.Writer, p *finance.Person) {
	w.Int("id", p.ID)
	w.StringPtr("external_id", p.ExternalID)
	w.Int("account_id", p.AccountID)
	w.String("name", p.Name)
	w.StringPtr("person_type", p.PersonType)
	w.Bool("customer", p.Customer)
	w.Bool("supplier", p.Supplier)
	w.StringPtr("federation_subscription_number", p.FederationSubscriptionNumber)
	w.StringPtr("federation_subscription_number_only_numbers", p.FederationSubscriptionCode)
	w.IntPtr("federation_subscription_type_id", nil)
	w.StringPtr("email", p.Email)
	w.StringPtr("phone", p.Phone)
	w.StringPtr("site", p.Site)
	w.StringPtr("address", p.Address)
	w.StringPtr("address_number", p.AddressNumber)
	w.StringPtr("complement", p.Complement)
	w.StringPtr("neighborhood", p.Neighborhood)
	w.StringPtr("city", p.City)
	w.StringPtr("state", p.State)
	w.StringPtr("zip_code", p.ZipCode)
	w.StringPtr("country", p.Country)
	w.StringPtr("febraban_name", p.FebrabanName)
	w.StringPtr("febraban_favored_code", p.FebrabanFavoredCode)
	w.StringPtr("note", p.Note)
	w.Bool("force_destroy", p.ForceDestroy)
	showInterestedUsers(w, p.CreatorID)
	w.Int("use_count", p.UseCount)
	showSource(w)
	w.Time("created_at", p.CreatedAt)
	w.Time("updated_at", p.UpdatedAt)
}

// showInterestedUsers writes the users interested in a record: its creator.
func showInterestedUsers(w *wire.Writer, creator *int64) {
	var ids []int64
	if creator != nil {
		ids = append(ids, *creator)
	}
	w.IntArray("interested_users_ids", "interested_users_id", ids)
}

// showSource writes the fields of imported records. No record has them yet.
func showSource(w *wire.Writer) {
	w.Null("guid")
	w.IntPtr("excel_import_id", nil)
	w.Bool("imported_from_sync", false)
	w.Bool("modified_by_sync", false)
}

var personFields = openapi.Fields{
	"name": {Doc: "Its name.", Example: "Moinho Santa Clara S.A."},
	"type": {Alias: true},
	"person_type": {Doc: "A natural or a juridical person.", In: "Also read as `type`.",
		Enum: openapi.Enum{Name: "PersonType", Values: finance.PersonTypes}},
	"customer":                       {Doc: "Whether the account sells to this person."},
	"supplier":                       {Doc: "Whether the account buys from this person."},
	"federation_subscription_number": {Doc: "CPF, CNPJ or another tax number, as typed.", In: "Not checked."},
	"federation_subscription_number_only_numbers": {
		Doc: "The digits of the tax number, and its letters in upper case."},
	"federation_subscription_type_id": {Doc: alwaysNull},
	"email":                           {Doc: "Its e-mail address."},
	"phone":                           {Doc: "Its telephone number."},
	"site":                            {Doc: "Its web site."},
	"address":                         {Doc: "Its street."},
	"address_number":                  {Doc: "The number in the street."},
	"complement":                      {Doc: "The rest of the address, such as a floor."},
	"neighborhood":                    {Doc: "Its neighborhood."},
	"city":                            {Doc: "Its city."},
	"state":                           {Doc: "Its state."},
	"zip_code":                        {Doc: "Its postal code."},
	"country":                         {Doc: "Its country."},
	"febraban_name":                   {Doc: "Its name in files of banks."},
	"febraban_favored_code":           {Doc: "Its code in files of banks."},
}
