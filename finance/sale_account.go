package finance

import (
	"slices"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Providers are the acquirers, and other places, that a sale account can be with.
var Providers = []string{
	"bank_account", "cash_register", "cielo", "elavon", "getnet", "pagseguro", "redecard", "safrapay", "stone", "ticket", "vero", "other",
}

// SaleAccount is an account that an entity, which it never leaves, has with an
// acquirer. What its sales bring goes to
// receivable accounts: one for all sales of a day when it consolidates, else one
// for each. They take over its references, classifications and expected deposit
// account.
type SaleAccount struct {
	ID        int64
	AccountID int64
	EntityID  int64
	References

	Name                     string
	Provider                 string
	Description              *string
	PaymentMethods           string // those that are enabled, with commas between them
	Consolidate              bool
	ExpectedDepositAccountID *int64
	CustomClassifications    CustomClassifications
	CenterClassifications    CenterClassifications
	CreatedAt                time.Time
	UpdatedAt                time.Time
}

// Takes tells whether the method is enabled.
func (a *SaleAccount) Takes(method string) bool {
	return slices.Contains(strings.Split(a.PaymentMethods, ","), method)
}

// Validate refuses an account without entity or name, of a provider that there is
// not, and methods that there are not, or none. A method that comes twice is kept
// once. Those that sales and rules have already may be taken away: it is about
// later ones.
func (a *SaleAccount) Validate() error {
	var invalid Invalid
	if a.EntityID == 0 {
		invalid.Add("entity", messages.Blank)
	}
	validateName(&invalid, a.Name)
	if !slices.Contains(Providers, a.Provider) {
		invalid.Add("provider", messages.NotInList)
	}
	a.validateMethods(&invalid)
	validateText(&invalid, "description", a.Description)
	a.CustomClassifications.validate(&invalid)
	a.CenterClassifications.validate(&invalid)
	return invalid.Err()
}

// Keeps refuses another entity than the one before: sales and receivable accounts
// are of it.
func (a *SaleAccount) Keeps(before SaleAccount) error {
	if before.ID != 0 && a.EntityID != before.EntityID {
		return Refuse("entity", messages.Unchangeable)
	}
	return nil
}

func (a *SaleAccount) validateMethods(invalid *Invalid) {
	var methods []string
	for method := range strings.SplitSeq(a.PaymentMethods, ",") {
		switch method = strings.TrimSpace(method); {
		case method == "" || slices.Contains(methods, method):
		case !slices.Contains(PaymentMethods, method):
			invalid.Add("payment_methods", messages.NotInList)
		default:
			methods = append(methods, method)
		}
	}
	if a.PaymentMethods = strings.Join(methods, ","); len(methods) == 0 && !invalid.Has("payment_methods", len(invalid.Messages)) {
		invalid.Add("payment_methods", messages.Blank)
	}
}
