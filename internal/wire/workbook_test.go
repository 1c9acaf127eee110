package wire

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"bordero/internal/tier"

	"github.com/xuri/excelize/v2"
)

// workbookOf returns the workbook of pages of rows as another library reads it.
func workbookOf(t testing.TB, sums map[string]bool, pages ...*Sheet) *excelize.File {
	t.Helper()
	var file bytes.Buffer
	b := NewWorkbook(&file, "records")
	b.Sums = sums
	for _, s := range pages {
		if err := b.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// rawCell returns the value of a cell as it is written, with its type and the number of its format.
func rawCell(t testing.TB, f *excelize.File, cell string) (value string, kind excelize.CellType, format int) {
	t.Helper()
	value, err := f.GetCellValue("records", cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	if kind, err = f.GetCellType("records", cell); err != nil {
		t.Fatal(err)
	}
	index, err := f.GetCellStyle("records", cell)
	if err != nil {
		t.Fatal(err)
	}
	style, err := f.GetStyle(index)
	if err != nil {
		t.Fatal(err)
	}
	if style.CustomNumFmt != nil {
		return value, kind, -1
	}
	return value, kind, style.NumFmt
}

func TestCellsOfAWorkbook(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 28, 14, 35, 12, 0, saoPaulo)
	on := func(year, month, date int) day {
		return day{time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)}
	}
	const text, number, boolean = excelize.CellTypeInlineString, excelize.CellTypeUnset, excelize.CellTypeBool
	for name, test := range map[string]struct {
		write  func(*Writer)
		want   string
		kind   excelize.CellType
		format int // -1 for one of our own
	}{
		"a text":           {func(w *Writer) { w.String("v", "Padaria") }, "Padaria", text, 0},
		"a formula":        {func(w *Writer) { w.String("v", "=1+1") }, "=1+1", text, 0},
		"a number as text": {func(w *Writer) { w.String("v", "007") }, "007", text, 0},
		"an integer":       {func(w *Writer) { w.Int("v", -7) }, "-7", number, 1},
		"an amount":        {func(w *Writer) { Decimal(w, "v", written("-1.5")) }, "-1.5", number, 4},
		"the largest amount": {func(w *Writer) { Decimal(w, "v", written("9999999999999.99")) },
			"9999999999999.99", number, 4},
		"a sum of them": {func(w *Writer) { Decimal(w, "v", written("999999999999999.97")) },
			"999999999999999.97", number, 4},
		"a percentage":    {func(w *Writer) { Number(w, "v", written("2.7525")) }, "2.7525", number, 0},
		"a day":           {func(w *Writer) { Date(w, "v", on(2026, 3, 28)) }, "46109", number, 14},
		"the first day":   {func(w *Writer) { Date(w, "v", on(1900, 3, 1)) }, "61", number, 14},
		"the last day":    {func(w *Writer) { Date(w, "v", on(9999, 12, 31)) }, "2958465", number, 14},
		"a day before":    {func(w *Writer) { Date(w, "v", on(1900, 2, 28)) }, "1900-02-28", text, 0},
		"a moment":        {func(w *Writer) { w.Time("v", at) }, "46109.6077777778", number, -1},
		"a moment in UTC": {func(w *Writer) { w.Time("v", at.UTC()) }, "46109.6077777778", number, -1},
		"midnight": {func(w *Writer) { w.Time("v", at.Truncate(24*time.Hour).Add(3*time.Hour)) },
			"46109", number, -1},
		"the last second": {func(w *Writer) { w.Time("v", time.Date(2026, 3, 28, 23, 59, 59, 0, saoPaulo)) },
			"46109.9999884259", number, -1},
		"true":      {func(w *Writer) { w.Bool("v", true) }, "1", boolean, 0},
		"false":     {func(w *Writer) { w.Bool("v", false) }, "0", boolean, 0},
		"null":      {func(w *Writer) { w.Null("v") }, "", number, 0},
		"ids":       {func(w *Writer) { w.IntArray("v", "id", []int64{1, 2}) }, "[1,2]", text, 0},
		"an object": {func(w *Writer) { w.Object("v", func() { w.String("a", "<&>") }) }, `{"a":"<&>"}`, text, 0},
		"spaces":    {func(w *Writer) { w.String("v", "  a ") }, "  a ", text, 0},
		"line ends": {func(w *Writer) { w.String("v", "\r\na\rb\n\t") }, "\r\na\rb\n\t", text, 0},
		"markup":    {func(w *Writer) { w.String("v", `</t><f>1</f>&amp;"`) }, `</t><f>1</f>&amp;"`, text, 0},
		"control characters": {func(w *Writer) { w.String("v", "\x00a\x01\x1f\x7f\ufffe\uffff") },
			"\x00a\x01\x1f\x7f\ufffe\uffff", text, 0},
		"an escape":     {func(w *Writer) { w.String("v", "_x0041_ _x005f_ _x00") }, "_x0041_ _x005f_ _x00", text, 0},
		"emoji":         {func(w *Writer) { w.String("v", "👩‍👩‍👧 😀") }, "👩‍👩‍👧 😀", text, 0},
		"right to left": {func(w *Writer) { w.String("v", "\u202eשלום مرحبا") }, "\u202eשלום مرحبا", text, 0},
		"no UTF-8":      {func(w *Writer) { w.String("v", "a\xffb") }, "a\uFFFDb", text, 0},
	} {
		s := NewSheet(saoPaulo, []string{"id", "v"})
		s.Add(func(w *Writer) { w.Int("id", 1); test.write(w) })
		f := workbookOf(t, nil, s)
		value, kind, format := rawCell(t, f, "B2")
		if value != test.want || kind != test.kind || format != test.format {
			t.Errorf("%s: %q of type %d and format %d, want %q, %d, %d", name, value, kind, format, test.want,
				test.kind, test.format)
		}
		if formula, err := f.GetCellFormula("records", "B2"); err != nil || formula != "" {
			t.Errorf("%s: the formula %q, %v", name, formula, err)
		}
	}
}

// Programs that know XML, but not the escapes of Excel, read line ends and blanks too.
func TestTextsOfAWorkbookAreXML(t *testing.T) {
	t.Parallel()
	b := Workbook{row: 1}
	b.writeText(&workbookColumn{letters: "A"}, plainStyle, []byte(" a\r\nb&"))
	want := `<c r="A1" t="inlineStr"><is><t xml:space="preserve"> a&#13;` + "\n" + `b&amp;</t></is></c>`
	if string(b.buf) != want {
		t.Errorf("%s, want %s", b.buf, want)
	}
}

// A text that is longer than a cell is cut between two characters.
func TestALongTextIsCut(t *testing.T) {
	t.Parallel()
	for text, units := range map[string]int{
		strings.Repeat("a", 32_767): 32_767, strings.Repeat("é", 32_767): 32_767, strings.Repeat("a", 32_768): 32_767,
		strings.Repeat("😀", 16_383): 32_766, strings.Repeat("😀", 16_384): 32_767,
		"a" + strings.Repeat("😀", 20_000): 32_766,
	} {
		s := NewSheet(nil, []string{"v"})
		s.Add(func(w *Writer) { w.String("v", text) })
		got, _, _ := rawCell(t, workbookOf(t, nil, s), "A2")
		begin, cut := strings.CutSuffix(got, "…")
		if n := len(utf16.Encode([]rune(got))); n != units || cut != (got != text) || !strings.HasPrefix(text, begin) {
			t.Errorf("%d units of %d (%d wanted), cut: %v", n, len(utf16.Encode([]rune(text))), units, cut)
		}
	}
}

// The last row has the sums, whose stored values are those that a program computes.
func TestTheLastRowHasSums(t *testing.T) {
	t.Parallel()
	s := NewSheet(nil, []string{"id", "amount", "fee_percentage", "negative", "none"})
	want := new(big.Int)
	for page := range 3 {
		for n := range 100 {
			cents := big.NewInt(int64(page*1000+n)*7_777_777_777 + 1)
			want.Add(want, cents)
			s.Add(func(w *Writer) {
				w.Int("id", int64(n))
				Decimal(w, "amount", written(strings.TrimSuffix(inUnits(cents), "0")))
				Decimal(w, "fee_percentage", written("2.7525"))
				Decimal(w, "negative", written("-0.1"))
				DecimalPtr(w, "none", (*written)(nil))
			})
		}
	}
	sums := map[string]bool{"amount": true, "negative": true, "none": true, "other": true}
	f := workbookOf(t, sums, s)
	for cell, value := range map[string]string{"B302": inUnits(want), "D302": "-30.00", "E302": "0.00"} {
		got, _, format := rawCell(t, f, cell)
		formula, err := f.GetCellFormula("records", cell)
		column := cell[:1]
		if err != nil || got != value || formula != "SUM("+column+"2:"+column+"301)" || format != 4 {
			t.Errorf("%s: %s of %q, want %s; %v", cell, got, formula, value, err)
		}
		computed, err := f.CalcCellValue("records", cell, excelize.Options{RawCellValue: true})
		if a, b := inCents(t, computed), inCents(t, got); err != nil || a.Cmp(b) != 0 {
			t.Errorf("%s is computed as %s, and stored as %s; %v", cell, computed, got, err)
		}
	}
	for _, cell := range []string{"A302", "C302"} {
		if got, _, _ := rawCell(t, f, cell); got != "" {
			t.Errorf("%s is %q", cell, got)
		}
	}
	for name, f := range map[string]*excelize.File{
		"no rows": workbookOf(t, sums, NewSheet(nil, s.columns)), "no sums": workbookOf(t, nil, s),
	} {
		if rows, err := f.GetRows("records"); err != nil || len(rows) != 1 && name == "no rows" || len(rows) == 302 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

// inCents returns a decimal in cents, to the nearest one.
func inCents(t testing.TB, decimal string) *big.Int {
	t.Helper()
	r, ok := new(big.Rat).SetString(decimal)
	if !ok {
		t.Fatalf("%q is no decimal", decimal)
	}
	digits := strings.Replace(r.FloatString(2), ".", "", 1)
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

func TestTheHeaderRowIsFrozenAndBold(t *testing.T) {
	t.Parallel()
	columns := make([]string, 60)
	for i := range columns {
		columns[i] = fmt.Sprintf("column_%d", i)
	}
	s := NewSheet(nil, columns)
	s.Add(func(w *Writer) {
		w.String("column_1", strings.Repeat("a", 30))
		w.String("column_2", strings.Repeat("a", 150))
		w.String("column_59", "last")
	})
	f := workbookOf(t, nil, s)
	rows, err := f.GetRows("records")
	if err != nil || len(rows) != 2 || !slices.Equal(rows[0], columns) || rows[1][59] != "last" {
		t.Errorf("%q, %v", rows, err)
	}
	index, _ := f.GetCellStyle("records", "BH1")
	style, err := f.GetStyle(index)
	if err != nil || style.Font == nil || !style.Font.Bold {
		t.Errorf("the style of the header: %+v, %v", style, err)
	}
	panes, err := f.GetPanes("records")
	if err != nil || !panes.Freeze || panes.YSplit != 1 || panes.TopLeftCell != "A2" {
		t.Errorf("%+v, %v", panes, err)
	}
	for column, want := range map[string]float64{"A": 10, "B": 32, "C": widestColumn} {
		if got, err := f.GetColWidth("records", column); err != nil || got != want {
			t.Errorf("column %s is %v wide, want %v; %v", column, got, want, err)
		}
	}
}

// A file that breaks off is not taken for a whole one.
func TestAWorkbookWithoutItsEndIsNotOpened(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	b := NewWorkbook(&file, "records")
	s := NewSheet(nil, []string{"v"})
	for n := range 20_000 {
		s.Add(func(w *Writer) { w.Int("v", int64(n)*7919) })
	}
	if err := b.Add(s); err != nil {
		t.Fatal(err)
	}
	if file.Len() < 10_000 {
		t.Fatalf("only %d bytes were sent", file.Len())
	}
	if _, err := excelize.OpenReader(bytes.NewReader(file.Bytes())); err == nil {
		t.Error("it was opened")
	}
}

// The memory of a workbook does not grow with its rows, and is about WorkbookMemory.
func TestALongWorkbookHoldsLittle(t *testing.T) { // not in parallel: it measures the heap
	s := NewSheet(nil, []string{"id", "amount", "text", "at"})
	for n := range 500 {
		s.Add(func(w *Writer) {
			w.Int("id", int64(n))
			Decimal(w, "amount", written(fmt.Sprintf("%d.07", n)))
			w.String("text", fmt.Sprint("PIX ENVIADO MARIA DA CONCEIÇÃO ", n*7919))
			w.Time("at", time.Unix(int64(n)*86_413, 0))
		})
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	b := NewWorkbook(io.Discard, "records")
	b.Sums = map[string]bool{"amount": true}
	most := int64(0)
	pages := tier.Size(40, 200)
	for page := range pages {
		if err := b.Add(s); err != nil {
			t.Fatal(err)
		}
		if page%20 == 19 {
			most = max(most, heap()-before)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB at most for %d rows", most>>10, pages*s.Rows())
	if most > 2*WorkbookMemory {
		t.Errorf("%d bytes were held", most)
	}
}

// FuzzWorkbook writes any texts, and reads them with another library.
func FuzzWorkbook(f *testing.F) {
	f.Add("=1", "a;b,c\"d\r\ne", int64(-150))
	f.Add("_x005F_x0041_", "\x00\ufffe", int64(0))
	f.Add("]]>", "<!--", int64(1))
	f.Fuzz(func(t *testing.T, first, second string, n int64) {
		s := NewSheet(nil, []string{"a", "amount", "b"})
		for range 2 {
			s.Add(func(w *Writer) {
				w.String("a", first)
				Decimal(w, "amount", written(inUnits(big.NewInt(n))))
				w.String("b", second)
			})
		}
		book := workbookOf(t, map[string]bool{"amount": true}, s)
		for cell, want := range map[string]string{"A2": valid(first), "C3": valid(second),
			"B3": inUnits(big.NewInt(n)), "B4": inUnits(new(big.Int).Mul(big.NewInt(n), big.NewInt(2)))} {
			if got, _, _ := rawCell(t, book, cell); got != want {
				t.Errorf("%s: %q, want %q", cell, got, want)
			}
		}
	})
}
