package api_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage/storagetest"

	"github.com/xuri/excelize/v2"
)

// workbook is a workbook as another library reads it.
type workbook struct {
	rows [][]string // as in CSV, the header first
	sums []string   // of the last row, by column; nil without it
}

// workbook reads the answer. It computes the formulas of the sums, which must agree with their values.
func (a answer) workbook(t testing.TB) (book workbook) {
	t.Helper()
	a.want(t, 200)
	equal(t, a.header.Get("Content-Type"), openapi.XLSX)
	f, err := excelize.OpenReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sheet := f.GetSheetName(0)
	all, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		var row []string
		summed := false
		for column := range all[0] {
			cell, err := excelize.CoordinatesToCellName(column+1, i+1)
			if err != nil {
				t.Fatal(err)
			}
			formula, err := f.GetCellFormula(sheet, cell)
			if err != nil {
				t.Fatal(err)
			}
			value := cellOf(t, f, sheet, cell)
			if formula != "" {
				summed = true
				computed, err := f.CalcCellValue(sheet, cell, excelize.Options{RawCellValue: true})
				if err != nil || fifteenDigits(t, computed) != fifteenDigits(t, value) {
					t.Errorf("%s: %s is %s, and stored as %s: %v", cell, formula, computed, value, err)
				}
			}
			row = append(row, value)
		}
		if summed {
			book.sums = row
		} else {
			book.rows = append(book.rows, row)
		}
	}
	return book
}

// cellOf returns the value of a cell as CSV has it.
func cellOf(t testing.TB, f *excelize.File, sheet, cell string) string {
	t.Helper()
	value, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	kind, err := f.GetCellType(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	index, _ := f.GetCellStyle(sheet, cell)
	style, err := f.GetStyle(index)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case kind == excelize.CellTypeBool:
		return strconv.FormatBool(value == "1")
	case kind == excelize.CellTypeInlineString:
		value = strings.ReplaceAll(value, "\r\n", "\n") // as encoding/csv reads it
		if value != "" && strings.ContainsAny(value[:1], "=+-@\t\r") {
			value = "'" + value
		}
	case style.NumFmt == 14, style.CustomNumFmt != nil:
		days, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		zone, _ := time.LoadLocation(storagetest.Timezone)
		at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(days*86_400+0.5) * time.Second)
		if style.NumFmt == 14 {
			return at.Format(time.DateOnly)
		}
		return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0,
			zone).Format(time.RFC3339)
	}
	return value
}

// fifteenDigits returns a number as precisely as spreadsheets compute.
func fifteenDigits(t testing.TB, decimal string) string {
	t.Helper()
	f, err := strconv.ParseFloat(decimal, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatFloat(f, 'e', 14, 64)
}

// inCents returns a decimal in cents, to the nearest one.
func inCents(t testing.TB, decimal string) *big.Int {
	t.Helper()
	r, isDecimal := new(big.Rat).SetString(decimal)
	if !isDecimal {
		t.Fatalf("%q is no decimal", decimal)
	}
	n, _ := new(big.Int).SetString(strings.Replace(r.FloatString(2), ".", "", 1), 10)
	return n
}

// checkSums compares the last row with the sums of the columns above, and returns the columns with a sum.
func (b workbook) checkSums(t testing.TB, path string) (summed []string) {
	t.Helper()
	for column, sum := range b.sums {
		if sum == "" {
			continue
		}
		name, want := b.rows[0][column], new(big.Int)
		summed = append(summed, name)
		for _, row := range b.rows[1:] {
			if row[column] != "" {
				want.Add(want, inCents(t, row[column]))
			}
		}
		if inCents(t, sum).Cmp(want) != 0 {
			t.Errorf("%s: the sum of %s is %s, want %d cents", path, name, sum, want)
		}
	}
	return summed
}

// The lists of transactions, accounts and sales are workbooks, whose cells are the members of the records in JSON.
func TestListsOfMoneyAreWorkbooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.several(t)
	s.exec(t, `UPDATE people
			SET name = (`+trickyNames+` || ARRAY[E'\x01\x1f_x0041_', '👩‍👩‍👧', 'שלום'])[1 + id % 14] || id;
		UPDATE financial_transactions SET original_description = '=SUM(A1) <&> ' || E'\x02' || id;
		UPDATE financial_accounts SET description = '@' || id, amount = 9999999999999.99 WHERE id % 2 = 0`)
	workbooks := sheets(openapi.XLSX)
	lists := 0
	for _, r := range walked() {
		if !slices.Contains(workbooks, r) {
			continue
		}
		lists++
		path := ids.path(r)
		records := s.call(t, "GET", path+".json?per_page=500").elements(t)
		a := s.call(t, "GET", path+".xlsx")
		book := a.workbook(t)
		sameRecords(t, path, book.rows, records)
		summed := book.checkSums(t, path)
		if len(records) < 2 || len(summed) < 2 || !slices.ContainsFunc(summed, func(name string) bool {
			return strings.HasSuffix(name, "amount")
		}) {
			t.Errorf("%s: %d records with the sums %v", path, len(records), summed)
		}
		equal(t, a.header.Get("ETag")+a.header.Get("Cache-Control")+a.header.Get("Content-Encoding"), "no-store")
		equal(t, a.header.Get("X-Total-Count"), fmt.Sprint(len(records)))
	}
	equal(t, lists, 5)
	equal(t, len(workbooks), 5+12+6) // with totals, cash flow, aging and income statements
}

// Sums that would be false are left out: of several currencies, of groups that contain each other, and of deposit
// accounts with transfers between them.
func TestFalseSumsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-08-05")
	s.books(t)
	s.newAccount(t, finance.Payable, `"description":"Atrasada","amount":7.25,"due_date":"2026-07-10"`)
	entity := fmt.Sprintf("/entities/%d", s.EntityID)
	for path, want := range map[string]string{
		entity + "/financial_transactions":                       "absolute_amount,amount",
		entity + "/payable_accounts/totals?group_by=category":    "amount,total_amount,due_amount",
		entity + "/payable_accounts/totals":                      "amount,total_amount,due_amount",
		"/payable_accounts/totals?group_by=category_tree":        "",
		"/payable_accounts/totals?group_by=person,category_tree": "",
		"/payable_accounts/totals?group_by=%20category_tree":     "",
		"/cash_flow?from=2026-08-01&to=2026-08-31":               "realised_in,realised_out,expected_in,expected_out",
		"/cash_flow?from=2026-08-01&to=2026-08-31&by_account=1":  "",
		"/reports/aging?kind=payable":                            "sum",
		entity + "/sales?search[occurred_at_gte]=2099-01-01":     "", // no rows
	} {
		at, query, _ := strings.Cut(path, "?")
		book := s.call(t, "GET", at+".xlsx?"+query).workbook(t)
		equal(t, strings.Join(book.checkSums(t, path), ","), want)
	}
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	s.newTransaction(t, dollars, finance.Debit, "1", "2026-08-03")
	equal(t, s.call(t, "GET", entity+"/financial_transactions.xlsx").workbook(t).sums, nil)
	equal(t, len(s.call(t, "GET", dollars+"/financial_transactions.xlsx").workbook(t).sums) > 0, true)
	totals := "/financial_transactions/totals.xlsx?group_by=month,deposit_account"
	equal(t, s.call(t, "GET", totals).workbook(t).sums, nil)
	equal(t, len(s.call(t, "GET", totals+"&search[currency_id]=2").workbook(t).sums) > 0, true)
}

func TestAWorkbookIsChosenBySuffixOrAccept(t *testing.T) {
	t.Parallel()
	s := newService(t)
	list := paths.FinancialAccounts(s.EntityID, "payable")
	for accept, want := range map[string]string{
		openapi.XLSX: openapi.XLSX, openapi.XLSX + ";q=0.9, text/csv;q=0.5": openapi.XLSX,
		"text/csv, " + openapi.XLSX:                    "text/csv",
		"application/json, " + openapi.XLSX + ";q=0.5": "application/json", openapi.XLSX + ";q=0": "application/json",
	} {
		a := s.call(t, "GET", list, with("Accept", accept)).want(t, 200)
		equal(t, strings.HasPrefix(a.header.Get("Content-Type"), want), true)
	}
	other := s.call(t, "GET", "/people", with("Accept", openapi.XLSX+", text/xml;q=0.5")).want(t, 200)
	equal(t, other.header.Get("Content-Type"), wire.XML.ContentType()) // it has no workbook
	s.call(t, "GET", "/people.xlsx", with("Accept", openapi.XLSX)).want(t, 406)
	s.call(t, "GET", list+".json", with("Accept", openapi.XLSX)).want(t, 200).value(t)

	s.newAccount(t, finance.Payable, `"description":"Conta","amount":1234.5,"due_date":"2026-03-10"`)
	a := s.call(t, "GET", list+".xlsx", with("Accept-Language", "pt-BR"))
	amount := slices.Index(a.workbook(t).rows[0], "amount")
	equal(t, a.workbook(t).rows[1][amount], "1234.5") // whatever the language
	equal(t, strings.Contains(a.header.Get("Vary"), "Accept-Language"), false)
	zone, _ := time.LoadLocation(storagetest.Timezone)
	name := "payable_accounts-" + time.Now().In(zone).Format(time.DateOnly) + ".xlsx"
	equal(t, a.header.Get("Content-Disposition"), `attachment; filename="`+name+`"`)
	head := s.call(t, "HEAD", list+".xlsx").want(t, 200)
	equal(t, head.header.Get("Content-Type")+head.body+head.header.Get("X-Total-Count"), openapi.XLSX+"1")
	zipped := s.sheet(t, list+".xlsx", with("Accept-Encoding", "gzip"))
	equal(t, zipped.Header.Get("Content-Encoding")+zipped.Header.Get("No-Gzip-Compression"), "")
}

// A workbook has all records or none, as CSV.
func TestAWorkbookHasAllRecords(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) { c.SheetRows = 3 })
	s.db, s.Tenant = database.Owner, storagetest.NewTenant(t, database.Store)
	equal(t, len(s.call(t, "GET", s.transactions(t, 3)+".xlsx").workbook(t).rows), 4)
	list := s.transactions(t, 4) + ".xlsx"
	p := s.refusal(t, "GET", list)
	equal(t, p.Code, "sheet_too_long")
	if hint := p.Errors[0].Hint; !strings.Contains(hint, "filtros") {
		t.Errorf("the hint: %s", hint)
	}
	equal(t, s.refusal(t, "GET", list+"?per_page=5").Code, "not_in_sheet")
	s.call(t, "GET", "/entities/987654321/sales.xlsx").want(t, 404)
	s.call(t, "GET", list+"?search[nome]=1").want(t, 422)
}
