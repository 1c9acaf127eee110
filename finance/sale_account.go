package finance

import (
	"slices"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Providers lists the acquirers, and other places, of sale accounts.
var Providers = []string{
	"bank_account", "cash_register", "cielo", "elavon", "getnet", "pagseguro", "redecard", "safrapay", "stone",
	"ticket", "vero", "other",
}

// SaleAccount is a contract of an entity with an acquirer; the entity never changes. Its sales go
// to receivable accounts: one per day if Consolidate is set, else one per sale. Receivable
// accounts copy its references, classifications and expected deposit account.
type SaleAccount struct {
	ID        int64
	AccountID int64
	EntityID  int64
	References

	Name                     string
	Provider                 string
	Description              *string
	PaymentMethods           string // the enabled methods, separated by commas
	Consolidate              bool
	ExpectedDepositAccountID *int64
	CustomClassifications    CustomClassifications
	CenterClassifications    CenterClassifications
	CreatedAt                time.Time
	UpdatedAt                time.Time
}

// AcceptsMethod reports whether the method is enabled.
func (a *SaleAccount) AcceptsMethod(method string) bool {
	return slices.Contains(strings.Split(a.PaymentMethods, ","), method)
}

// Validate refuses an account without an entity or name, an unknown provider, and unknown or
// missing payment methods. It removes duplicate methods. A method of existing sales and rules may
// be disabled; that affects only later ones.
func (a *SaleAccount) Validate() error {
	var invalid Invalid
	if a.EntityID == 0 {
		invalid.Add("entity", messages.Blank)
	}
	validateName(&invalid, a.Name)
	if !slices.Contains(Providers, a.Provider) {
		invalid.Add("provider", messages.NotOneOf(Providers))
	}
	a.validateMethods(&invalid)
	validateText(&invalid, "description", a.Description)
	a.CustomClassifications.validate(&invalid)
	a.CenterClassifications.validate(&invalid)
	return invalid.Err()
}

// ValidateChange refuses a change of the entity: sales and receivable accounts belong to it.
func (a *SaleAccount) ValidateChange(before SaleAccount) error {
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
			invalid.Add("payment_methods", messages.NotOneOf(PaymentMethods))
		default:
			methods = append(methods, method)
		}
	}
	if a.PaymentMethods = strings.Join(methods, ","); len(methods) == 0 &&
		!invalid.Has("payment_methods", len(invalid.Messages)) {
		invalid.Add("payment_methods", messages.Blank)
	}
}
