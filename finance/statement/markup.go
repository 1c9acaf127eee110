package statement

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
)

// markup reads a file of tags, OFX or OFC. Closing tags may be missing or wrong.
type markup struct {
	*accounts
	lex    lexer
	format Format
	begun  bool // <OFX> or <OFC> has been seen
	closes bool // the file closes its items

	card     bool
	currency string // CURDEF of the statement, which comes before its account
	naming   bool   // in the element that names the account, before the name
	inLedger bool
	reach    *finance.Date // where the period began before a statement that begins earlier
	refusal  refusal

	inItem bool
	item   Item
	dated  bool // the item has a DTPOSTED, even if blank
	valued bool // and a TRNAMT
	refnum string
	name   []byte
	memo   []byte
}

func newMarkup(text io.Reader, format Format, said *accounts) *markup {
	return &markup{lex: newLexer(text), format: format, accounts: said}
}

// next returns the next item; its errors are those of Reader.Next.
func (m *markup) next() (Item, error) {
	for {
		name, closing, err := m.lex.tag()
		switch {
		case err == io.EOF:
			return m.end()
		case err != nil:
			return Item{}, err
		case m.inItem && !closing && m.leaf(name):
		case m.inItem && !endsItem(name):
		case m.inItem:
			if closing && string(name) == "STMTTRN" {
				m.closes = true
			}
			item := m.finish()
			m.outside(name, closing)
			return item, nil
		default:
			m.outside(name, closing)
			if err := m.refusal.heed(name, closing, &m.lex); err != nil {
				return Item{}, err
			}
		}
	}
}

// end checks whether the file may end here.
func (m *markup) end() (Item, error) {
	missing := ""
	switch {
	case !m.begun:
		return Item{}, &Error{1, messages.UnknownFormat}
	case !m.inItem:
		return Item{}, cmp.Or(m.refusal.end(), io.EOF)
	case !m.dated:
		missing = "<DTPOSTED>"
	case !m.valued:
		missing = "<TRNAMT>"
	case m.closes:
		missing = "</STMTTRN>"
	default:
		return m.finish(), nil
	}
	return Item{}, &Error{m.item.Line, fmt.Sprintf(messages.CutItemf, missing)}
}

// endsItem reports whether the tag, opening or closing, never occurs inside an item.
func endsItem(name []byte) bool {
	switch string(name) {
	case "STMTTRN", "BANKTRANLIST", "INVBANKTRAN", "INVTRANLIST", "LEDGERBAL",
		"AVAILBAL", "STMTRS", "CCSTMTRS", "INVSTMTRS", "OFX",
		"TRNRS", "ACCTSTMT", "OFC":
		return true
	}
	return false
}

// leaf stores a value of the item, and reports whether the tag is a field of an item. The first
// value that is not empty counts.
func (m *markup) leaf(name []byte) bool {
	switch string(name) {
	case "DTPOSTED":
		if !m.dated {
			value := m.lex.value()
			m.item.Day = parseDay(value)
			m.dated = len(value) > 0 || !m.lex.ended()
		}
	case "TRNAMT":
		if !m.valued {
			m.item.AmountLine = m.lex.line()
			value := m.lex.value()
			m.item.Amount = string(value)
			m.valued = len(value) > 0 && !m.lex.open || !m.lex.ended()
		}
	case "FITID":
		if m.item.FITID == "" {
			m.item.FITID = bankNumber(m.lex.value())
		}
	case "CHECKNUM", "CHKNUM":
		if m.item.Document == "" {
			m.item.Document = bankNumber(m.lex.value())
		}
	case "REFNUM":
		if m.refnum == "" {
			m.refnum = bankNumber(m.lex.value())
		}
	case "NAME", "PAYEE":
		if len(m.name) == 0 {
			m.name = append(m.name, m.lex.value()...)
		}
	case "MEMO":
		if len(m.memo) == 0 {
			m.memo = append(m.memo, m.lex.value()...)
		}
	default:
		return false
	}
	return true
}

// begin starts an item.
func (m *markup) begin() {
	line := m.lex.line()
	m.item = Item{Line: line, Account: m.account, Card: m.card, AmountLine: line}
	m.inItem, m.dated, m.valued = true, false, false
	m.refnum, m.name, m.memo = "", m.name[:0], m.memo[:0]
	m.count()
}

func (m *markup) finish() Item {
	m.inItem = false
	if m.item.Document == "" {
		m.item.Document = m.refnum
	}
	m.item.Description = describe(m.name, m.memo)
	return m.item
}

// outside processes the tags outside items.
func (m *markup) outside(name []byte, closing bool) {
	if !m.begun {
		m.begun = string(name) == string(m.format) && !closing
		return
	}
	switch string(name) {
	case "STMTRS", "CCSTMTRS", "INVSTMTRS", "TRNRS", "ACCTSTMT":
		if m.format == OFC && string(name) == "STMTRS" { // its account is named before it
			return
		}
		if !closing {
			m.use("")
			m.card, m.currency = string(name) == "CCSTMTRS", ""
		}
		m.naming, m.inLedger = false, false
	case "ACCTTYPE":
		if m.format == OFC && !closing {
			m.card = string(m.lex.value()) == "2"
		}
	case "BANKACCTFROM", "INVACCTFROM", "CCACCTFROM", "ACCTFROM":
		m.naming = !closing
		m.card = m.card || m.naming && string(name) == "CCACCTFROM"
	case "ACCTID":
		if m.naming && !closing {
			m.use(string(m.lex.value()))
			m.naming = false
			m.inCurrency(m.note())
		}
	case "CURDEF":
		if !closing {
			m.currency = string(m.lex.value())
		}
	case "STMTTRN":
		if !closing {
			m.begin()
			m.inCurrency(m.note())
		}
	case "LEDGERBAL", "AVAILBAL":
		m.inLedger = !closing && string(name) == "LEDGERBAL"
		if s := m.note(); m.inLedger { // a later statement replaces an earlier one
			s.LedgerBalance, s.LedgerBalanceOn = nil, nil
		}
	case "BALAMT", "DTASOF":
		if m.inLedger && !closing {
			m.informational(name)
		}
	case "DTSTART", "DTEND", "LEDGER":
		if !closing {
			m.informational(name)
		}
	}
}

// inCurrency records the currency of the statement for its account. The first one counts.
func (m *markup) inCurrency(s *Summary) {
	if s.Currency == "" {
		s.Currency = m.currency
	}
}

// informational records the balance and period that the statement gives.
func (m *markup) informational(name []byte) {
	value := m.lex.value()
	on := parseStamp(value)
	switch s := m.note(); string(name) {
	case "BALAMT", "LEDGER":
		amount, err := parseAmount(string(value))
		if err == nil && bytes.ContainsAny(value, "0123456789") {
			s.LedgerBalance = &amount
		}
	case "DTASOF":
		s.LedgerBalanceOn = on
	case "DTSTART":
		if m.reach = nil; on == nil {
			return
		}
		s.PeriodBroken = s.PeriodBroken || s.PeriodEnd != nil && on.After(s.PeriodEnd.AddDays(1))
		if s.PeriodStart == nil || on.Before(*s.PeriodStart) {
			m.reach, s.PeriodStart = s.PeriodStart, on
		}
	case "DTEND":
		if on == nil {
			return
		}
		s.PeriodBroken = s.PeriodBroken || m.reach != nil && on.AddDays(1).Before(*m.reach)
		if m.reach = nil; s.PeriodEnd == nil || on.After(*s.PeriodEnd) {
			s.PeriodEnd = on
		}
	}
}

// parseDay reads the day at the beginning of a value, YYYYMMDD or YYYY-MM-DD; the zero Date is
// none.
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

// parseStamp reads the day of a statement date. It accepts only stamps of 8 or 14 digits: some
// banks write month and day without leading zeros.
func parseStamp(value []byte) *finance.Date {
	digits := len(value) - len(bytes.TrimLeft(value, "0123456789"))
	day := parseDay(value)
	if digits > 8 && digits != 14 || day.IsZero() {
		return nil
	}
	return &day
}
