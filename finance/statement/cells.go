package statement

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
)

// cellSurvey is how the cells of a table are written. One decimal mark holds for the whole file.
type cellSurvey struct {
	point, comma    seen // decimal marks
	open            seen // an amount like 1.234, which does not show its decimal mark
	serial, written seen // dates
	decimal         byte // the mark that a mapping states; 0 without one
	ends            rowEnds
}

// seen is the first cell of a kind; its row is 0 if there is none.
type seen struct {
	row         int
	place, text string
}

func (s *seen) set(row int, place string, text []byte) {
	if s.row == 0 {
		*s = seen{row, place, string(clean(nil, text))}
	}
}

// mapped notes the decimal mark that a mapping states.
func (c *cellSurvey) mapped(m *finance.StatementMapping) {
	if m.Decimal != nil {
		c.decimal = (*m.Decimal)[0]
	}
}

// see records the marks of an amount. It returns the place of the kind of cell if this is its first.
func (c *cellSurvey) see(number []byte) *seen {
	point, comma := bytes.IndexByte(number, '.'), bytes.IndexByte(number, ',')
	mark := max(bytes.LastIndexByte(number, '.'), bytes.LastIndexByte(number, ','))
	var kind *seen
	switch {
	case mark < 0:
		return nil
	case point >= 0 && comma >= 0: // the last mark is the decimal mark
		kind = c.ofMark(number[mark])
	case max(point, comma) < mark: // only thousands have several marks
		kind = c.ofMark('.' + ',' - number[mark])
	case len(number)-mark == 4 && 1 <= mark && mark <= 3 && number[0] != '0':
		kind = &c.open
	default:
		kind = c.ofMark(number[mark])
	}
	if kind.row > 0 {
		return nil
	}
	return kind
}

func (c *cellSurvey) ofMark(mark byte) *seen {
	if mark == '.' {
		return &c.point
	}
	return &c.comma
}

// conclude refuses a file with two decimal marks, and one with none that has an amount like 1.234; and a file with
// dates as text and as numbers of days: a spreadsheet took some of them for dates, perhaps with the day for the month.
func (c *cellSurvey) conclude() error {
	if c.decimal != 0 {
		if other := *c.ofMark('.' + ',' - c.decimal); other.row > 0 {
			return &Error{other.row, fmt.Sprintf(messages.MappedMarkf, other.place, other.text)}
		}
		c.ofMark(c.decimal).row = 1
	}
	one, other := c.point, c.comma
	if one.row > other.row {
		one, other = other, one
	}
	switch {
	case one.row > 0:
		return &Error{other.row, fmt.Sprintf(messages.TwoMarksf, other.place, other.text, one.text, one.row)}
	case other.row == 0 && c.open.row > 0:
		return &Error{c.open.row, fmt.Sprintf(messages.OpenMarkf, c.open.place, c.open.text)}
	case c.serial.row > 0 && c.written.row > 0:
		return &Error{max(c.serial.row, c.written.row),
			fmt.Sprintf(messages.MixedDatesf, c.serial.text, c.written.text)}
	}
	return nil
}

// money is an amount of a cell: its digits and marks, without signs, and empty for a blank one.
type money struct {
	negative bool
	sided    bool // C or D is behind it: this is its sign, whatever its column or its direction says
	number   []byte
}

// parseMoney reads the parts of an amount into dst. It reports whether the text is one, or has no digit.
func parseMoney(dst, text []byte) (money, bool) {
	m := money{number: dst[:0]}
	signed, digits := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits = true
			m.number = append(m.number, c)
		case c == '.' || c == ',':
			m.number = append(m.number, c)
		case c == ' ' || c == 0xA0 || c == 0xC2 && i+1 < len(text) && text[i+1] == 0xA0:
		case (c == '-' || c == '+') && !signed && len(m.number) == 0:
			signed, m.negative = true, c == '-'
		case (c == '$' || c == 'R' && i+1 < len(text) && text[i+1] == '$') && len(m.number) == 0:
		case (c == 'E' || c == 'e') && digits:
			var ok bool
			m.number, ok = scaled(m.number, text[i+1:])
			return m, ok
		case (c == 'C' || c == 'D') && digits && i == len(text)-1 && (!signed || m.negative == (c == 'D')):
			m.sided, m.negative = true, c == 'D'
		default:
			return m, false
		}
	}
	if !digits {
		if len(m.number) > 1 || !signed && len(text) > 0 && len(m.number) == 0 {
			return m, false
		}
		m.number = m.number[:0]
	}
	return m, true
}

// scaled multiplies a number with a decimal point by a power of ten, as spreadsheets write 1.5E-2.
func scaled(number, exponent []byte) ([]byte, bool) {
	down := len(exponent) > 0 && exponent[0] == '-'
	exponent = bytes.TrimLeft(exponent, "+-")
	n := 0
	for _, c := range exponent {
		if c < '0' || c > '9' || n > 2 {
			return number, false
		}
		n = 10*n + int(c-'0')
	}
	if len(exponent) == 0 || n > 30 || bytes.IndexByte(number, ',') >= 0 || bytes.Count(number, []byte(".")) > 1 {
		return number, false
	}
	whole, fraction, _ := strings.Cut(string(number), ".")
	if down {
		n = -n
	}
	text := strings.Repeat("0", 30) + whole + fraction + strings.Repeat("0", 30)
	point := 30 + len(whole) + n
	text = strings.TrimLeft(text[:point], "0") + "." + strings.TrimRight(text[point:], "0")
	if text[0] == '.' {
		text = "0" + text
	}
	return append(number[:0], strings.TrimSuffix(text, ".")...), true
}

// amount returns the amount in cents, rounded half away from zero.
func (m money) amount(decimalComma bool) (finance.Amount, error) {
	mark := byte('.')
	if decimalComma {
		mark = ','
	}
	whole, fraction, _ := bytes.Cut(m.number, []byte{mark})
	if bytes.IndexByte(fraction, '.') >= 0 || bytes.IndexByte(fraction, ',') >= 0 {
		return 0, finance.ErrNotNumber
	}
	cents, err := parseWhole(string(whole))
	if err != nil {
		return 0, err
	}
	rest, err := parseFraction(string(fraction))
	if err != nil {
		return 0, err
	}
	if cents = cents*100 + rest; cents > finance.MaxAmount {
		return 0, finance.ErrAmountTooLarge
	}
	if m.negative {
		cents = -cents
	}
	return cents, nil
}

// maybe is an amount that a row may lack.
type maybe struct {
	finance.Amount
	ok bool
}

// amounts returns the amount of a row with its sign, and its balance.
func (t *table) amounts(cells [][]byte) (amount, balance maybe, err error) {
	sided := false // the amount is
	for _, i := range t.columns.money {
		value, side, err := t.money(i, cellAt(cells, i))
		r := t.columns.roles[i]
		switch {
		case err != nil:
			return amount, balance, err
		case !value.ok:
		case r == balanceRole || r == closingRole:
			balance = value
		case amount.Amount != 0 && value.Amount != 0:
			return amount, balance, t.fault(i, messages.TwoAmountsf, cells[i])
		case !amount.ok || value.Amount != 0:
			amount, sided = value, side
			if !sided && (r == spentRole || r == debitRole && value.Amount > 0) {
				amount.Amount = -value.Amount
			}
		}
	}
	// A sheet may lack the cell of a direction: then an amount without a sign is not known to be a credit.
	if i := t.columns.find(directionRole); !sided && (amount.ok && len(cellAt(cells, i)) > 0 ||
		amount.Amount > 0 && t.unsigned && t.format == XLSX) {
		amount, err = t.directed(amount, i, cellAt(cells, i))
	}
	return amount, balance, err
}

// money reads an amount or a balance, and reports whether C or D is its sign.
func (t *table) money(i int, cell []byte) (value maybe, sided bool, err error) {
	m, ok := parseMoney(t.text[:0], cell)
	t.text = m.number
	if !ok {
		return maybe{}, false, t.fault(i, messages.BadAmountf, cell, messages.NotANumber)
	}
	if len(m.number) == 0 {
		return maybe{}, false, nil
	}
	amount, err := m.amount(t.rules.decimalComma)
	switch {
	case err == finance.ErrNotNumber:
		return maybe{}, false, t.fault(i, messages.BadAmountf, cell, messages.NotANumber)
	case err != nil:
		return maybe{}, false, t.fault(i, messages.BadAmountf, cell, err)
	case t.columns.inverted && !m.sided:
		amount = -amount
	}
	return maybe{amount, true}, m.sided, nil
}

// directed gives an amount the sign of its direction. A debit may have its sign already.
func (t *table) directed(amount maybe, i int, cell []byte) (maybe, error) {
	switch folded(string(clean(nil, cell))) {
	case "D", "DEBITO", "SAIDA":
		amount.Amount = min(amount.Amount, -amount.Amount)
		return amount, nil
	case "C", "CREDITO", "ENTRADA":
		if amount.Amount >= 0 {
			return amount, nil
		}
	}
	return amount, t.fault(i, messages.BadDirectionf, cell)
}

// Excel stores a date as the number of days since dayZero or, in a workbook with the 1904 date system, the default of
// old Excel for Mac, since dayZeroOf1904.
var (
	dayZero       = time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	dayZeroOf1904 = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// serial returns the date of a number of days since the day zero, as spreadsheets keep dates: five digits, and the time
// of day as a fraction.
func serial(date []byte, zero time.Time) (day string, ok bool) {
	if leading(date) != 5 || len(date) > 5 && date[5] != '.' || len(date) > 6 && leading(date[6:]) != len(date)-6 {
		return "", false
	}
	n := 0
	for _, c := range date[:5] {
		n = 10*n + int(c-'0')
	}
	return zero.AddDate(0, 0, n).Format(time.DateOnly), true
}

// mayBeDate reports whether a text begins with a digit, as dates do, or is a date that begins with its month's name.
func mayBeDate(text []byte) bool {
	if leading(text) > 0 {
		return true
	}
	w, ok := parseWritten(text, CSV)
	return ok && !w.day(monthDayYear).IsZero()
}

// isZeroDate reports whether a date has only zeros, as in balance rows.
func isZeroDate(date []byte) bool { return len(date) > 0 && len(bytes.Trim(date, "0/-. ")) == 0 }

var (
	accountText = regexp.MustCompile(`(?i)\bconta(?: corrente)?\s*[:;,|"]*\s*"?` +
		`([0-9][0-9.-]*(?:\s*/\s*[0-9][0-9.-]*)?[Xx]?)`)
	periodText = regexp.MustCompile(`(?i)\b([0-9]{2}/[0-9]{2}/[0-9]{4})\s*(?:a|e|at\x{E9}|-)\s*` +
		`([0-9]{2}/[0-9]{2}/[0-9]{4})`)
)

// accountIn returns the account number in a text above a table, or "". It has at least four digits, and is no amount.
func accountIn(text []byte) string {
	m := accountText.FindSubmatchIndex(text)
	if m == nil || m[3] < len(text) && text[m[3]] == ',' || len(accountDigits.FindAll(text[m[2]:m[3]], 4)) < 4 {
		return ""
	}
	return bankNumber(bytes.TrimRight(text[m[2]:m[3]], ".-"))
}

var accountDigits = regexp.MustCompile(`[0-9]`)

// statePeriod records the period that a table states.
func (t *table) statePeriod(from, to []byte) {
	days := [2]finance.Date{}
	for i, text := range [][]byte{from, to} {
		w, ok := parseWritten(text, CSV)
		if ok {
			days[i] = w.day(dayMonthYear)
		}
		if days[i].IsZero() {
			return
		}
	}
	s := t.note()
	s.cover(s.Summary, &days[0], &days[1])
}
