package wire

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
)

// Workbook writes the rows of sheets as a workbook of one worksheet (XLSX, ECMA-376), which it sends while rows are
// added: it holds neither rows nor a file, and each amount is written with the digits that it has in JSON
// (decision 0042). A workbook without Close has no directory, and no program opens it.
type Workbook struct {
	// Sums names the columns of amounts that are summed in the last row; nil sums nothing. It may be set to nil until
	// Close.
	Sums map[string]bool

	title string
	zip   *zip.Writer
	sheet io.Writer // nil before the header row
	buf   []byte    // not written to sheet yet
	cols  []workbookColumn
	row   int // the last one that was written, from 1
}

// workbookColumn is a column with the sum of its cells.
type workbookColumn struct {
	name, letters string
	width         int // in characters
	cents         big.Int
	inexact       bool // a cell has no cents
}

// WorkbookMemory is about the memory of a Workbook in bytes.
const WorkbookMemory = 1 << 20

// The styles of cells, as the cellXfs of styles.xml count them.
const (
	plainStyle = iota
	headerStyle
	integerStyle
	amountStyle
	dateStyle
	momentStyle
	quotedStyle // a text that would become a formula if a person edited it
	sumStyle
)

const (
	// longestCell is how many UTF-16 code units a cell may have.
	longestCell = 32_767
	// longestTitle is how many characters the name of a worksheet may have.
	longestTitle = 31
	// widestColumn is how wide a column is at most, however long its texts are.
	widestColumn = 48
	// workbookChunk is how many bytes of a worksheet are collected before they are compressed.
	workbookChunk = 32 << 10
)

// NewWorkbook returns a workbook that is written to w, whose worksheet has the title.
func NewWorkbook(w io.Writer, title string) *Workbook {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	return &Workbook{zip: z, title: title[:min(len(title), longestTitle)]}
}

// Add adds the rows of a sheet. The first call writes the header row and the widths of the columns, which the rows of
// that sheet determine; the others need a sheet with the same columns.
func (b *Workbook) Add(s *Sheet) error {
	if b.sheet == nil {
		if err := b.begin(s); err != nil {
			return err
		}
	}
	for i, cell := range s.cells {
		column := i % len(s.columns)
		if column == 0 {
			b.beginRow()
		}
		b.cell(&b.cols[column], s.text(cell), cell.kind)
		if column == len(s.columns)-1 {
			if err := b.endRow(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close writes the row of sums, below at least one row, and the end of the file.
func (b *Workbook) Close() error {
	if b.Sums != nil && b.row > 1 {
		last := strconv.Itoa(b.row)
		b.beginRow()
		for i := range b.cols {
			if c := &b.cols[i]; b.Sums[c.name] {
				b.open(c, sumStyle, "")
				b.buf = fmt.Appendf(b.buf, "<f>SUM(%s2:%s%s)</f>", c.letters, c.letters, last)
				if !c.inexact {
					b.buf = append(append(append(b.buf, "<v>"...), inUnits(&c.cents)...), "</v>"...)
				}
				b.buf = append(b.buf, "</c>"...)
			}
		}
		if err := b.endRow(); err != nil {
			return err
		}
	}
	b.buf = append(b.buf, "</sheetData></worksheet>"...)
	if _, err := b.sheet.Write(b.buf); err != nil {
		return err
	}
	return b.zip.Close()
}

func (b *Workbook) begin(s *Sheet) (err error) {
	for _, part := range workbookParts {
		w, err := b.zip.Create(part.name)
		if err != nil {
			return err
		}
		text := bytes.ReplaceAll([]byte(part.text), []byte("{title}"), appendCellText(nil, []byte(b.title)))
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if b.sheet, err = b.zip.Create("xl/worksheets/sheet1.xml"); err != nil {
		return err
	}
	b.cols = make([]workbookColumn, len(s.columns))
	b.buf = append(b.buf, worksheetBegin...)
	for i, name := range s.columns {
		b.cols[i].name, b.cols[i].letters, b.cols[i].width = name, columnLetters(i), len(name)+2
	}
	for i, cell := range s.cells {
		c := &b.cols[i%len(s.columns)]
		c.width = max(c.width, widthOf(s.text(cell), cell.kind))
	}
	for i := range b.cols {
		b.buf = fmt.Appendf(b.buf, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1,
			min(b.cols[i].width, widestColumn))
	}
	b.buf = append(b.buf, "</cols><sheetData>"...)
	b.beginRow()
	for i := range b.cols {
		b.writeText(&b.cols[i], headerStyle, []byte(b.cols[i].name))
	}
	return b.endRow()
}

func (b *Workbook) beginRow() {
	b.row++
	b.buf = append(strconv.AppendInt(append(b.buf, `<row r="`...), int64(b.row), 10), `">`...)
}

func (b *Workbook) endRow() error {
	b.buf = append(b.buf, "</row>"...)
	if len(b.buf) < workbookChunk {
		return nil
	}
	_, err := b.sheet.Write(b.buf)
	b.buf = b.buf[:0]
	return err
}

// cell writes a cell by its kind; an empty one is left out.
func (b *Workbook) cell(c *workbookColumn, text []byte, kind valueType) {
	if len(text) == 0 {
		return
	}
	switch kind {
	case integerType:
		b.writeValue(c, integerStyle, "", text)
	case decimalType, numberType:
		b.decimal(c, text)
	case booleanType:
		is := "0"
		if string(text) == "true" {
			is = "1"
		}
		b.writeValue(c, plainStyle, "b", []byte(is))
	case dateType, datetimeType:
		layout, style := time.DateOnly, dateStyle
		if kind == datetimeType {
			layout, style = time.RFC3339, momentStyle
		}
		at, err := time.Parse(layout, string(text))
		if serial := serialOf(at); err == nil && serial != "" {
			b.writeValue(c, style, "", []byte(serial))
			return
		}
		b.writeText(c, plainStyle, text)
	default:
		style := plainStyle
		if looksLikeFormula(text) {
			style = quotedStyle
		}
		b.writeText(c, style, text)
	}
}

// decimal writes a number with its digits, and adds it to the sum of the column.
func (b *Workbook) decimal(c *workbookColumn, text []byte) {
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	style := amountStyle
	if len(fraction) > 2 { // a percentage
		style = plainStyle
	}
	b.writeValue(c, style, "", text)
	if !b.Sums[c.name] {
		return
	}
	digits := append(append(slices.Clone(whole), fraction...), "00"[min(len(fraction), 2):]...)
	cents, isNumber := new(big.Int).SetString(string(digits), 10)
	if len(fraction) > 2 || !isNumber {
		c.inexact = true
		return
	}
	c.cents.Add(&c.cents, cents)
}

// open begins a cell of a type of the file; "" is a number.
func (b *Workbook) open(c *workbookColumn, style int, kind string) {
	b.buf = append(append(b.buf, `<c r="`...), c.letters...)
	b.buf = append(strconv.AppendInt(b.buf, int64(b.row), 10), '"')
	if style != plainStyle {
		b.buf = append(strconv.AppendInt(append(b.buf, ` s="`...), int64(style), 10), '"')
	}
	if kind != "" {
		b.buf = append(append(append(b.buf, ` t="`...), kind...), '"')
	}
	b.buf = append(b.buf, '>')
}

func (b *Workbook) writeValue(c *workbookColumn, style int, kind string, value []byte) {
	b.open(c, style, kind)
	b.buf = append(append(append(b.buf, "<v>"...), value...), "</v></c>"...)
}

func (b *Workbook) writeText(c *workbookColumn, style int, text []byte) {
	b.open(c, style, "inlineStr")
	b.buf = append(b.buf, `<is><t xml:space="preserve">`...)
	b.buf = append(appendCellText(b.buf, text), "</t></is></c>"...)
}

// appendCellText appends a text, escaped for XML. Characters that XML 1.0 cannot have are written as _x0001_ (the type
// ST_Xstring of ECMA-376). A text that is too long for a cell is cut, and ends with an ellipsis.
func appendCellText(b, text []byte) []byte {
	text, cut := fitCell(text)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '\r': // a parser reads a bare one as a line feed
			b = append(b, "&#13;"...)
		case r == '_' && isEscape(text[i:]):
			b = append(b, "_x005F_"...)
		case r < ' ' && r != '\t' && r != '\n', r == '\uFFFE', r == '\uFFFF':
			b = fmt.Appendf(b, "_x%04X_", r)
		default:
			b = utf8.AppendRune(b, r)
		}
		i += size
	}
	if cut {
		b = append(b, "…"...)
	}
	return b
}

// fitCell returns the part of a text that fits in a cell, with space for an ellipsis if it was cut.
func fitCell(text []byte) (part []byte, cut bool) {
	if len(text) <= longestCell {
		return text, false
	}
	units, end := 0, 0 // end is the place of the ellipsis
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if units += utf16.RuneLen(r); units < longestCell {
			end = i + size
		}
		if units > longestCell {
			return text[:end], true
		}
		i += size
	}
	return text, false
}

// isEscape reports whether a program would read the beginning of a text as the escape of a character.
func isEscape(text []byte) bool {
	if len(text) < 7 || text[1] != 'x' || text[6] != '_' {
		return false
	}
	_, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return err == nil
}

// serialOf returns a day, with the time of the clock in its zone, as the number of days from 1899-12-30; "" for days
// that are no such number: Excel takes 1900 for a leap year, and reads four digits of a year.
func serialOf(at time.Time) string {
	if at.Year() > 9999 || at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, at.Location())) {
		return ""
	}
	clock := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	seconds := clock.Unix() + 25_569*86_400
	days, rest := seconds/86_400, seconds%86_400
	if rest == 0 {
		return strconv.FormatInt(days, 10)
	}
	return fmt.Sprintf("%d.%010d", days, (rest*10_000_000_000+43_200)/86_400)
}

// inUnits returns cents as a decimal.
func inUnits(cents *big.Int) string {
	text := fmt.Sprintf("%03d", new(big.Int).Abs(cents))
	sign := ""
	if cents.Sign() < 0 {
		sign = "-"
	}
	return sign + text[:len(text)-2] + "." + text[len(text)-2:]
}

// widthOf returns the width of a cell in characters.
func widthOf(text []byte, kind valueType) int {
	switch kind {
	case dateType:
		return 12
	case datetimeType:
		return 20
	case decimalType, numberType: // and its separators of thousands
		return len(text)*4/3 + 3
	}
	if len(text) > 4*widestColumn {
		return widestColumn
	}
	return utf8.RuneCount(text) + 2
}

// columnLetters returns the letters of a column, from 0: A to Z, then AA.
func columnLetters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnLetters(i/26-1) + string(rune('A'+i%26))
}
