package statement

import (
	"bytes"
	"strings"
	"time"

	"bordero/finance"
)

// order gives the places of the parts of a date, counted from 0.
type order struct{ year, month, day int }

var (
	yearMonthDay = order{year: 0, month: 1, day: 2}
	yearDayMonth = order{year: 0, month: 2, day: 1}
	dayMonthYear = order{year: 2, month: 1, day: 0}
	monthDayYear = order{year: 2, month: 0, day: 1}
)

// written is a date as a file writes it: eight digits, which the order splits, or three parts.
type written struct {
	compact    bool
	eight      [8]byte
	stamp      bool // they stand alone, or with six more of a time
	number     [3]int
	digits     [3]int
	name       int  // the part that is a month by name, counted from 1; 0 without a name
	apostrophe bool // before the last part; Quicken writes years from 2000 on so
}

// day returns the date, with its parts in the order; the zero Date if they are not a date.
func (w written) day(o order) finance.Date {
	if w.compact {
		w.split(o)
		if o.year == 2 && (!w.stamp || w.number[2] < 1900 || w.number[2] > 2199) { // 20101130 is no day of 1130
			return finance.Date{}
		}
	}
	year, digits := w.number[o.year], w.digits[o.year]
	switch {
	case w.number[o.month] > 12 || w.number[o.day] > 31: // NewDate takes its time
		return finance.Date{}
	case w.name > 0 && w.name-1 != o.month || w.digits[o.month] > 2 || w.digits[o.day] > 2:
		return finance.Date{}
	case digits == 3 || digits == 1 && o.year == 0:
		return finance.Date{}
	case digits == 4:
	case year < 70 || w.apostrophe:
		year += 2000
	default:
		year += 1900
	}
	day, _ := finance.NewDate(year, time.Month(w.number[o.month]), w.number[o.day])
	return day
}

// short reports whether the place of the year is open, because it has two digits.
func (w written) short() bool { return !w.compact && w.digits[0] < 4 && w.digits[2] < 4 }

func (w *written) split(o order) {
	at := 0
	for part := range w.number {
		w.digits[part] = 2
		if part == o.year {
			w.digits[part] = 4
		}
		for range w.digits[part] {
			w.number[part] = w.number[part]*10 + int(w.eight[at]-'0')
			at++
		}
	}
}

// parseWritten reads a date: eight digits or three parts, one of which may be the name of a month. The parts are
// separated by '/', '-' or blanks; in QIF also by '.', ',' or an apostrophe, and six digits are a date. A time may
// follow; after eight digits, anything.
func parseWritten(text []byte, format Format) (w written, ok bool) {
	separators := "/-"
	switch {
	case format == QIF:
		separators = "/-.,'"
	case format.inRows():
		separators = "/-."
	}
	switch n := leading(text); {
	case n >= 8:
		copy(w.eight[:], text)
		w.compact, w.stamp = true, n == 8 || n == 14
		return w, true
	case n == 6 && format == QIF:
		for part := range w.number {
			w.read(part, text[2*part:2*part+2])
		}
		return w, isTime(text[n:])
	}
	for part := range w.number {
		if part > 0 {
			named := w.name == part
			// 26JAN2026 needs no separator.
			if text, w.apostrophe, ok = separator(text, separators); !ok && named == (letters(text) > 0) {
				return w, false
			}
		}
		n := leading(text)
		if name := letters(text); name > 0 && w.name == 0 {
			w.name, w.number[part] = part+1, month(string(text[:name]))
			n = name
		} else if n > 0 && n <= 4 {
			w.read(part, text[:n])
		} else {
			return w, false
		}
		text = text[n:]
	}
	return w, isTime(text)
}

func (w *written) read(part int, digits []byte) {
	for _, c := range digits {
		w.number[part] = w.number[part]*10 + int(c-'0')
	}
	w.digits[part] = len(digits)
}

// leading returns how many digits text begins with.
func leading(text []byte) (n int) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// letters returns the length of the word that text begins with.
func letters(text []byte) (n int) {
	for n < len(text) && ('a' <= text[n]|0x20 && text[n]|0x20 <= 'z' || text[n] >= 0x80) {
		n++
	}
	return n
}

// separator skips one separator, which blanks and the "de" of Portuguese dates may surround.
func separator(text []byte, separators string) (rest []byte, apostrophe, ok bool) {
	rest = bytes.TrimLeft(text, " ")
	if len(rest) > 0 && strings.IndexByte(separators, rest[0]) >= 0 {
		apostrophe, rest = rest[0] == '\'', bytes.TrimLeft(rest[1:], " ")
	} else if len(rest) > 3 && len(rest) < len(text) && strings.EqualFold(string(rest[:3]), "de ") {
		rest = bytes.TrimLeft(rest[3:], " ")
	}
	return rest, apostrophe, len(rest) < len(text)
}

// isTime reports whether text is empty or looks like the time that follows a date.
func isTime(text []byte) bool {
	rest := bytes.TrimLeft(text, " ")
	switch {
	case len(rest) == 0 || rest[0] == '[':
		return true
	case rest[0]|0x20 == 't':
		return leading(rest[1:]) > 0
	}
	return len(rest) < len(text) && leading(rest) > 0 && bytes.IndexByte(rest, ':') > 0
}

var months = [][2]string{
	{"JANUARY", "JANEIRO"}, {"FEBRUARY", "FEVEREIRO"}, {"MARCH", "MARCO"}, {"APRIL", "ABRIL"}, {"MAY", "MAIO"},
	{"JUNE", "JUNHO"},
	{"JULY", "JULHO"}, {"AUGUST", "AGOSTO"}, {"SEPTEMBER", "SETEMBRO"}, {"OCTOBER", "OUTUBRO"},
	{"NOVEMBER", "NOVEMBRO"}, {"DECEMBER", "DEZEMBRO"},
}

// month returns the number of a month by its name in English or Portuguese, whole or three letters;
// 0 if it is no month.
func month(name string) int {
	name = unaccented(name)
	for i, names := range months {
		for _, whole := range names {
			if name == whole || name == whole[:3] {
				return i + 1
			}
		}
	}
	return 0
}
