package finance

// References are the category, person and center by which a financial record is classified.
type References struct {
	CategoryID             *int64
	CategoryFullName       *string // alternative to CategoryID; input only
	PersonID               *int64
	ClassificationCenterID *int64 // of the entity of the record
}

// SameID reports whether both ids are nil or equal.
func SameID(a, b *int64) bool {
	return a == b || a != nil && b != nil && *a == *b
}
