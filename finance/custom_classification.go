package finance

import (
	"encoding/json"
	"fmt"

	"bordero/internal/messages"
)

// CustomClassification sorts a record, or a part of it, by one value of a custom
// classifier (OpenAPI: CustomClassifications). Amount and percentage say how
// large the part is, as they were sent: neither follows from the other, nor has to
// agree with the record's amount.
type CustomClassification struct {
	ID                   int64 // 0 for one that was sent
	CustomClassifierID   int64
	CustomClassifierName string // output only
	ValueID              int64  // of the value called Name
	Name                 string
	Amount               *Amount
	Percentage           *Percentage
}

// CustomClassifications are those of one record, in the order in which they were
// sent.
type CustomClassifications []CustomClassification

// CenterClassification sorts a part of a record by a cost or revenue center of its
// entity, as CustomClassification does by a value.
type CenterClassification struct {
	ID                     int64 // 0 for one that was sent
	ClassificationCenterID int64
	Name                   string // output only
	Amount                 *Amount
	Percentage             *Percentage
}

// CenterClassifications are those of one record, in the order in which they were
// sent.
type CenterClassifications []CenterClassification

// maxClassifications bounds what one record multiplies by the rows that copy it.
const maxClassifications = 100

// What the two lists are called.
const (
	CustomClassificationsName = "custom_classifications"
	CenterClassificationsName = "classification_center_classifications"
)

// validate refuses items that name no classifier or value, negative amounts,
// percentages beyond 100, also of the items of one classifier together, and more
// than maxClassifications items.
func (l CustomClassifications) validate(invalid *Invalid) {
	const list = CustomClassificationsName
	validateCount(invalid, list, len(l))
	sums := map[int64]Percentage{}
	for _, c := range l {
		if c.CustomClassifierID == 0 {
			invalid.Add(list+".custom_classifier", messages.Blank)
		}
		validateRequired(invalid, list+".name", c.Name)
		validatePart(invalid, list, c.Amount, c.Percentage)
		if c.Percentage != nil {
			sums[c.CustomClassifierID] += *c.Percentage
			if sums[c.CustomClassifierID] > Hundred {
				invalid.Add(list+".percentage", fmt.Sprintf(messages.PercentagesSumf, c.CustomClassifierID))
			}
		}
	}
}

// validate refuses what CustomClassifications refuse; the centers are as the
// values of one classifier.
func (l CenterClassifications) validate(invalid *Invalid) {
	const list = CenterClassificationsName
	validateCount(invalid, list, len(l))
	var sum Percentage
	for _, c := range l {
		if c.ClassificationCenterID == 0 {
			invalid.Add(list+".classification_center", messages.Blank)
		}
		validatePart(invalid, list, c.Amount, c.Percentage)
		if c.Percentage != nil {
			sum += *c.Percentage
		}
	}
	if sum > Hundred {
		invalid.Add(list+".percentage", messages.CentersSum)
	}
}

func validateCount(invalid *Invalid, list string, count int) {
	if count > maxClassifications {
		invalid.Add(list, fmt.Sprintf(messages.TooManyItemsf, maxClassifications))
	}
}

func validatePart(invalid *Invalid, list string, amount *Amount, percentage *Percentage) {
	if orNone(amount) < 0 {
		invalid.Add(list+".amount", messages.Negative)
	}
	if percentage != nil && (*percentage < 0 || *percentage > Hundred) {
		invalid.Add(list+".percentage", messages.NotPercentage)
	}
}

// Scan implements sql.Scanner over a JSON list of classifications.
func (l *CustomClassifications) Scan(src any) error { return scanJSON(src, l) }

// Scan implements sql.Scanner over a JSON list of classifications.
func (l *CenterClassifications) Scan(src any) error { return scanJSON(src, l) }

// scanJSON reads what a statement has gathered from other rows.
func scanJSON(src, list any) error {
	text, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("%T from %T", list, src)
	}
	return json.Unmarshal(text, list)
}
