package finance

import (
	"time"

	"bordero/internal/messages"
)

// ClassificationCenter is a cost or revenue center. It belongs to one entity permanently, because
// that entity's records refer to it.
type ClassificationCenter struct {
	ID            int64
	AccountID     int64
	EntityID      int64
	ExternalID    *string
	Name          string
	CostCenter    bool
	RevenueCenter bool
	UseCount      int64 // records that refer to it, counted by the scheduler
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Validate refuses a center without an entity or a name.
func (z *ClassificationCenter) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", z.ExternalID)
	if z.EntityID == 0 {
		invalid.Add("entity", messages.Blank)
	}
	validateName(&invalid, z.Name)
	return invalid.Err()
}
