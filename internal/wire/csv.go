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

// AppendCSV appends the rows. A text that a spreadsheet would take for a formula begins with an apostrophe.
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
	guard := looksLikeFormula(text)
	quoted := bytes.ContainsAny(text, special)
	if quoted {
		b = append(b, '"')
	}
	if guard {
		b = append(b, '\'')
	}
	if !quoted {
		return append(b, text...)
	}
	for {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			break
		}
		b = append(append(b, text[:quote+1]...), '"')
		text = text[quote+1:]
	}
	return append(append(b, text...), '"')
}

// looksLikeFormula reports whether a spreadsheet would take a text for a formula.
func looksLikeFormula(text []byte) bool {
	return len(text) > 0 && strings.IndexByte("=+-@\t\r", text[0]) >= 0
}
