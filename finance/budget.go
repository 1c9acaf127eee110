package finance

import (
	"time"

	"bordero/internal/messages"
)

// Budget is the amount that an entity plans for a category in a month. An entity has one of each month, category and
// center; without a center it is the whole category's.
type Budget struct {
	ID                     int64
	AccountID              int64
	EntityID               int64
	Month                  Month
	CategoryID             *int64 // nil is refused
	ClassificationCenterID *int64
	Amount                 *Amount // without sign, of expenses too; nil is refused
	CreatedAt              time.Time
	UpdatedAt              time.Time
}

// Planned is the amount that an entity plans for a category in a month, with the sign of an income statement: negative
// for a category that is of expenses alone.
type Planned struct {
	EntityID   int64
	CategoryID int64
	Month      Month
	Amount     Sum
}

// Validate refuses a budget without a month, a category or an amount, and a negative amount.
func (b *Budget) Validate() error {
	var invalid Invalid
	if b.Month.IsZero() {
		invalid.Add("month", messages.Blank)
	}
	if b.CategoryID == nil {
		invalid.Add("category", messages.Blank)
	}
	switch {
	case b.Amount == nil:
		invalid.Add("amount", messages.Blank)
	case *b.Amount < 0:
		invalid.Add("amount", messages.Negative)
	}
	return invalid.Err()
}
