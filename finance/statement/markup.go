package statement

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
)

// markup reads a file of tags, OFX or OFC. Closing tags may be missing or wrong, except the one of
// each document.
type markup struct {
	*pass
	lex       lexer
	inside    bool // an <OFX> or <OFC>
	documents int
	items     int64 // ended so far

	card       bool
	currency   string // CURDEF of the statement, which comes before its account
	naming     bool   // in the element that names the account, before the name
	inLedger   bool
	start, end *finance.Date // of the statement's period
	before     Summary       // of the account, before that period
	refusal    refusal

	inItem     bool
	item       Item
	dated      bool // the item has a DTPOSTED, even if blank
	valued     bool // and a TRNAMT
	dateLine   int
	day        []byte
	direction  direction
	inCurrency bool // its CURRENCY
	refnum     string
	name       []byte
	memo       []byte
}

func newMarkup(text io.Reader, p *pass) *markup { return &markup{lex: newLexer(text), pass: p} }

// next returns the next item, without texts in the survey; its errors are those of Reader.Next.
func (m *markup) next() (Item, error) {
	for {
		name, closing, err := m.lex.tag()
		switch {
		case err == io.EOF:
			return Item{}, m.ended()
		case err != nil:
			return Item{}, err
		case !m.inside:
			m.open(name, closing)
		case m.inItem && !closing && m.leaf(name):
		case m.inItem && !endsItem(name):
		case m.inItem:
			err := m.finish(name)
			item := m.item
			return item, cmp.Or(err, m.outside(name, closing))
		default:
			if err := cmp.Or(m.outside(name, closing), m.refusal.heed(name, closing, &m.lex)); err != nil {
				return Item{}, err
			}
		}
	}
}

// open begins a document.
func (m *markup) open(name []byte, closing bool) {
	if closing || !isDocument(name) {
		return
	}
	*m = markup{pass: m.pass, lex: m.lex, inside: true, documents: m.documents + 1, items: m.items}
	m.format = Format(name)
	m.use("")
}

func isDocument(name []byte) bool { return string(name) == string(OFX) || string(name) == string(OFC) }

// ended returns io.EOF if the file may end here.
func (m *markup) ended() error {
	switch {
	case m.inside:
		return cmp.Or(m.refusal.end(), m.cut())
	case m.documents > 0:
		return io.EOF
	case m.lex.cut:
		return m.cut()
	}
	return &Error{1, messages.UnknownFormat}
}

// cut is the error of a document without its end.
func (m *markup) cut() error {
	return &Error{Message: messages.CutFile("</"+string(m.format)+">", m.items)}
}

// endsItem reports whether the tag, opening or closing, never occurs inside an item.
func endsItem(name []byte) bool {
	switch string(name) {
	case "STMTTRN", "BANKTRANLIST", "INVBANKTRAN", "INVTRANLIST", "LEDGERBAL",
		"AVAILBAL", "STMTRS", "CCSTMTRS", "INVSTMTRS", "TRNRS", "ACCTSTMT":
		return true
	}
	return isDocument(name)
}

// leaf stores a value of the item, and reports whether the tag is a field of an item.
func (m *markup) leaf(name []byte) bool {
	switch string(name) {
	case "DTPOSTED":
		if !m.dated {
			if m.rules == nil && m.dates.text == "" { // only the first date is reported
				m.dateLine = m.lex.line()
			}
			m.day = append(m.day, m.lex.value()...)
			m.dated = true
		}
	case "TRNAMT":
		if !m.valued {
			if m.rules != nil {
				m.item.AmountLine = m.lex.line()
			}
			m.item.Amount = string(m.lex.value())
			m.valued = true
		}
	case "TRNTYPE":
		if m.direction == anyDirection {
			m.direction = directionOf(m.format, strings.ToUpper(string(m.lex.value())), m.card)
		}
	default:
		return m.rules != nil && m.text(name)
	}
	return true
}

// text stores a text of the item. The first one that is not empty counts.
func (m *markup) text(name []byte) bool {
	switch string(name) {
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
	case "CURRENCY", "ORIGCURRENCY":
		m.inCurrency = string(name) == "CURRENCY"
	case "CURSYM":
		if m.inCurrency && m.item.Currency == "" {
			m.item.Currency = string(m.lex.value())
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
	m.inItem, m.dated, m.valued, m.inCurrency = true, false, false, false
	m.dateLine, m.direction, m.refnum = line, anyDirection, ""
	m.day, m.name, m.memo = m.day[:0], m.name[:0], m.memo[:0]
	m.count()
}

// finish ends the item before a tag. The end of the document must not cut it off.
func (m *markup) finish(tag []byte) error {
	m.inItem = false
	switch {
	case !isDocument(tag):
	case !m.dated:
		return &Error{m.item.Line, fmt.Sprintf(messages.CutItemf, "<DTPOSTED>")}
	case !m.valued:
		return &Error{m.item.Line, fmt.Sprintf(messages.CutItemf, "<TRNAMT>")}
	}
	m.items++
	if m.rules == nil {
		m.dates.see(m.day, m.dateLine)
		m.note().see(m.item.Amount, m.direction)
		return nil
	}
	if m.item.Currency == "" && m.inOtherCurrency() {
		m.item.Currency = m.currency
	}
	m.item.Day = m.readDay(m.day)
	if m.direction == debit && m.rules.readsByType(m.account) && hasDigit(m.item.Amount) {
		m.item.Amount, m.item.ByType = "-"+m.item.Amount, true
	}
	if m.item.Document == "" {
		m.item.Document = m.refnum
	}
	m.item.Description = describe(m.name, m.memo)
	if hasLetter(m.refnum) && !strings.Contains(m.item.Description, m.refnum) {
		m.item.Reference = m.refnum
		m.item.Description = strings.TrimLeft(m.item.Description+" "+m.refnum, " ")
	}
	return nil
}

// outside processes the tags outside items.
func (m *markup) outside(name []byte, closing bool) error {
	switch string(name) {
	case "OFX", "OFC":
		if !closing { // another document begins before the end of this one
			return m.cut()
		}
		m.inside = string(name) != string(m.format)
	case "STMTRS", "CCSTMTRS", "INVSTMTRS", "TRNRS", "ACCTSTMT":
		m.says = true
		if m.format == OFC && string(name) == "STMTRS" { // its account is named before it
			return nil
		}
		if !closing {
			m.in("")
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
			m.in(string(m.lex.value()))
			m.naming = false
			m.inCurrencyOf(m.note())
		}
	case "CURDEF":
		if !closing {
			m.currency = string(m.lex.value())
		}
	case "STMTTRN":
		if !closing {
			m.says = true
			m.begin()
			m.inCurrencyOf(m.note())
		}
	case "LEDGERBAL", "AVAILBAL":
		m.inLedger = !closing && string(name) == "LEDGERBAL" && !m.inOtherCurrency()
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
	return nil
}

// in sets the account in effect.
func (m *markup) in(account string) {
	m.use(account)
	m.start, m.end = nil, nil
}

// inCurrencyOf records the currency of the statement for its account. The first one counts.
func (m *markup) inCurrencyOf(a *account) {
	if a.Currency == "" {
		a.Currency = m.currency
	}
}

// inOtherCurrency reports whether an earlier statement of the account was in another currency than this one.
func (m *markup) inOtherCurrency() bool {
	first := m.note().Currency
	return m.currency != "" && first != "" && !strings.EqualFold(m.currency, first)
}

// informational records the balance and period that the statement gives.
func (m *markup) informational(name []byte) {
	value := m.lex.value()
	on := parseStamp(value)
	switch s := &m.note().Summary; string(name) {
	case "BALAMT", "LEDGER":
		amount, err := parseAmount(string(value))
		if err == nil && bytes.ContainsAny(value, "0123456789") {
			s.LedgerBalance = &amount
		}
	case "DTASOF":
		s.LedgerBalanceOn = on
	case "DTSTART":
		if m.start != nil || m.end == nil { // of another list
			m.before, m.end = *s, nil
		}
		m.start = on
		s.cover(m.before, m.start, m.end)
	case "DTEND":
		if m.start == nil {
			m.before = *s
		}
		m.end = on
		s.cover(m.before, m.start, m.end)
	}
}

// parseStamp reads the day of a statement's date, which has a convention of its own. Stamps without
// separators need 8 or 14 digits: some banks write month and day without leading zeros.
func parseStamp(value []byte) *finance.Date {
	w, ok := parseWritten(value, OFX)
	if digits := leading(value); !ok || digits > 8 && digits != 14 {
		return nil
	}
	for _, o := range []order{yearMonthDay, dayMonthYear} {
		if day := w.day(o); !day.IsZero() && !w.short() {
			return &day
		}
	}
	return nil
}
