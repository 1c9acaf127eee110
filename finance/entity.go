package finance

import (
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance/taxid"
	"bordero/internal/messages"
)

// Entity is a legal or natural person of an account (OpenAPI: Entity).
type Entity struct {
	ID                           int64
	AccountID                    int64
	Name                         string
	FederationSubscriptionNumber *string // CPF or CNPJ, as the client sent it
	ForceDestroy                 bool
	LateCharges                  // of suggestions
	CreatedAt                    time.Time
	UpdatedAt                    time.Time
	DeletedAt                    *time.Time // when its deletion was requested
}

// NewEntity returns an entity of an account with the defaults.
func NewEntity(account int64, name string) Entity {
	return Entity{AccountID: account, Name: name, LateCharges: DefaultLateCharges}
}

// Validate refuses an entity without a name, with a CPF or CNPJ that fails its check digits, or
// with percentages below 0 or above 100.
func (e *Entity) Validate() error {
	var invalid Invalid
	validateName(&invalid, e.Name)
	if n := e.FederationSubscriptionNumber; n != nil && !taxid.Valid(*n) {
		invalid.Add("federation_subscription_number", messages.NotTaxID)
	}
	e.LateCharges.validate(&invalid)
	return invalid.Err()
}

// Writable refuses writes to records of an entity that is being deleted.
func (e *Entity) Writable() error {
	if e.DeletedAt != nil {
		return Refuse(Base, messages.EntityGoing)
	}
	return nil
}

// EntityContents counts the records that prevent the deletion of an entity.
type EntityContents struct {
	Last                  bool // it is the account's only entity
	DepositAccounts       bool
	FinancialAccounts     bool // payable or receivable
	ClassificationCenters bool
}

// Removable refuses the deletion of an account's last entity, and of an entity with contents that
// must be deleted first. With force_destroy the caller skips this check.
func (c EntityContents) Removable() error {
	var invalid Invalid
	for _, r := range []struct {
		is    bool
		fault *messages.Fault
	}{
		{c.Last, messages.OnlyEntity},
		{c.Last, messages.EntityStays},
		{c.DepositAccounts, messages.HasAccounts},
		{c.FinancialAccounts, messages.HasFinancials},
		{c.ClassificationCenters, messages.HasCenters},
	} {
		if r.is {
			invalid.Add(Base, r.fault)
		}
	}
	return invalid.Err()
}

// maxText is the maximum length, in characters, of a name or another text of one line.
const maxText = 255

// validateName refuses a blank or overlong name.
func validateName(invalid *Invalid, name string) { validateRequired(invalid, "name", name) }

// validateRequired refuses a blank or overlong text of one line.
func validateRequired(invalid *Invalid, attribute, text string) {
	if strings.TrimSpace(text) == "" {
		invalid.Add(attribute, messages.Blank)
	}
	validateText(invalid, attribute, &text)
}

// validateText refuses an overlong text of one line.
func validateText(invalid *Invalid, attribute string, text *string) {
	validateLength(invalid, attribute, text, maxText)
}

// maxNote is the maximum length, in characters, of a text of several lines: lists answer 500 of them.
const maxNote = 10_000

// validateNote refuses an overlong text of several lines.
func validateNote(invalid *Invalid, attribute string, text *string) {
	validateLength(invalid, attribute, text, maxNote)
}

func validateLength(invalid *Invalid, attribute string, text *string, most int) {
	if text != nil && utf8.RuneCountInString(*text) > most {
		invalid.Add(attribute, messages.TooLong.With(most))
	}
}
