package finance

import (
	"time"

	"bordero/internal/messages"
)

// Account is the tenant (OpenAPI: Account). OpenAPI fields that nothing sets yet are not stored.
type Account struct {
	ID                int64
	Name              string
	UUID              string
	PlanSlug          string
	DefaultCurrencyID int64
	Sandbox           bool // it may be reset; fixed when the account is created
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// Resettable refuses a reset of an account that is no sandbox, or that is not called name.
func (a *Account) Resettable(name string) error {
	switch {
	case !a.Sandbox:
		return Refuse(Base, messages.NotSandbox)
	case a.Name != name:
		return Refuse("name", messages.NotAccountName.With(a.Name))
	}
	return nil
}
