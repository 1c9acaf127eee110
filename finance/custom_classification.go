package finance

import (
	"encoding/json"
	"fmt"

	"bordero/internal/messages"
)

// CustomClassification classifies a record, or a part of it, by one value of a custom classifier
// (OpenAPI: CustomClassifications). Amount and Percentage give the size of the part as the client
// sent them. They need not agree with each other or with the record's amount.
type CustomClassification struct {
	ID                   int64 // 0 in input
	CustomClassifierID   int64
	CustomClassifierName string // output only
	ValueID              int64  // id of the value Name
	Name                 string
	Amount               *Amount
	Percentage           *Percentage
}

// CustomClassifications are the classifications of one record, in the order in which the client
// sent them.
type CustomClassifications []CustomClassification

// CenterClassification classifies a part of a record by a cost or revenue center of its entity,
// as CustomClassification does by a value.
type CenterClassification struct {
	ID                     int64 // 0 in input
	ClassificationCenterID int64
	Name                   string // output only
	Amount                 *Amount
	Percentage             *Percentage
}

// CenterClassifications are the center classifications of one record, in the order in which the
// client sent them.
type CenterClassifications []CenterClassification

// maxClassifications bounds the rows per record, because further records may copy them.
const maxClassifications = 100

// Names of the two lists.
const (
	CustomClassificationsName = "custom_classifications"
	CenterClassificationsName = "classification_center_classifications"
)

// validate refuses items without a classifier or value, negative amounts, percentages above 100,
// also summed over one classifier, and more than maxClassifications items.
func (l CustomClassifications) validate(invalid *Invalid) {
	const list = CustomClassificationsName
	validateCount(invalid, list, len(l))
	sums := map[int64]Percentage{}
	for i, c := range l {
		var item Invalid
		if c.CustomClassifierID == 0 {
			item.AddAt("custom_classifier_id", "custom_classifier", messages.Blank)
		}
		validateRequired(&item, "name", c.Name)
		validatePart(&item, c.Amount, c.Percentage)
		_ = invalid.WithinItem(list, i, &item) // it is an Invalid
		if c.Percentage != nil {
			sums[c.CustomClassifierID] += *c.Percentage
			if sums[c.CustomClassifierID] > Hundred {
				invalid.AddAt(list, list+".percentage", messages.PercentagesSum.With(c.CustomClassifierID))
			}
		}
	}
}

// validate applies the rules of CustomClassifications, treating the centers as values of one
// classifier.
func (l CenterClassifications) validate(invalid *Invalid) {
	const list = CenterClassificationsName
	validateCount(invalid, list, len(l))
	var sum Percentage
	for i, c := range l {
		var item Invalid
		if c.ClassificationCenterID == 0 {
			item.AddAt("classification_center_id", "classification_center", messages.Blank)
		}
		validatePart(&item, c.Amount, c.Percentage)
		_ = invalid.WithinItem(list, i, &item) // it is an Invalid
		if c.Percentage != nil {
			sum += *c.Percentage
		}
	}
	if sum > Hundred {
		invalid.AddAt(list, list+".percentage", messages.CentersSum)
	}
}

func validateCount(invalid *Invalid, list string, count int) {
	if count > maxClassifications {
		invalid.Add(list, messages.TooManyItems.With(maxClassifications))
	}
}

func validatePart(item *Invalid, amount *Amount, percentage *Percentage) {
	if OrZero(amount) < 0 {
		item.Add("amount", messages.Negative)
	}
	if percentage != nil && (*percentage < 0 || *percentage > Hundred) {
		item.Add("percentage", messages.NotPercentage)
	}
}

// Scan implements sql.Scanner for a JSON list of classifications.
func (l *CustomClassifications) Scan(src any) error { return scanJSON(src, l) }

// Scan implements sql.Scanner for a JSON list of classifications.
func (l *CenterClassifications) Scan(src any) error { return scanJSON(src, l) }

// scanJSON decodes JSON that a statement has aggregated from other rows.
func scanJSON(src, list any) error {
	text, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("%T from %T", list, src)
	}
	return json.Unmarshal(text, list)
}
