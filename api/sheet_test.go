package api_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/internal/wire"
)

// sheets returns the routes that answer in CSV too, as the OpenAPI document describes them.
func sheets() (all []api.Route) {
	for _, r := range api.Routes() {
		ok := openAPI().operation(r.Method, documented(r.Path)).Operation.Responses.Status(200)
		if ok != nil && ok.Value.Content["text/csv"] != nil {
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
		if !slices.Contains(sheets(), r) {
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
