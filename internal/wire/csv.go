package wire

import (
	"bytes"
	"strings"
)

// CSV is a form of RFC 4180: the character between two cells, and the one before the decimals of numbers.
type CSV struct{ Separator, Point byte }

// The forms that spreadsheets read, in English and in Portuguese.
var (
	CSVWithCommas     = CSV{',', '.'}
	CSVWithSemicolons = CSV{';', ','}
)

// BOM tells a spreadsheet that a file is in UTF-8.
const BOM = "\xEF\xBB\xBF"

// encoding/csv would change the line ends within cells, and take an allocation for each cell.

// AppendCSVHeader appends the row with the names of the columns.
func (s *Sheet) AppendCSVHeader(b []byte, form CSV) []byte {
	for i, name := range s.columns {
		if i > 0 {
			b = append(b, form.Separator)
		}
		b = append(b, name...)
	}
	return append(b, "\r\n"...)
}

// AppendCSV appends the rows. What a spreadsheet would take for a formula in a text, whatever the separator of its
// locale, has an apostrophe before it.
func (s *Sheet) AppendCSV(b []byte, form CSV) []byte {
	special := string([]byte{form.Separator}) + "\"\r\n"
	for i := range s.cells {
		column := i % len(s.columns)
		if column > 0 {
			b = append(b, form.Separator)
		}
		b = form.append(b, s.text(s.cells[i]), s.cells[i].kind, special)
		if column == len(s.columns)-1 {
			if column == 0 && s.cells[i].from == s.cells[i].to {
				b = append(b, `""`...) // an empty line is no row
			}
			b = append(b, "\r\n"...)
		}
	}
	return b
}

// append appends a cell, in quotes if it has one of the special characters.
func (form CSV) append(b, text []byte, kind valueType, special string) []byte {
	switch kind {
	case stringType, arrayType, objectType:
	case decimalType, numberType:
		from := len(b)
		b = append(b, text...)
		if point := bytes.IndexByte(b[from:], '.'); point >= 0 {
			b[from+point] = form.Point
		}
		return b
	default: // has no special character
		return append(b, text...)
	}
	quoted := bytes.ContainsAny(text, special)
	if quoted {
		b = append(b, '"')
	}
	if looksLikeFormula(text) {
		b = append(b, '\'')
	}
	for at := form.formulaWithin(text); at >= 0; at = form.formulaWithin(text) {
		b = append(appendDoubled(b, text[:at]), '\'')
		text = text[at:]
	}
	b = appendDoubled(b, text)
	if quoted {
		b = append(b, '"')
	}
	return b
}

// appendDoubled appends a text with each quote twice.
func appendDoubled(b, text []byte) []byte {
	for {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			return append(b, text...)
		}
		b = append(append(b, text[:quote+1]...), '"')
		text = text[quote+1:]
	}
}

// looksLikeFormula reports whether a spreadsheet would take a text for a formula. Some ignore blanks before it.
func looksLikeFormula(text []byte) bool {
	text = bytes.TrimLeft(text, " ")
	return len(text) > 0 && strings.IndexByte("=+-@\t\r", text[0]) >= 0
}

// formulaWithin returns where the first formula within a text begins, for a spreadsheet in a locale with another
// separator: there the text is several cells, whatever its quotes; -1 without a formula. The form's own separator ends
// no cell there.
func (form CSV) formulaWithin(text []byte) int {
	for at := 0; ; at++ {
		next := bytes.IndexAny(text[at:], ";,\t\r\n")
		if next < 0 {
			return -1
		}
		at += next
		if text[at] == form.Separator {
			continue
		}
		cell := bytes.TrimLeft(text[at+1:], ` "`)
		if len(cell) > 0 && strings.IndexByte("=+-@", cell[0]) >= 0 && !isNumber(cell, text[at]) {
			return len(text) - len(cell)
		}
	}
}

// isNumber reports whether a cell is a negative number up to the separator, or to the end of an array in JSON, where an
// apostrophe would be a fault. A number at the end of the text is not safe: with a comma after it, as the form's own
// separator, the next cell may go on as its decimals.
func isNumber(cell []byte, separator byte) bool {
	after := bytes.TrimLeft(cell[1:], "0123456789.")
	end := bytes.TrimLeft(after, `"`)
	return cell[0] == '-' && len(after) < len(cell)-1 && len(end) > 0 && (end[0] == separator || end[0] == ']')
}
