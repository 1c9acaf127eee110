package finance

import "testing"

func TestAnImportSaysWhereItsPreviewWasWrong(t *testing.T) {
	t.Parallel()
	differs := func(previewed, outcome string, count int64) PreviewDifference {
		return PreviewDifference{previewed, outcome, count}
	}
	for _, c := range []struct {
		imported    int64
		differences []PreviewDifference
		want        string
	}{
		{8, nil, ""},
		{5, []PreviewDifference{differs("imported", "duplicate", 3)},
			" A prévia previa 8 novas; 3 já tinham vindo de outro arquivo."},
		{0, []PreviewDifference{differs("imported", "duplicate", 1)},
			" A prévia previa 1 nova; 1 já tinha vindo de outro arquivo."},
		{1, []PreviewDifference{differs("future", "imported", 1)},
			" A prévia não previa nenhuma nova; 1 passou a ser nova."},
		{
			7, []PreviewDifference{differs("duplicate", "imported", 2), differs("future", "imported", 1),
				differs("imported", "duplicate", 1), differs("imported", "other_account", 1),
				differs("zero", "other_account", 1)},
			" A prévia previa 6 novas; 1 já tinha vindo de outro arquivo; 3 passaram a ser novas; 2 itens tiveram " +
				"outro resultado.",
		},
	} {
		b := BankStatement{ImportCounts: ImportCounts{ImportedItemsCount: c.imported}}
		if got := b.PreviewOutput(c.differences); got != c.want {
			t.Errorf("%v: %q, want %q", c.differences, got, c.want)
		}
	}
}
