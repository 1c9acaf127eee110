package finance

import "time"

// CustomClassifier is a dimension by which an account classifies its records (OpenAPI:
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

// CustomClassifierValue is one value of a classifier. Records refer to it by its text (OpenAPI:
// CustomClassifications).
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
