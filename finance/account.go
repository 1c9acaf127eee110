package finance

import "time"

// Account is the tenant (OpenAPI: Account). OpenAPI fields that nothing sets yet are not stored.
type Account struct {
	ID                int64
	Name              string
	UUID              string
	PlanSlug          string
	DefaultCurrencyID int64
	CreatedAt         time.Time
	UpdatedAt         time.Time
}
