package api_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage/storagetest"
)

// sheets returns the routes that also answer in a media type, as the OpenAPI document describes them.
func sheets(media string) (all []api.Route) {
	for _, r := range api.Routes() {
		ok := openAPI().operation(r.Method, documented(r.Path)).Operation.Responses.Status(200)
		if ok != nil && ok.Value.Content[media] != nil {
			all = append(all, r)
		}
	}
	return all
}

// rows returns the rows of a sheet, the header first.
func (a answer) rows(t testing.TB, separator rune) [][]string {
	t.Helper()
	a.want(t, 200)
	equal(t, a.header.Get("Content-Type"), "text/csv; charset=utf-8; header=present")
	body, marked := strings.CutPrefix(a.body, wire.BOM)
	r := csv.NewReader(strings.NewReader(body))
	r.Comma = separator
	all, err := r.ReadAll()
	if err != nil || !marked {
		t.Fatalf("%v (byte order mark: %v)\n%s", err, marked, a.body)
	}
	return all
}

var aNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// sameCell compares a cell with the value of the member in JSON.
func sameCell(t testing.TB, place, cell string, value any) {
	t.Helper()
	switch value := value.(type) {
	case nil:
		equal(t, cell, "")
	case string:
		value = strings.ReplaceAll(value, "\r\n", "\n") // as encoding/csv reads it
		if value != "" && strings.ContainsAny(value[:1], "=+-@\t\r") && !aNumber.MatchString(value) {
			value = "'" + value
		}
		if cell != value {
			t.Errorf("%s: the cell %q is %q in JSON", place, cell, value)
		}
	case map[string]any, []any:
		var of any
		if err := json.Unmarshal([]byte(cell), &of); err != nil {
			t.Errorf("%s: %q: %v", place, cell, err)
		}
		want, _ := json.Marshal(withoutLinks(value))
		got, _ := json.Marshal(of)
		equal(t, string(got), string(want))
	default: // json.Number, bool
		want, _ := json.Marshal(value)
		equal(t, cell, string(want))
	}
}

func withoutLinks(value any) any {
	switch value := value.(type) {
	case map[string]any:
		of := map[string]any{}
		for name, v := range value {
			if name != "links" {
				of[name] = withoutLinks(v)
			}
		}
		return of
	case []any:
		for i := range value {
			value[i] = withoutLinks(value[i])
		}
	}
	return value
}

// sameRecords compares the rows of a sheet with the records of the list in JSON.
func sameRecords(t *testing.T, path string, rows [][]string, records []string) {
	t.Helper()
	if len(rows) != len(records)+1 {
		t.Fatalf("%s: %d rows for %d records", path, len(rows), len(records))
	}
	missing := map[string]bool{} // columns that no record has as a member
	for _, name := range rows[0] {
		missing[name] = true
	}
	for i, text := range records {
		var wrapped map[string]map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&wrapped); err != nil {
			t.Fatal(err)
		}
		for _, record := range wrapped {
			delete(record, "links")
			for column, name := range rows[0] {
				value, has := record[name]
				beside, isName := strings.CutSuffix(name, "_name")
				if has || isName && slices.Contains(rows[0], beside+"_id") {
					delete(missing, name)
				}
				if isName && !has {
					continue
				}
				sameCell(t, path+" "+name, rows[i+1][column], value)
				delete(record, name)
			}
			if len(record) > 0 {
				t.Errorf("%s has no column for %v", path, slices.Collect(maps.Keys(record)))
			}
		}
	}
	if len(records) > 0 && len(missing) > 0 {
		t.Errorf("%s: no record has %v", path, slices.Collect(maps.Keys(missing)))
	}
}

// Every list of records is a sheet, whose cells are the members of the records in JSON.
func TestEveryListIsASheet(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.several(t)
	s.exec(t, `UPDATE people
		SET name = (ARRAY[E'=1+1', E'+"x";y,z', E'a\r\nb', E'-a', E'@ä'])[1 + id % 5] || id`)
	lists := walked()
	for _, r := range lists {
		if !slices.Contains(sheets("text/csv"), r) {
			t.Errorf("the document describes no sheet of %s", r.Path)
			continue
		}
		path := ids.path(r)
		records := s.call(t, "GET", path+".json?per_page=500").elements(t)
		if len(records) == 0 {
			t.Errorf("%s: no records", path)
		}
		a := s.call(t, "GET", path+".csv")
		sameRecords(t, path, a.rows(t, ','), records)
		equal(t, a.header.Get("ETag")+a.header.Get("Cache-Control"), "no-store")
		equal(t, bytes.Count([]byte(a.body), []byte("\r\n")) >= len(records)+1, true)
	}
	if len(lists) < 28 {
		t.Errorf("%d lists", len(lists))
	}
}

// Names stand beside ids, whatever the language; a spreadsheet in Portuguese has semicolons and decimal commas.
func TestASheetIsReadByAccountants(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.call(t, "POST", "/categories", document(`{"category":{"name":"Água; luz","cost":true}}`)).want(t, 201)
	person := s.newPerson(t, `{"name":"=HYPERLINK(\"x\")"}`)
	account := s.newDepositAccount(t)
	list := paths.FinancialAccounts(s.EntityID, "payable")
	s.newAccount(t, finance.Payable, fmt.Sprintf(`"description":"Conta\r\n\"março\"","amount":1234.5,`+
		`"due_date":"2026-03-10","category_id":%s,"person_id":%d,"expected_deposit_account_id":%d`,
		category.at(t, "category.id"), lastID(person), lastID(account)))
	s.newAccount(t, finance.Payable, `"description":"-","amount":1,"due_date":"2026-03-11"`)
	want := map[string]string{
		"amount": "1234,5", "description": "Conta\n\"março\"", "due_date": "2026-03-10", "occurred_at": "",
		"category_name": "Água; luz", "person_name": `'=HYPERLINK("x")`, "classification_center_name": "",
		"expected_deposit_account_name": "Banco", "remind": "false", "status": "1", "sale_ids": "[]",
	}
	for language, separator := range map[string]rune{
		"pt-BR": ';', "pt": ';', "pt-PT,en;q=0.9": ';', "en;q=0.5, pt-br;q=0.8": ';', "PT-BR": ';',
		"": ',', "en": ',', "en,pt;q=0.9": ',', "*": ',', "es, pt;q=1": ',', ";;q": ',', "x-pt": ',', "ptx": ',',
	} {
		a := s.call(t, "GET", list+".csv", with("Accept-Language", language))
		rows := a.rows(t, separator)
		equal(t, len(rows), 3)
		for column, name := range rows[0] {
			cell, expected := rows[1][column], want[name]
			if separator == ',' {
				expected = strings.ReplaceAll(expected, "1234,5", "1234.5")
			}
			if _, checked := want[name]; checked && cell != expected {
				t.Errorf("%s %s: %q, want %q", language, name, cell, expected)
			}
		}
		if before, _, _ := strings.Cut(a.header.Get("Vary"), "Accept-Language"); before == a.header.Get("Vary") {
			t.Errorf("Vary: %s", before)
		}
	}
	a := s.call(t, "GET", list+".csv")
	zone, _ := time.LoadLocation(storagetest.Timezone)
	name := "payable_accounts-" + time.Now().In(zone).Format(time.DateOnly) + ".csv"
	equal(t, a.header.Get("Content-Disposition"), `attachment; filename="`+name+`"`)
	equal(t, a.header.Get("X-Total-Count"), "2")
	filtered := s.call(t, "GET", list+".csv?search[due_date_gte]=2026-03-11").rows(t, ',')
	equal(t, len(filtered), 2)
	none := s.call(t, "GET", list+".csv?search[due_date_gte]=2027-01-01").rows(t, ',')
	equal(t, none, filtered[:1]) // the same header
}

func TestASheetIsChosenBySuffixOrAccept(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for accept, want := range map[string]string{
		"text/csv": "text/csv", "text/csv;q=0.9, application/json;q=0.5": "text/csv",
		"application/json":                "application/json",
		"application/xml, text/csv;q=0.9": "application/xml", "text/csv;q=0": "application/json",
		"text/*": "application/json", "text/csv, text/xml": "text/csv",
	} {
		a := s.call(t, "GET", "/people", with("Accept", accept)).want(t, 200)
		equal(t, strings.HasPrefix(a.header.Get("Content-Type"), want), true)
	}
	documents := s.call(t, "GET", "/user/permissions", with("Accept", "text/csv, text/xml;q=0.5")).want(t, 200)
	equal(t, documents.header.Get("Content-Type"), wire.XML.ContentType()) // it has no sheet
	created := s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`), with("Accept", "text/csv"))
	equal(t, created.header.Get("Content-Type"), wire.JSON.ContentType())
	s.call(t, "GET", "/people.json", with("Accept", "text/csv")).want(t, 200).value(t)
	refused := s.call(t, "GET", "/people.csv?search[x]=1", with("Accept", "application/problem+json")).want(t, 422)
	equal(t, refused.header.Get("Content-Type"), "application/problem+json")

	head := s.call(t, "HEAD", "/people.csv").want(t, 200)
	equal(t, head.header.Get("Content-Type")+head.body, "text/csv; charset=utf-8; header=present")
	equal(t, head.header.Get("X-Total-Count"), "1")
	zipped := s.sheet(t, "/banks.csv", with("Accept-Encoding", "gzip"))
	equal(t, zipped.Header.Get("Content-Encoding"), "gzip")
}

// A sheet has all records or none: what chooses a part of them, or finds too many, is refused.
func TestASheetHasAllRecords(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) { c.SheetRows = 3 })
	s.db, s.Tenant = database.Owner, storagetest.NewTenant(t, database.Store)
	for name, message := range map[string]string{"page": "page=2", "per_page": "per_page=5", "cursor": "cursor="} {
		p := s.refusal(t, "GET", "/people.csv?"+message)
		equal(t, p.Code+" "+p.Errors[0].Parameter, "not_in_sheet "+name)
	}
	s.call(t, "GET", "/people.csv", document(`{"per_page":5}`)).want(t, 422)
	for n := range 4 {
		s.call(t, "GET", "/people.csv").want(t, 200)
		s.call(t, "POST", "/people", document(fmt.Sprintf(`{"person":{"name":"P%d"}}`, n))).want(t, 201)
	}
	p := s.refusal(t, "GET", "/people.csv")
	equal(t, p.Code, "sheet_too_long")
	equal(t, p.Errors[0].Message, "Os filtros encontram mais de 3 registros, o máximo em CSV e XLSX.")
	if hint := p.Errors[0].Hint; !strings.Contains(hint, "filtros") {
		t.Errorf("the hint: %s", hint)
	}
	s.refusal(t, "GET", "/banks.csv")
	equal(t, len(s.call(t, "GET", "/banks.csv?search[ids]=1,237").rows(t, ',')), 3)
	equal(t, len(s.call(t, "GET", "/people.csv?search[name]=P1").rows(t, ',')), 2)
}

// The changes are a sheet, from a number, that ends with the most rows; the next one continues there.
func TestTheChangesAreASheet(t *testing.T) {
	t.Parallel()
	const most, n = 520, 530 // more than a page
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) { c.SheetRows = most })
	s.db, s.Tenant = database.Owner, storagetest.NewTenant(t, database.Store)
	for range n {
		s.newPerson(t, `{"name":"Ana"}`)
	}
	storagetest.Seal(t, s.store)
	var feed struct{ Changes []json.RawMessage }
	if err := json.Unmarshal([]byte(s.call(t, "GET", "/changes?after=1").body), &feed); err != nil {
		t.Fatal(err)
	}
	var records []string
	for _, change := range feed.Changes {
		records = append(records, string(change))
	}
	first := s.call(t, "GET", "/changes.csv?after=1")
	rows := first.rows(t, ',')
	equal(t, len(rows), most+1)
	sameRecords(t, "/changes", rows[:len(records)+1], records)
	sequence := slices.Index(rows[0], "sequence")
	for i, row := range rows[1:] {
		equal(t, row[sequence], fmt.Sprint(i+2))
	}
	link := first.header.Get("Link")
	equal(t, link, first.header.Get("Links"))
	equal(t, s.call(t, "HEAD", "/changes.csv?after=1").header.Get("Link"), link)
	next := nextLink.FindStringSubmatch(link)[1]
	equal(t, next, "/changes.csv?after="+rows[most][sequence])
	named := func(a answer, name string) {
		t.Helper()
		if got := a.header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="`+name+"-20") {
			t.Errorf("the file %s, want %s", got, name)
		}
	}
	named(first, fmt.Sprintf("changes-2-to-%d-incomplete", most+1))
	last := s.call(t, "GET", next)
	named(last, "changes")
	equal(t, last.header.Get("Link"), "")
	rest := last.rows(t, ',')
	if len(rest) < 2 || len(rest) >= n || rest[1][sequence] != fmt.Sprint(most+2) {
		t.Errorf("%d rows follow", len(rest))
	}
	for _, parameter := range []string{"limit=5", "wait=1"} {
		equal(t, s.refusal(t, "GET", "/changes.csv?"+parameter).Code, "not_in_sheet")
	}
	s.call(t, "GET", "/changes.csv?after=999999").want(t, 422)
}

// Whatever a filter finds, the sheets that follow each other by their links have all of it once, and all of them but
// the last are full.
func TestTheSheetsOfChangesContinue(t *testing.T) {
	t.Parallel()
	const most, n = 20, 130
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) { c.SheetRows = most })
	s.db, s.Tenant = database.Owner, storagetest.NewTenant(t, database.Store)
	for range n {
		s.newPerson(t, `{"name":"Ana"}`)
	}
	storagetest.Seal(t, s.store)
	s.exec(t, `UPDATE changes SET family = 'categories' WHERE sequence % 4 = 0;
		UPDATE changes SET action = 'updated', record_ids = '{987654321}' WHERE sequence IN (3, 90)`)
	for filter, condition := range map[string]string{
		"": "true", "event=people.*": "family = 'people'", "event=categories.*": "family = 'categories'",
		"search[event]=people.created": "family = 'people' AND action = 'created'", "event=sales.*": "false",
		"record_id=987654321":                "record_ids = '{987654321}'",
		fmt.Sprint("entity_id=", s.EntityID): "entity_id IS NOT NULL",
	} {
		var all []string
		for path := "/changes.csv?after=0&" + filter; path != ""; {
			a := s.call(t, "GET", path).want(t, 200)
			rows := a.rows(t, ',')
			sequence := slices.Index(rows[0], "sequence")
			for _, row := range rows[1:] {
				all = append(all, row[sequence])
			}
			next := nextLink.FindStringSubmatch(a.header.Get("Link"))
			if path = ""; next != nil {
				equal(t, len(rows), most+1)
				path = next[1]
			} else if len(rows) > most+1 || len(rows) == 1 && len(all) > 0 {
				t.Errorf("%s: the last sheet has %d rows", filter, len(rows)-1)
			}
		}
		equal(t, strings.Join(all, ","), query[string](t, s, `SELECT coalesce(string_agg(sequence::text, ','
			ORDER BY sequence), '') FROM changes WHERE account_id = $1 AND `+condition, s.AccountID))
	}
}
