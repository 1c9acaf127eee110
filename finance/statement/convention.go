package statement

import (
	"strings"
	"time"

	"bordero/finance"
)

// convention is the way a QIF file writes dates and amounts, as far as its headers and rows show it.
// The format leaves that to the country of the program that wrote the file.
type convention struct {
	dayFirst, monthFirst       bool // a header states this order, or a date has a field above 12 that shows it
	decimalComma, decimalPoint bool
}

// see records what the row shows.
func (c *convention) see(day []byte, amount string) {
	if d, ok := parseWritten(day); ok && !d.yearFirst() {
		c.dayFirst = c.dayFirst || 12 < d.number[0] && d.number[0] <= 31
		c.monthFirst = c.monthFirst || 12 < d.number[1] && d.number[1] <= 31
	}
	switch point := decimalPoint(amount); {
	case point == len(amount) || point == thousands(amount):
	case amount[point] == ',':
		c.decimalComma = true
	default:
		c.decimalPoint = true
	}
}

// day reads a date; the zero Date is none. An ambiguous date is read as day/month/year.
func (c convention) day(text []byte) finance.Date {
	d, ok := parseWritten(text)
	if !ok {
		return finance.Date{}
	}
	year, month, day := 2, 1, 0
	switch {
	case d.yearFirst():
		year, day = 0, 2
	case c.monthFirst && !c.dayFirst:
		month, day = 0, 1
	}
	y := d.number[year]
	switch {
	case d.digits[year] == 3:
		return finance.Date{}
	case d.digits[year] == 4:
	case y < 70 || d.apostrophe:
		y += 2000
	default:
		y += 1900
	}
	date, _ := finance.NewDate(y, time.Month(d.number[month]), d.number[day])
	return date
}

// amount removes a lone thousands separator: a comma unless some rows have a decimal comma, a
// point if only decimal commas occur.
func (c convention) amount(text string) string {
	i := thousands(text)
	if i < 0 || text[i] == ',' && c.decimalComma || text[i] == '.' && (c.decimalPoint || !c.decimalComma) {
		return text
	}
	return text[:i] + text[i+1:]
}

// thousands returns the index of the only mark of an amount if it may group thousands, as in
// 12,345 and 12.345; else -1.
func thousands(amount string) int {
	i := strings.IndexAny(amount, ".,")
	if i < 0 {
		return -1
	}
	before, _ := trimSigns(amount[:i])
	after := amount[i+1:]
	if len(before) < 1 || len(before) > 3 || before[0] == '0' || len(after) != 3 || !isNumber(before) || !isNumber(after) {
		return -1
	}
	return i
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// written is a date of three numeric fields.
type written struct {
	number, digits [3]int
	apostrophe     bool // before the last field; Quicken writes years from 2000 on so
}

func (w written) yearFirst() bool { return w.digits[0] == 4 }

// parseWritten reads three numbers of at most four digits, padded with spaces and separated by
// '/', '-', '.' or an apostrophe.
func parseWritten(text []byte) (w written, ok bool) {
	n, padded := 0, false
	for _, c := range text {
		switch {
		case '0' <= c && c <= '9':
			if padded || w.digits[n] == 4 {
				return w, false
			}
			w.number[n] = w.number[n]*10 + int(c-'0')
			w.digits[n]++
		case c == ' ':
			padded = w.digits[n] > 0
		case (c == '/' || c == '-' || c == '.' || c == '\'') && n < 2 && w.digits[n] > 0:
			n, padded = n+1, false
			w.apostrophe = c == '\''
		default:
			return w, false
		}
	}
	return w, n == 2 && w.digits[2] > 0
}
