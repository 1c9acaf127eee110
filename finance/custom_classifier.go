package finance

import "time"

// CustomClassifier is something that an account sorts its records by (OpenAPI:
// CustomClassifier).
type CustomClassifier struct {
	ID        int64
	AccountID int64
	Name      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Validate refuses a classifier without a name.
func (k *CustomClassifier) Validate() error {
	var invalid Invalid
	validateName(&invalid, k.Name)
	return invalid.Err()
}

// CustomClassifierValue is one value of a classifier. Records name it by its
// text (OpenAPI: CustomClassifications).
type CustomClassifierValue struct {
	ID                 int64
	AccountID          int64
	CustomClassifierID int64
	Value              string
	CreatedAt          time.Time
	UpdatedAt          time.Time
}

// Validate refuses a value without text.
func (v *CustomClassifierValue) Validate() error {
	var invalid Invalid
	validateRequired(&invalid, "value", v.Value)
	return invalid.Err()
}
