package workers

import (
	"os"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
)

// augustOf are the files of one account and month, by their format. They have six movements, of which two are equal.
var augustOf = map[string]string{
	"OFX": "ofx/synthetic__august.ofx", "CSV": "csv/synthetic__august.csv", "JSON": "json/synthetic__august.json",
	"CNAB 240": "cnab240/synthetic__august.ret", "XLSX": "xlsx/synthetic__august.xlsx",
}

// orders returns all orders of the names.
func orders(names ...string) (all [][]string) {
	if len(names) < 2 {
		return [][]string{names}
	}
	for i, first := range names {
		for _, rest := range orders(slices.Delete(slices.Clone(names), i, i+1)...) {
			all = append(all, append([]string{first}, rest...))
		}
	}
	return all
}

// Whatever comes first of the files of a month brings each transaction once, and the others bring nothing, in every
// order, without a warning.
func TestTheFilesOfAMonthInEveryOrder(t *testing.T) {
	t.Parallel()
	contents := map[string]string{}
	for format, name := range augustOf {
		content, err := os.ReadFile("../testdata/statements/" + name)
		if err != nil {
			t.Fatal(err)
		}
		contents[format] = string(content)
	}
	all := newImportHarness(t)
	for i, order := range orders("OFX", "CSV", "JSON", "CNAB 240") {
		if order = append(order, "XLSX"); i%3 == 0 { // it begins, too
			slices.Reverse(order)
		}
		t.Run(strings.Join(order, ", "), func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			for n, format := range order {
				b := d.importFile(finance.BankStatement{}, contents[format])
				fresh := int64(6)
				if n > 0 {
					fresh = 0
				}
				if b.EventStatus != finance.ImportSuccess || b.ImportedItemsCount != fresh ||
					b.DuplicateItemsIgnoredCount != 6-fresh || len(b.EventWarnings) > 0 {
					t.Errorf("%s: %s, %d items, %d known, %+v", format, finance.OrZero(b.EventOutput),
						b.ImportedItemsCount, b.DuplicateItemsIgnoredCount, b.EventWarnings)
				}
			}
			var days, sum string
			err := d.DB.QueryRowContext(t.Context(), `
				SELECT string_agg(to_char(occurred_at, 'DD') || amount, ' ' ORDER BY occurred_at), sum(amount)
				FROM financial_transactions WHERE account_id = $1`, d.into.AccountID).Scan(&days, &sum)
			const want = "031500.00 04-89.90 05-9.80 05-9.80 10-250.00 201234.56"
			if err != nil || days != want || sum != "2375.06" {
				t.Errorf("%s, in all %s, error %v", days, sum, err)
			}
		})
	}
}
