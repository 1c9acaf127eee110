package finance

import "testing"

func TestClassificationRules(t *testing.T) {
	t.Parallel()
	percent := func(p Percentage) *Percentage { return ptr(p * 1_0000) }
	for _, c := range []struct {
		name string
		list CustomClassifications
		want string
	}{
		{"none", nil, ""},
		{"a value alone", CustomClassifications{{CustomClassifierID: 1, Name: "Loja"}}, ""},
		{"all of it in parts", CustomClassifications{
			{CustomClassifierID: 1, Name: "Loja", Percentage: percent(60), Amount: ptr(Amount(1))},
			{CustomClassifierID: 1, Name: "Site", Percentage: percent(40)},
			{CustomClassifierID: 2, Name: "Norte", Percentage: percent(100)}}, ""},
		{"more than all", CustomClassifications{
			{CustomClassifierID: 1, Name: "Loja", Percentage: percent(60)},
			{CustomClassifierID: 1, Name: "Site", Percentage: ptr(40_0001 * Percentage(1))}},
			"custom_classifications.percentage: somam mais de 100% no classificador 1"},
		{"no value", CustomClassifications{{}}, "custom_classifications.custom_classifier: não pode ser vazio\n" +
			"custom_classifications.name: não pode ser vazio"},
		{"negative", CustomClassifications{
			{CustomClassifierID: 1, Name: "Loja", Amount: ptr(Amount(-1)), Percentage: ptr(Percentage(-1))}},
			"custom_classifications.amount: não pode ser negativo\ncustom_classifications.percentage: deve ser de 0 " +
				"a 100"},
	} {
		var invalid Invalid
		c.list.validate(&invalid)
		if got := refused(invalid.Err()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	var invalid Invalid
	CenterClassifications{{ClassificationCenterID: 1, Percentage: percent(99)},
		{Percentage: percent(2), Amount: ptr(Amount(-1))}}.validate(&invalid)
	CustomClassifications(make([]CustomClassification, 101)).validate(&invalid)
	const want = `classification_center_classifications.classification_center: não pode ser vazio
classification_center_classifications.amount: não pode ser negativo
classification_center_classifications.percentage: somam mais de 100%
custom_classifications: tem itens demais (máximo: 100)
custom_classifications.custom_classifier: não pode ser vazio
custom_classifications.name: não pode ser vazio`
	if got := refused(invalid.Err()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
