package statement

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
)

const (
	maxFITID = 255
	// maxSummaries bounds what a file of nothing but accounts can make us keep.
	maxSummaries = 100
)

// Reader reads the items of an OFX file, 1.x or 2.x, one after the other, in
// memory that does not grow with the file. It takes what banks really write: the
// header is ignored, closing tags may be missing or wrong, elements it does not
// know are passed over. Investment trades are no items, cash in investment
// statements is.
type Reader struct {
	lex    lexer
	begun  bool // <OFX> has been seen
	closes bool // the file closes its items
	err    error

	account  string
	card     bool
	naming   bool // in the element that names the account, which it has not done yet
	inLedger bool

	inItem   bool
	item     Item
	dated    bool // the item has a DTPOSTED, be it blank
	valued   bool // and a TRNAMT
	refnum   string
	name     []byte
	memo     []byte
	summary  *Summary            // of the account in effect, once there is something to note
	byNumber map[string]*Summary // under the account's number as SameAccount sees it
	all      []*Summary
}

// NewReader returns a Reader of an OFX file.
func NewReader(r io.Reader) *Reader {
	return &Reader{lex: newLexer(r), byNumber: map[string]*Summary{}}
}

// Next returns the next item, and io.EOF after the last. An *Error says that the
// file is broken: no OFX, or cut off, which is when it ends inside a tag, inside
// an item that has no DTPOSTED or no TRNAMT yet, or inside an unclosed item while
// it closes others. Any other error is the underlying reader's. Items returned
// before an error are of a broken file and not to be kept.
func (r *Reader) Next() (Item, error) {
	for r.err == nil {
		name, closing, err := r.lex.tag()
		switch {
		case err == io.EOF:
			return r.end()
		case err != nil:
			r.err = err
		case r.inItem && !closing && r.leaf(name):
		case r.inItem && !endsItem(name):
		case r.inItem:
			if closing && string(name) == "STMTTRN" {
				r.closes = true
			}
			item := r.finish()
			r.outside(name, closing)
			return item, nil
		default:
			r.outside(name, closing)
		}
	}
	return Item{}, r.err
}

// Summaries returns what the file says of each account that it names, in its
// order, the first hundred of them; complete after Next returned io.EOF.
func (r *Reader) Summaries() []Summary {
	summaries := make([]Summary, len(r.all))
	for i, s := range r.all {
		summaries[i] = *s
	}
	return summaries
}

// Summary returns what the file says of the account, compared as SameAccount
// does. "" is the file's only account with items, or its only account when there
// are no items. The zero Summary: there is no such account. Complete after Next
// returned io.EOF.
func (r *Reader) Summary(account string) Summary {
	if account != "" {
		if s := r.byNumber[accountKey(account)]; s != nil {
			return *s
		}
		return Summary{}
	}
	var only *Summary
	several := false
	for _, s := range r.all {
		switch {
		case only == nil || only.Items == 0 && s.Items > 0:
			only, several = s, false
		case s.Items > 0 || only.Items == 0:
			several = true
		}
	}
	if only == nil || several {
		return Summary{}
	}
	return *only
}

// end decides whether the file may end here.
func (r *Reader) end() (Item, error) {
	r.err = io.EOF
	missing := ""
	switch {
	case !r.begun:
		r.err = &Error{1, messages.NotOFX}
		return Item{}, r.err
	case !r.inItem:
		return Item{}, r.err
	case !r.dated:
		missing = "<DTPOSTED>"
	case !r.valued:
		missing = "<TRNAMT>"
	case r.closes:
		missing = "</STMTTRN>"
	default:
		return r.finish(), nil
	}
	r.err = &Error{r.item.Line, fmt.Sprintf(messages.CutItemf, missing)}
	return Item{}, r.err
}

// endsItem tells whether a tag never stands inside an item, opening or closing.
func endsItem(name []byte) bool {
	switch string(name) {
	case "STMTTRN", "BANKTRANLIST", "INVBANKTRAN", "INVTRANLIST", "LEDGERBAL",
		"AVAILBAL", "STMTRS", "CCSTMTRS", "INVSTMTRS", "OFX":
		return true
	}
	return false
}

// leaf notes a value of the item, and reports whether the tag has one of interest.
// The first one that says something counts.
func (r *Reader) leaf(name []byte) bool {
	switch string(name) {
	case "DTPOSTED":
		if !r.dated {
			value := r.lex.value()
			r.item.Day = parseDay(value)
			r.dated = len(value) > 0 || !r.lex.ended()
		}
	case "TRNAMT":
		if !r.valued {
			r.item.AmountLine = r.lex.line()
			value := r.lex.value()
			r.item.Amount = string(value)
			r.valued = len(value) > 0 || !r.lex.ended()
		}
	case "FITID":
		if r.item.FITID == "" {
			value := r.lex.value()
			value = wholeRunes(value[:min(len(value), maxFITID)])
			r.item.FITID = string(bytes.TrimRight(value, " "))
		}
	case "CHECKNUM":
		if r.item.Document == "" {
			r.item.Document = string(r.lex.value())
		}
	case "REFNUM":
		if r.refnum == "" {
			r.refnum = string(r.lex.value())
		}
	case "NAME", "PAYEE":
		if len(r.name) == 0 {
			r.name = append(r.name, r.lex.value()...)
		}
	case "MEMO":
		if len(r.memo) == 0 {
			r.memo = append(r.memo, r.lex.value()...)
		}
	default:
		return false
	}
	return true
}

// begin starts an item.
func (r *Reader) begin() {
	line := r.lex.line()
	r.item = Item{Line: line, Account: r.account, Card: r.card, AmountLine: line}
	r.inItem, r.dated, r.valued = true, false, false
	r.refnum, r.name, r.memo = "", r.name[:0], r.memo[:0]
	r.note().Items++
}

func (r *Reader) finish() Item {
	r.inItem = false
	if r.item.Document == "" {
		r.item.Document = r.refnum
	}
	r.item.Description = describe(r.name, r.memo)
	return r.item
}

// outside heeds the tags that are not an item's.
func (r *Reader) outside(name []byte, closing bool) {
	if !r.begun {
		r.begun = string(name) == "OFX" && !closing
		return
	}
	switch string(name) {
	case "STMTRS", "CCSTMTRS", "INVSTMTRS":
		if !closing {
			r.use("")
			r.card = string(name) == "CCSTMTRS"
		}
		r.naming, r.inLedger = false, false
	case "BANKACCTFROM", "INVACCTFROM", "CCACCTFROM":
		r.naming = !closing
		r.card = r.card || r.naming && string(name) == "CCACCTFROM"
	case "ACCTID":
		if r.naming && !closing {
			r.use(string(r.lex.value()))
			r.naming = false
			r.note()
		}
	case "STMTTRN":
		if !closing {
			r.begin()
		}
	case "LEDGERBAL", "AVAILBAL":
		r.inLedger = !closing && string(name) == "LEDGERBAL"
		if s := r.note(); r.inLedger { // a later statement's counts
			s.LedgerBalance, s.LedgerBalanceOn = nil, nil
		}
	case "BALAMT", "DTASOF":
		if r.inLedger && !closing {
			r.informational(name)
		}
	case "DTSTART", "DTEND":
		if !closing {
			r.informational(name)
		}
	}
}

// informational notes what the statement says of its balance and period.
func (r *Reader) informational(name []byte) {
	value := r.lex.value()
	on := parseStamp(value)
	switch s := r.note(); string(name) {
	case "BALAMT":
		amount, err := parseAmount(string(value))
		if err == nil && bytes.ContainsAny(value, "0123456789") {
			s.LedgerBalance = &amount
		}
	case "DTASOF":
		s.LedgerBalanceOn = on
	case "DTSTART":
		if on != nil && (s.PeriodStart == nil || on.Before(*s.PeriodStart)) {
			s.PeriodStart = on
		}
	case "DTEND":
		if on != nil && (s.PeriodEnd == nil || on.After(*s.PeriodEnd)) {
			s.PeriodEnd = on
		}
	}
}

// use makes account the one in effect.
func (r *Reader) use(account string) {
	r.account, r.summary = account, nil
}

// note returns where to note what the statement says of the account in effect.
func (r *Reader) note() *Summary {
	if r.summary == nil {
		key := accountKey(r.account)
		r.summary = r.byNumber[key]
		if r.summary == nil {
			r.summary = &Summary{Account: r.account}
			if len(r.all) < maxSummaries {
				r.byNumber[key] = r.summary
				r.all = append(r.all, r.summary)
			}
		}
	}
	return r.summary
}

// parseDay reads the day that a value begins with, YYYYMMDD or YYYY-MM-DD; the
// zero Date is none.
func parseDay(value []byte) finance.Date {
	if len(value) >= 10 && value[4] == '-' && value[7] == '-' {
		value = []byte{value[0], value[1], value[2], value[3], value[5], value[6], value[8], value[9]}
	}
	if len(value) < 8 {
		return finance.Date{}
	}
	number := 0
	for _, c := range value[:8] {
		if c < '0' || c > '9' {
			return finance.Date{}
		}
		number = number*10 + int(c-'0')
	}
	day, _ := finance.NewDate(number/10000, time.Month(number/100%100), number%100)
	return day
}

// parseStamp reads the day of a statement date. Only stamps of 8 and 14 digits
// are believed: there are banks that write month and day without their zeros.
func parseStamp(value []byte) *finance.Date {
	digits := len(value) - len(bytes.TrimLeft(value, "0123456789"))
	day := parseDay(value)
	if digits > 8 && digits != 14 || day.IsZero() {
		return nil
	}
	return &day
}
