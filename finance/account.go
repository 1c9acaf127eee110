package finance

import "time"

// Account is the tenant (OpenAPI: Account). What nothing sets yet is not kept.
type Account struct {
	ID                int64
	Name              string
	UUID              string
	PlanSlug          string
	DefaultCurrencyID int64
	CreatedAt         time.Time
	UpdatedAt         time.Time
}
