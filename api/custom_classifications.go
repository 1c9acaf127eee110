package api

import (
	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
)

// assignCustomClassifications reads the values that classify a record. Without the list they do not
// change; an empty list or null clears them.
func assignCustomClassifications(in *wire.Input, l *finance.CustomClassifications) {
	const list = finance.CustomClassificationsName
	if !in.Has(list) {
		return
	}
	*l = nil
	for _, sent := range in.Objects(list) {
		var c finance.CustomClassification
		sent.Int("custom_classifier_id", &c.CustomClassifierID)
		sent.String("name", &c.Name)
		wire.DecodeIntoPtr(sent, "amount", &c.Amount)
		wire.DecodeIntoPtr(sent, "percentage", &c.Percentage)
		*l = append(*l, c)
	}
}

func showCustomClassifications(w *wire.Writer, l finance.CustomClassifications) {
	w.Objects(finance.CustomClassificationsName, "custom_classification", len(l), func(i int) {
		w.Int("id", l[i].ID)
		w.Int("custom_classifier_id", l[i].CustomClassifierID)
		w.String("custom_classifier_name", l[i].CustomClassifierName)
		w.String("name", l[i].Name)
		w.String("value", l[i].Name) // the former name of this field
		wire.DecimalPtr(w, "amount", l[i].Amount)
		wire.DecimalPtr(w, "percentage", l[i].Percentage)
	})
}

// assignCenterClassifications reads the centers among which a record is divided, by the rules of
// assignCustomClassifications.
func assignCenterClassifications(in *wire.Input, l *finance.CenterClassifications) {
	const list = finance.CenterClassificationsName
	if !in.Has(list) {
		return
	}
	*l = nil
	for _, sent := range in.Objects(list) {
		var c finance.CenterClassification
		sent.Int("classification_center_id", &c.ClassificationCenterID)
		wire.DecodeIntoPtr(sent, "amount", &c.Amount)
		wire.DecodeIntoPtr(sent, "percentage", &c.Percentage)
		*l = append(*l, c)
	}
}

// showCenterClassifications writes the centers of a record. Only XML has the ids of the items.
func showCenterClassifications(w *wire.Writer, l finance.CenterClassifications) {
	w.Objects(finance.CenterClassificationsName, "classification_center_classification", len(l), func(i int) {
		if w.XML() {
			w.Int("id", l[i].ID)
		}
		w.Int("classification_center_id", l[i].ClassificationCenterID)
		w.String("name", l[i].Name)
		wire.DecimalPtr(w, "percentage", l[i].Percentage)
		wire.DecimalPtr(w, "amount", l[i].Amount)
	})
}

// classificationFields describe the values and centers that classify a record, and their parts of
// its amount.
var classificationFields = openapi.Fields{
	"custom_classifications": {
		Doc: "Values of custom classifiers, each with its percentage as sent: no percentage is computed.",
		In:  atMost100,
	},
	"classification_center_classifications":         {Doc: "Cost and revenue centers, in the same way.", In: atMost100},
	"custom_classifications.custom_classifier_id":   {Doc: "The classifier."},
	"custom_classifications.custom_classifier_name": {Doc: "The name of the classifier."},
	"custom_classifications.name":                   {Doc: "The value.", In: "The value, whatever case and accents."},
	"custom_classifications.value":                  {Doc: "The value, by the former name of this field."},
	"custom_classifications.percentage": {
		Doc: "The part.", In: "0 to 100. The percentages of one classifier add up to at most 100.",
		Format: "percentage"},
	"classification_center_classifications.id":   {Doc: "The id; in XML only."},
	"classification_center_classifications.name": {Doc: "The name of the center."},
	"classification_center_classifications.percentage": {
		Doc: "The part.", In: "0 to 100. All percentages add up to at most 100.", Format: "percentage",
	},
}

const atMost100 = "At most 100; absent they stay, an empty list clears them."
