package finance

// References are the records that a financial record is sorted by.
type References struct {
	CategoryID             *int64
	CategoryFullName       *string // names the category instead of CategoryID; input only
	PersonID               *int64
	ClassificationCenterID *int64 // of the entity of the record
}

// SameID tells whether both name the same record, or none.
func SameID(a, b *int64) bool {
	return a == b || a != nil && b != nil && *a == *b
}
