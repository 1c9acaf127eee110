package statement

import (
	"time"

	"bordero/finance"
)

// pass is the state that both readings of a file have. The first reading, the survey, shows how the
// whole file is written.
type pass struct {
	accounts
	format  Format
	mapping *finance.StatementMapping // of tables whose header is not known; may be nil
	small   bool                      // a workbook has boundsOfRequest
	rules   *convention               // of the file; nil in the survey
	zone    *time.Location
	says    bool // the file has a statement, if only an empty one

	dates                      dates // in the survey
	differing                  int64 // statements with a closing balance that is not the opening one with the items
	decimalComma, decimalPoint bool  // some amounts of the survey have one
	cells                      cellSurvey
	broken                     int64 // balances of tables that do not follow from the one before
}

// convention is the way in which a file is written, as its survey shows.
type convention struct {
	order                      order
	decimalComma, decimalPoint bool
	byType                     map[string]bool // the accounts, by accountKey, with items without signs
}

func newSurvey(format Format, today finance.Date) *pass {
	return &pass{format: format, dates: newDates(format, today)}
}

// conclude returns how the file of a survey is written, and the notes about it for people.
func (p *pass) conclude() (*convention, []Note, error) {
	best, inferred := p.dates.choose()
	if err := p.dates.unreadable(best); err != nil {
		return nil, nil, err
	}
	if p.format.inRows() {
		if err := p.cells.conclude(); err != nil {
			return nil, nil, err
		}
		p.decimalComma = p.cells.comma.row > 0
	}
	c := &convention{order: best.order, decimalComma: p.decimalComma, decimalPoint: p.decimalPoint,
		byType: map[string]bool{}}
	var notes []Note
	if inferred {
		notes = append(notes, Note{DatesByConvention, best.read})
	}
	var turned int64
	for _, a := range p.all {
		if !a.signed && a.debits > 0 && a.credits > 0 {
			c.byType[accountKey(a.Account)] = true
			turned += a.debits
		}
	}
	if turned > 0 {
		notes = append(notes, Note{SignsByType, turned})
	}
	if p.dates.wide(best) {
		notes = append(notes, Note{WideSpan, p.dates.items})
	}
	if p.differing > 0 {
		notes = append(notes, Note{ClosingDiffers, p.differing})
	}
	if !p.says {
		notes = append(notes, Note{NoStatement, 1})
	}
	return c, notes, nil
}

// readsByType reports whether the types of an account's items stand for their signs.
func (c *convention) readsByType(account string) bool {
	return len(c.byType) > 0 && c.byType[accountKey(account)]
}

// readDay reads the date of an item; the zero Date if it is unreadable.
func (p *pass) readDay(text []byte) finance.Date {
	w, ok := parseWritten(text, p.format)
	if !ok {
		return finance.Date{}
	}
	return w.day(p.rules.order)
}

// The codes of notes.
const (
	DatesByConvention = "dates_by_convention" // the file writes dates in an unusual order: the dates that Reader reads
	SignsByType       = "signs_by_type"       // no amount has a sign: the debits, by their types
	WideSpan          = "wide_span"           // few items span over five years: the items
	NoStatement       = "no_statement"        // the file has no statement, not even an empty one: 1
	BrokenBalances    = "broken_balances"     // balances in rows that do not follow from the one before: these balances
	// ClosingDiffers: the closing balance of statements is not the opening one with the items; these statements.
	ClosingDiffers = "closing_differs"
)

// Note tells people what Reader decided about a file, or found doubtful in it.
type Note struct {
	Code  string
	Count int64
}

// direction is the sign that the type of an item stands for.
type direction int

const (
	anyDirection direction = iota
	debit
	credit
)

// directionOf returns the direction of a TRNTYPE.
func directionOf(format Format, kind string, card bool) direction {
	switch {
	case format == OFC:
		return map[string]direction{"0": credit, "1": debit}[kind]
	case card && kind == "PAYMENT":
		return credit
	}
	switch kind {
	case "DEBIT", "CHECK", "PAYMENT", "FEE", "SRVCHG", "ATM", "POS", "CASH", "DIRECTDEBIT":
		return debit
	case "CREDIT", "DEP", "DIRECTDEP", "INT", "DIV":
		return credit
	}
	return anyDirection
}
