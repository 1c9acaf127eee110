package finance

import (
	"slices"
	"time"

	"bordero/internal/messages"
)

// Types of people.
const (
	NaturalPerson   = "NaturalPerson"
	JuridicalPerson = "JuridicalPerson"
)

// PersonTypes lists all types of people.
var PersonTypes = []string{NaturalPerson, JuridicalPerson}

// Person is a customer or supplier of an account. Its tax number is stored as sent and not
// checked: suppliers abroad have other numbers than CPF and CNPJ.
type Person struct {
	ID                           int64
	AccountID                    int64
	ExternalID                   *string
	Name                         string
	PersonType                   *string
	Customer                     bool
	Supplier                     bool
	FederationSubscriptionNumber *string
	FederationSubscriptionCode   *string // its letters and digits; read only
	Email                        *string
	Phone                        *string
	Site                         *string
	Address                      *string
	AddressNumber                *string
	Complement                   *string
	Neighborhood                 *string
	City                         *string
	State                        *string
	ZipCode                      *string
	Country                      *string
	FebrabanName                 *string
	FebrabanFavoredCode          *string
	Note                         *string
	ForceDestroy                 bool
	CreatorID                    *int64
	UseCount                     int64 // records that refer to it, counted by the scheduler
	CreatedAt                    time.Time
	UpdatedAt                    time.Time
}

// Validate refuses a person without a name, an unknown type and texts that are too long.
func (p *Person) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", p.ExternalID)
	validateName(&invalid, p.Name)
	if p.PersonType != nil && !slices.Contains(PersonTypes, *p.PersonType) {
		invalid.Add("person_type", messages.NotOneOf(PersonTypes))
	}
	for _, t := range []struct {
		attribute string
		text      *string
	}{
		{"federation_subscription_number", p.FederationSubscriptionNumber},
		{"email", p.Email}, {"phone", p.Phone}, {"site", p.Site},
		{"address", p.Address}, {"address_number", p.AddressNumber}, {"complement", p.Complement},
		{"neighborhood", p.Neighborhood},
		{"city", p.City}, {"state", p.State}, {"zip_code", p.ZipCode}, {"country", p.Country},
		{"febraban_name", p.FebrabanName}, {"febraban_favored_code", p.FebrabanFavoredCode},
	} {
		validateText(&invalid, t.attribute, t.text)
	}
	validateNote(&invalid, "note", p.Note)
	return invalid.Err()
}
