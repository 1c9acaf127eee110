package wire

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// written is a decimal as it is written.
type written string

func (l written) AppendText(b []byte) ([]byte, error) { return append(b, l...), nil }

// sheetOf returns the rows of a sheet in a form, as text and as encoding/csv reads them.
func sheetOf(t testing.TB, form CSV, s *Sheet) (text string, rows [][]string) {
	t.Helper()
	text = string(s.AppendCSV(s.AppendCSVHeader(nil, form), form))
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(form.Separator)
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text, rows
}

func TestCellsAreWrittenAsCSV(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 28, 14, 35, 12, 0, saoPaulo)
	number, person := written("-1.50"), int64(7)
	for name, test := range map[string]struct {
		write           func(*Writer)
		commas, semicol string // the cell as it is written
	}{
		"a text":                {func(w *Writer) { w.String("v", "Padaria") }, `Padaria`, `Padaria`},
		"an empty text":         {func(w *Writer) { w.String("v", "") }, ``, ``},
		"a comma":               {func(w *Writer) { w.String("v", "a,b") }, `"a,b"`, `a,b`},
		"a semicolon":           {func(w *Writer) { w.String("v", "a;b") }, `a;b`, `"a;b"`},
		"a quote":               {func(w *Writer) { w.String("v", `a "b"`) }, `"a ""b"""`, `"a ""b"""`},
		"a line feed":           {func(w *Writer) { w.String("v", "a\nb") }, "\"a\nb\"", "\"a\nb\""},
		"a line end":            {func(w *Writer) { w.String("v", "a\r\nb") }, "\"a\r\nb\"", "\"a\r\nb\""},
		"spaces":                {func(w *Writer) { w.String("v", " a ") }, " a ", " a "},
		"no UTF-8":              {func(w *Writer) { w.String("v", "a\xffb") }, "a\uFFFDb", "a\uFFFDb"},
		"a formula":             {func(w *Writer) { w.String("v", "=1+1") }, `'=1+1`, `'=1+1`},
		"a formula with quotes": {func(w *Writer) { w.String("v", `=A("x")`) }, `"'=A(""x"")"`, `"'=A(""x"")"`},
		"a plus":                {func(w *Writer) { w.String("v", "+55 11") }, `'+55 11`, `'+55 11`},
		"a minus":               {func(w *Writer) { w.String("v", "-5") }, `'-5`, `'-5`},
		"an at sign":            {func(w *Writer) { w.String("v", "@a") }, `'@a`, `'@a`},
		"a tab":                 {func(w *Writer) { w.String("v", "\ta") }, "'\ta", "'\ta"},
		"a carriage return":     {func(w *Writer) { w.String("v", "\ra") }, "\"'\ra\"", "\"'\ra\""},
		"a formula within":      {func(w *Writer) { w.String("v", "a=1") }, `a=1`, `a=1`},
		"a null text":           {func(w *Writer) { w.StringPtr("v", nil) }, ``, ``},
		"null":                  {func(w *Writer) { w.Null("v") }, ``, ``},
		"an integer":            {func(w *Writer) { w.Int("v", -7) }, `-7`, `-7`},
		"an id":                 {func(w *Writer) { w.IntPtr("v", &person) }, `7`, `7`},
		"a decimal":             {func(w *Writer) { Decimal(w, "v", number) }, `-1.50`, `-1,50`},
		"a number":              {func(w *Writer) { Number(w, "v", number) }, `-1.50`, `-1,50`},
		"a null decimal":        {func(w *Writer) { DecimalPtr(w, "v", (*written)(nil)) }, ``, ``},
		"a day":                 {func(w *Writer) { Date(w, "v", day{at}) }, `2026-03-28`, `2026-03-28`},
		"a time": {func(w *Writer) { w.Time("v", at) }, `2026-03-28T14:35:12-03:00`,
			`2026-03-28T14:35:12-03:00`},
		"true":           {func(w *Writer) { w.Bool("v", true) }, `true`, `true`},
		"ids":            {func(w *Writer) { w.IntArray("v", "id", []int64{1, 2}) }, `"[1,2]"`, `[1,2]`},
		"no ids":         {func(w *Writer) { w.IntArray("v", "id", nil) }, `[]`, `[]`},
		"texts":          {func(w *Writer) { w.StringArray("v", "t", []string{"=1"}) }, `"[""=1""]"`, `"[""=1""]"`},
		"null for texts": {func(w *Writer) { w.StringArray("v", "t", nil) }, ``, ``},
		"an object": {func(w *Writer) {
			w.Object("v", func() {
				Number(w, "a", number)
				w.Null("b")
				w.Object("c", func() { w.IntArray("d", "id", []int64{1}) })
			})
		}, `"{""a"":-1.50,""b"":null,""c"":{""d"":[1]}}"`, `"{""a"":-1.50,""b"":null,""c"":{""d"":[1]}}"`},
		"no object": {func(w *Writer) { w.ObjectIf(false, "v", nil) }, ``, ``},
		"records": {func(w *Writer) { w.List("a", "v", 1, func(int) { w.Int("id", 1) }) },
			`"[{""a"":{""id"":1}}]"`, `"[{""a"":{""id"":1}}]"`},
		"stored JSON": {func(w *Writer) { w.JSON("v", json.RawMessage(`{"a":["=x",1.5]}`)) },
			`"{""a"":[""=x"",1.5]}"`, `"{""a"":[""=x"",1.5]}"`},
		"a stored text":   {func(w *Writer) { w.JSON("v", json.RawMessage(`"=x"`)) }, `'=x`, `'=x`},
		"a stored number": {func(w *Writer) { w.JSON("v", json.RawMessage(`-1.5`)) }, `-1.5`, `-1,5`},
		"stored null":     {func(w *Writer) { w.JSON("v", nil) }, ``, ``},
		"another member":  {func(w *Writer) { w.Int("links", 1); w.Int("v", 2); w.String("other", "x") }, `2`, `2`},
		"shared": {func(w *Writer) {
			w.Shared(&person, func() { w.Int("v", 3) })
			w.Shared(&person, func() { w.Int("v", 3) })
		}, `3`, `3`},
	} {
		for form, want := range map[CSV]string{CSVWithCommas: test.commas, CSVWithSemicolons: test.semicol} {
			s := NewSheet(saoPaulo, []string{"id", "v", "z"})
			for range 2 { // the second row follows from the same calls
				s.Add(func(w *Writer) {
					w.Int("id", 1)
					test.write(w)
					w.Int("z", 2)
				})
			}
			separator := string([]byte{form.Separator})
			row := "1" + separator + want + separator + "2\r\n"
			want := strings.Join(s.Columns(), separator) + "\r\n" + row + row
			if got, rows := sheetOf(t, form, s); got != want || len(rows) != 3 {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

// A file that is opened where another character separates cells has other cells. Whatever they are, none is a formula.
func TestFormulasOfOtherLocalesAreTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{ // with commas, with semicolons
		"x;=HYPERLINK(A1);y":    {"x;'=HYPERLINK(A1);y", `"x;=HYPERLINK(A1);y"`},
		"x,=HYPERLINK(A1),y":    {`"x,=HYPERLINK(A1),y"`, "x,'=HYPERLINK(A1),y"},
		"x\t=A1":                {"x\t'=A1", "x\t'=A1"},
		"x\n=A1":                {"\"x\n'=A1\"", "\"x\n'=A1\""},
		"x\r\n@A1":              {"\"x\r\n'@A1\"", "\"x\r\n'@A1\""},
		";=1":                   {";'=1", `";=1"`},
		"x;;+1;-1;y":            {"x;;'+1;-1;y", `"x;;+1;-1;y"`},
		`x;"=1";y`:              {`"x;""'=1"";y"`, `"x;""=1"";y"`},
		"x; =1":                 {"x; '=1", `"x; =1"`},
		" =1":                   {"' =1", "' =1"},
		"=1;=2":                 {"'=1;'=2", `"'=1;=2"`},
		"\t=1":                  {"'\t'=1", "'\t'=1"},
		"a, -5":                 {`"a, -5"`, "a, '-5"}, // the next cell may begin with digits
		"a,-5,b; 5":             {`"a,-5,b; 5"`, `"a,-5,b; 5"`},
		"a;-5,2+HYPERLINK(A1)":  {`"a;'-5,2+HYPERLINK(A1)"`, `"a;-5,2+HYPERLINK(A1)"`},
		"a;-5+HYPERLINK(A1);":   {"a;'-5+HYPERLINK(A1);", `"a;-5+HYPERLINK(A1);"`},
		"a;-":                   {"a;'-", `"a;-"`},
		"Rua A, 5; fundos":      {`"Rua A, 5; fundos"`, `"Rua A, 5; fundos"`},
		"ana@a.com; bia@a.com":  {"ana@a.com; bia@a.com", `"ana@a.com; bia@a.com"`},
		"1 + 1 = 2, 2 - 1 = 1;": {`"1 + 1 = 2, 2 - 1 = 1;"`, `"1 + 1 = 2, 2 - 1 = 1;"`},
	} {
		s := NewSheet(nil, []string{"a", "b"})
		s.Add(func(w *Writer) { w.String("a", text); w.Int("b", 1) })
		for i, form := range []CSV{CSVWithCommas, CSVWithSemicolons} {
			separator := string([]byte{form.Separator})
			if got, _ := sheetOf(t, form, s); got != "a"+separator+"b\r\n"+want[i]+separator+"1\r\n" {
				t.Errorf("%q is %q, want %q", text, got, want[i])
			}
		}
	}
	s := NewSheet(nil, []string{"changes"})
	const changes = `{"amount":[-1.5,-2.5],"balance":["-1.5","-2.5"],"name":["A","=A1"]}`
	s.Add(func(w *Writer) { w.JSON("changes", json.RawMessage(changes)) })
	_, rows := sheetOf(t, CSVWithSemicolons, s)
	if want := strings.Replace(changes, "=", "'=", 1); rows[1][0] != want || !json.Valid([]byte(want)) {
		t.Errorf("%s, want %s", rows[1][0], want)
	}
}

func TestAllRowsOfASheetHaveItsColumns(t *testing.T) {
	t.Parallel()
	s := NewSheet(nil, []string{"a", "b", "c"})
	for range 2 { // the rows of the first are gone
		s.Clear()
		s.Add(func(w *Writer) { w.Int("c", 3); w.Int("a", 1) })
		s.Add(func(w *Writer) {})
		s.SetText(1, 1, "=")
		s.Add(func(w *Writer) { w.Bool("b", false) })
	}
	text, _ := sheetOf(t, CSVWithCommas, s)
	if want := "a,b,c\r\n1,,3\r\n,'=,\r\n,false,\r\n"; text != want || s.Rows() != 3 || string(s.Cell(0, 2)) != "3" {
		t.Errorf("%d rows: %q", s.Rows(), text)
	}
	one := NewSheet(nil, []string{"a"})
	one.Add(func(*Writer) {})
	if text, rows := sheetOf(t, CSVWithCommas, one); text != "a\r\n\"\"\r\n" || len(rows) != 2 {
		t.Errorf("a row with an empty cell is %q", text)
	}
}

// FuzzCSV writes any texts, and reads them as a spreadsheet would.
func FuzzCSV(f *testing.F) {
	f.Add("=1", "a;b,c\"d\r\ne", int64(-150))
	f.Add("\r", "\n", int64(0))
	f.Add("", "\"", int64(1))
	f.Add("x;=1,-2]\t @", ",\"-3\";\"+4", int64(2))
	f.Fuzz(func(t *testing.T, first, second string, n int64) {
		for _, form := range []CSV{CSVWithCommas, CSVWithSemicolons} {
			s, amount := NewSheet(nil, []string{"a", "amount", "b", "list"}), written(fmt.Sprintf("%d.05", n))
			for range 2 {
				s.Add(func(w *Writer) {
					w.String("a", first)
					Decimal(w, "amount", amount)
					w.String("b", second)
					w.StringArray("list", "item", []string{first, second})
				})
			}
			_, rows := sheetOf(t, form, s)
			want := []string{asRead(guarded(first, form)),
				strings.Replace(string(amount), ".", string([]byte{form.Point}), 1), asRead(guarded(second, form))}
			for _, row := range rows[1:] {
				if !slices.Equal(row[:3], want) {
					t.Fatalf("%q, want %q", row, want)
				}
				if array := guarded(string(s.Cell(0, 3)), form); row[3] != array || !json.Valid([]byte(array)) {
					t.Fatalf("%q, want %q", row[3], array)
				}
			}
			if len(rows) != 3 {
				t.Fatalf("%d rows", len(rows))
			}
		}
	})
}

// guarded returns a text with an apostrophe before what is a formula at its beginning, or behind a separator of another
// locale.
func guarded(text string, form CSV) string {
	var b strings.Builder
	if strings.IndexAny(strings.TrimLeft(text, " "), "=+-@\t\r") == 0 {
		b.WriteByte('\'')
	}
	for i := range len(text) {
		before := strings.TrimRight(text[:i], ` "`)
		if before != "" && strings.IndexByte("=+-@", text[i]) >= 0 {
			separator := before[len(before)-1]
			if separator != form.Separator && strings.IndexByte(";,\t\r\n", separator) >= 0 &&
				!regexp.MustCompile(fmt.Sprintf(`^-[0-9.]+"*[\]%c]`, separator)).MatchString(text[i:]) {
				b.WriteByte('\'')
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// valid returns a text with a replacement for each byte that is not UTF-8.
func valid(text string) string { return strings.Map(func(r rune) rune { return r }, text) }

// asRead returns a text as encoding/csv reads it, with the line ends of Unix.
func asRead(text string) string { return strings.ReplaceAll(valid(text), "\r\n", "\n") }
