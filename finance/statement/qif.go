package statement

import (
	"fmt"
	"io"
	"strings"

	"bordero/internal/messages"
)

// section is the kind of the records of a QIF file, as given by the last header.
type section int

const (
	noSection section = iota // before the first header
	cashSection
	accountSection
	otherSection // lists, and trades, which are not cash
)

// qif reads a QIF file: lines of a letter and a value, records that end in "^", and headers that
// give the kind of the records after them.
type qif struct {
	*pass
	lines lines

	section   section
	card      bool
	switching bool   // between !Option:AutoSwitch and !Clear:AutoSwitch
	named     string // by the last !Account block, for the next items
	closes    bool   // the file closes its items

	open    bool // a record has begun
	item    Item
	dated   bool // it has a date, even if blank
	valued  bool // and an amount
	rounded bool // the amount is from U
	day     []byte
	dayLine int
	payee   []byte
	address []byte
	memo    []byte
}

func newQIF(text io.Reader, p *pass) *qif { return &qif{lines: newLines(text), pass: p} }

// next returns the next item, without texts in the survey; its errors are those of Reader.Next.
func (q *qif) next() (Item, error) {
	for {
		line, err := q.lines.next()
		if err == io.EOF {
			return q.end()
		}
		if err != nil {
			return Item{}, err
		}
		switch {
		case len(line) == 0 || line[0] == '#':
		case line[0] == '^' || line[0] == '!':
			item, ok, err := q.finish()
			q.closes = q.closes || ok && line[0] == '^'
			if err == nil && line[0] == '!' {
				err = q.header(line)
			}
			if err != nil {
				return Item{}, err
			}
			if ok {
				return item, nil
			}
		default:
			q.leaf(line)
		}
	}
}

// end checks whether the file may end here.
func (q *qif) end() (Item, error) {
	if q.open && q.section == cashSection {
		missing := ""
		switch {
		case !q.dated:
			missing = "D"
		case !q.valued:
			missing = "T"
		case q.closes:
			missing = "^"
		}
		if missing != "" {
			return Item{}, &Error{q.item.Line, fmt.Sprintf(messages.CutItemf, missing)}
		}
	}
	item, ok, err := q.finish()
	if err == nil && !ok {
		err = io.EOF
	}
	return item, err
}

// header processes a header line.
func (q *qif) header(line []byte) error {
	name := strings.ToUpper(strings.ReplaceAll(string(line), " ", ""))
	kind, isType := strings.CutPrefix(name, "!TYPE:")
	switch {
	case isType:
		return q.begin(kind, line)
	case name == "!ACCOUNT":
		q.section, q.named = accountSection, ""
	case name == "!OPTION:MDY":
		q.dates.stated = &monthDayYear
	case name == "!OPTION:DMY":
		q.dates.stated = &dayMonthYear
	case name == "!OPTION:AUTOSWITCH":
		q.switching = true
	case name == "!CLEAR:AUTOSWITCH":
		if q.switching { // the named accounts were only a list
			q.named = ""
		}
		q.switching = false
	}
	return nil
}

// begin starts the records of a kind. It refuses an unknown kind, which may be money.
func (q *qif) begin(kind string, line []byte) error {
	switch kind {
	case "BANK", "CASH", "CCARD", "OTHA", "OTHL":
		q.section, q.card, q.says = cashSection, kind == "CCARD", true
		if q.named != "" {
			q.use(q.named)
			q.named = ""
		}
	case "CAT", "CLASS", "TAG", "MEMORIZED", "PRICES", "SECURITY", "BUDGET", "TEMPLATE", "INVOICE", "INVITEM", "TAX":
		q.section = otherSection
	case "INVST":
		q.section, q.says = otherSection, true
	default:
		return &Error{q.lines.number, fmt.Sprintf(messages.UnknownTypef, q.value(line[len("!Type:"):]))}
	}
	return nil
}

// leaf stores a value of the record. The first one that is not empty counts: the values of a split
// come after it. A value without an end of line is ignored, since the file may be cut off there.
func (q *qif) leaf(line []byte) {
	if !q.open {
		q.start()
	}
	if q.lines.ended {
		return
	}
	code, rest := line[0], line[1:]
	switch code {
	case 'D':
		if !q.dated {
			q.day, q.dayLine = append(q.day[:0], q.value(rest)...), q.lines.number
			q.dated = true
		}
	case 'T', 'U': // the same amount; programs show T
		if q.item.Amount == "" || q.rounded && code == 'T' {
			q.item.Amount, q.item.AmountLine = string(q.value(rest)), q.lines.number
			q.rounded = code == 'U'
		}
		q.valued = true
	case 'N':
		if q.item.Document == "" {
			q.item.Document = bankNumber(q.value(rest))
		}
	default:
		if q.rules != nil {
			q.text(code, rest)
		}
	}
}

// text stores a text of the record.
func (q *qif) text(code byte, rest []byte) {
	switch code {
	case 'P':
		q.payee = q.first(q.payee, rest)
	case 'A':
		q.address = q.first(q.address, rest)
	case 'M':
		q.memo = q.first(q.memo, rest)
	}
}

func (q *qif) first(noted, rest []byte) []byte {
	if len(noted) > 0 {
		return noted
	}
	return append(noted, q.value(rest)...)
}

// value cleans a value of the current line.
func (q *qif) value(rest []byte) []byte {
	rest = trimmed(rest)
	if q.lines.more {
		rest = append(wholeRunes(rest), "&hellip;"...)
	}
	if plain(rest) {
		return rest
	}
	return clean(nil, rest)
}

// start begins a record.
func (q *qif) start() {
	q.open, q.dated, q.valued, q.rounded = true, false, false, false
	q.item = Item{Line: q.lines.number, AmountLine: q.lines.number}
	q.dayLine = q.lines.number
	q.day, q.payee, q.address, q.memo = q.day[:0], q.payee[:0], q.address[:0], q.memo[:0]
}

// finish ends the open record, if any, and returns its item. ok is false if the record is not an
// item.
func (q *qif) finish() (item Item, ok bool, err error) {
	if !q.open {
		return Item{}, false, nil
	}
	q.open = false
	switch {
	case q.section == noSection, q.section == accountSection && isMoney(q.item.Amount):
		// In an account, T is its type; with an amount, this is an item without a !Type header.
		return Item{}, false, &Error{q.item.Line, messages.NoType}
	case q.section == accountSection && q.item.Document != "":
		q.named = q.item.Document
		q.mention(q.named)
	case q.section == cashSection:
		q.count()
		if q.rules == nil {
			q.dates.see(q.day, q.dayLine)
			q.seeAmount(q.item.Amount)
			return q.item, true, nil
		}
		q.item.Account, q.item.Card = q.account, q.card
		q.item.Day, q.item.Amount = q.readDay(q.day), q.rules.amount(q.item.Amount)
		name := q.payee
		if len(name) == 0 {
			name = q.address
		}
		q.item.Description = describe(name, q.memo)
		return q.item, true, nil
	}
	return Item{}, false, nil
}

func isMoney(amount string) bool {
	_, err := parseAmount(amount)
	return err == nil && hasDigit(amount)
}
