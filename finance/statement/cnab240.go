package statement

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/internal/messages"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// recordSize is the number of characters of a record of CNAB 240. Its places are counted from 1.
const recordSize = 240

// Codes of banks with their own places, or records of their own.
const (
	santander = "033"
	bradesco  = "237"
	itau      = "341"
)

// cnab240 reads the statements of a CNAB 240 file ("extrato para conciliação", segment E). A lot is the statement of
// an account. Other lots are skipped. A file must have the trailers of its lots and its own, and they must agree with
// the records.
type cnab240 struct {
	*pass
	lines   lines
	record  [recordSize]byte // in CP1252, so that a character is a byte
	ended   bool             // behind the trailer of a file
	items   int64            // so far
	records int64            // of the file

	lot *cnabLot // nil outside a lot
}

// cnabLot is the lot at hand.
type cnabLot struct {
	statement       bool
	records         int64
	debits, credits finance.Amount
	opening         finance.Amount
	opened          bool // it states the opening balance
	openedOn        finance.Date
	moved           bool // it has a movement of that day
}

func newCNAB240(text io.Reader, p *pass) *cnab240 {
	return &cnab240{lines: newLines(text), pass: p, ended: true}
}

// next returns the next item, without texts in the survey; its errors are those of Reader.Next.
func (c *cnab240) next() (Item, error) {
	for {
		line, err := c.lines.next()
		if err == io.EOF {
			return Item{}, c.end()
		}
		if err != nil {
			return Item{}, err
		}
		if len(line) == 0 { // also 0x1A
			continue
		}
		if err := c.take(line); err != nil {
			return Item{}, err
		}
		isItem, err := c.process()
		if err != nil {
			return Item{}, err
		}
		if isItem {
			item, err := c.item()
			c.items++
			return item, err
		}
	}
}

// end checks whether the file may end here.
func (c *cnab240) end() error {
	switch {
	case c.lot != nil:
		return &Error{Message: messages.CutFile(messages.LotTrailer, c.items)}
	case !c.ended:
		return &Error{Message: messages.CutFile(messages.FileTrailer, c.items)}
	}
	return io.EOF
}

// take stores a line as a record. Banks cut blanks at its end, and some add a character.
func (c *cnab240) take(line []byte) error {
	if utf8.Valid(line) && !isASCII(line) {
		encoder := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder())
		line, _ = encoder.Bytes(line) // it replaces invalid characters
	}
	if len(line) > recordSize+1 || c.lines.more {
		return c.fault(messages.CNABLongf, len(line), recordSize)
	}
	n := copy(c.record[:], line)
	copy(c.record[n:], blankRecord)
	return nil
}

var blankRecord = bytes.Repeat([]byte(" "), recordSize)

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (c *cnab240) fault(format string, args ...any) error {
	return &Error{c.lines.number, fmt.Sprintf(format, args...)}
}

// at returns the characters from one place of the record to another, both included.
func (c *cnab240) at(first, last int) []byte { return c.record[first-1 : last] }

// process processes a record, and reports whether it is an item.
func (c *cnab240) process() (isItem bool, err error) {
	kind := c.record[7]
	if c.ended != (kind == '0') {
		return false, c.fault(messages.CNABOrderf, kind)
	}
	c.records++
	if c.lot != nil {
		c.lot.records++
	}
	switch {
	case kind == '0':
		c.ended, c.records = false, 1
	case kind == '1' && c.lot == nil:
		return false, c.beginLot()
	case kind == '3' && c.lot != nil:
		return c.lot.statement && c.record[13] == 'E', nil
	case (kind == '2' || kind == '4') && c.lot != nil:
	case kind == '5' && c.lot != nil:
		err = c.endLot()
		c.lot = nil
	case kind == '9' && c.lot == nil:
		c.ended = true
		return false, c.agree(24, 29, c.records, messages.CNABFileLinesf)
	default:
		return false, c.fault(messages.CNABOrderf, kind)
	}
	return false, err
}

// beginLot begins a lot. That of a statement names the account, and states the opening balance.
func (c *cnab240) beginLot() error {
	c.lot = &cnabLot{records: 1, statement: isStatementLot(c.record[:])}
	if !c.lot.statement {
		return nil
	}
	c.says = true
	c.use(c.accountNumber())
	if a := c.note(); a.Currency == "" {
		a.Currency = strings.TrimSpace(c.text(171, 173))
	}
	var err error
	c.lot.openedOn = c.day(143)
	c.lot.opening, c.lot.opened, err = c.balance()
	return err
}

// isStatementLot reports whether a lot header is that of a statement for reconciliation.
func isStatementLot(record []byte) bool {
	return len(record) > 13 && record[7] == '1' && string(record[8:13]) == "E0440"
}

// accountNumber returns the branch, account and check digit. Itaú writes zeros in front of its accounts and the check
// digit behind a blank, others the check digit of both behind that of the account.
func (c *cnab240) accountNumber() string {
	branch, account := strings.TrimLeft(c.text(53, 57), "0 "), strings.TrimLeft(c.text(59, 70), "0 ")
	if account == "" {
		return ""
	}
	digit := c.text(71, 71)
	if digit == "" {
		digit = c.text(72, 72)
	}
	number := account
	if digit != "" {
		number += "-" + digit
	}
	if branch != "" {
		number = strings.Repeat("0", max(0, 4-len(branch))) + branch + "/" + number
	}
	return number
}

// balance reads the balance of a header or a trailer of a lot; stated is false if it is blank.
func (c *cnab240) balance() (balance finance.Amount, stated bool, err error) {
	if len(trimmed(c.at(151, 168))) == 0 {
		return 0, false, nil
	}
	balance, err = c.money(151, 168)
	switch c.record[168] {
	case 'D':
		balance = -balance
	case 'C':
	default:
		if balance != 0 && err == nil {
			err = c.fault(messages.CNABSignf, 169, c.text(169, 169))
		}
	}
	return balance, true, err
}

// money reads an amount with two decimals.
func (c *cnab240) money(first, last int) (cents finance.Amount, err error) {
	for _, digit := range c.at(first, last) {
		if digit < '0' || digit > '9' {
			return 0, c.fault(messages.CNABNumberf, first, last, c.text(first, last))
		}
		cents = cents*10 + finance.Amount(digit-'0')
	}
	return cents, nil
}

// agree refuses a number of a trailer that is not the number of records.
func (c *cnab240) agree(first, last int, records int64, format string) error {
	stated, err := c.money(first, last)
	if err == nil && int64(stated) != records%1e6 { // there is room for six digits
		err = c.fault(format, int64(stated), records)
	}
	return err
}

// endLot checks the trailer of a lot. Sums and numbers that do not agree are a fault; a closing balance that is not
// the opening balance with the movements is a doubt.
func (c *cnab240) endLot() error {
	if !c.lot.statement {
		return nil
	}
	if err := c.agree(171, 176, c.lot.records, messages.CNABLotLinesf); err != nil {
		return err
	}
	for _, sum := range []struct {
		first, last int
		of          finance.Amount
		format      string
	}{{177, 194, c.lot.debits, messages.CNABDebitsf}, {195, 212, c.lot.credits, messages.CNABCreditsf}} {
		stated, err := c.money(sum.first, sum.last)
		if err != nil {
			return err
		}
		if stated != sum.of {
			return c.fault(sum.format, stated.Brazilian(), sum.of.Brazilian())
		}
	}
	c.cover(c.day(143))
	closing, stated, err := c.balance()
	if err != nil || !stated || closing > finance.MaxAmount || closing < -finance.MaxAmount {
		return err
	}
	if c.lot.opened && c.lot.opening+c.lot.credits-c.lot.debits != closing {
		c.differing++
	}
	s := c.note()
	s.LedgerBalance, s.LedgerBalanceOn = &closing, nil
	if day := c.day(143); !day.IsZero() {
		s.LedgerBalanceOn = &day
	}
	return nil
}

// cover adds the period of a lot to that of its account: from the day of the opening balance to that of the closing.
// Sicredi and Santander state the opening balance of the day before: if the lot has no movement of that day, the period
// begins on the next day. A lot that opens with the closing balance of the previous lot continues its period, so a
// weekend between them is no gap.
func (c *cnab240) cover(to finance.Date) {
	from := c.lot.openedOn
	if from.IsZero() || to.IsZero() {
		return
	}
	if !c.lot.moved && from.Before(to) {
		from = from.AddDays(1)
	}
	s := c.note()
	if s.PeriodEnd != nil && s.LedgerBalance != nil && c.lot.opened && *s.LedgerBalance == c.lot.opening {
		if next := s.PeriodEnd.AddDays(1); next.Before(from) {
			from = next
		}
	}
	s.Summary.cover(s.Summary, &from, &to)
}

// day reads a date in DDMMAAAA; the zero Date if it is none.
func (c *cnab240) day(first int) finance.Date {
	text := c.at(first, first+7)
	if leading(text) < len(text) {
		return finance.Date{}
	}
	number := func(digits []byte) (n int) {
		for _, digit := range digits {
			n = n*10 + int(digit-'0')
		}
		return n
	}
	day, _ := finance.NewDate(number(text[4:]), time.Month(number(text[2:4])), number(text[:2]))
	return day
}

// item reads the movement of a segment E, and adds it to the sums of the lot unless it is only informative.
func (c *cnab240) item() (Item, error) {
	cents, err := c.money(151, 168)
	if err == nil && cents > finance.MaxAmount {
		err = c.fault(messages.BadAmountf, c.text(151, 168), finance.ErrAmountTooLarge)
	}
	if err != nil {
		return Item{}, err
	}
	c.pass.count()
	bank, pending := string(c.at(1, 3)), c.informative()
	sum := &c.lot.credits
	switch c.record[168] {
	case 'D':
		sum = &c.lot.debits
		cents = -cents
	case 'C':
	default:
		return Item{}, c.fault(messages.CNABSignf, 169, c.text(169, 169))
	}
	if !pending {
		*sum = min(*sum+max(cents, -cents), 1e18) // more than a trailer can state
	}
	if c.rules == nil {
		return Item{}, nil
	}
	item := Item{Line: c.lines.number, AmountLine: c.lines.number, Account: c.account, Amount: cents.String(),
		Pending: pending, Day: c.day(135)}
	if item.Day.IsZero() { // Itaú leaves the accounting date blank
		item.Day = c.day(143)
	}
	c.lot.moved = c.lot.moved || !pending && item.Day == c.lot.openedOn
	var complement string
	switch bank {
	case santander:
		item.Document, complement = c.text(202, 207), c.text(208, 240)
		if len(complement) == 11 || len(complement) == 14 {
			item.Payment = memo.Given(memo.Payment{CounterpartDocument: complement})
		}
	case bradesco:
		item.Document, complement = c.text(202, 208), c.text(209, 240)
	case itau:
		complement, item.Document = c.text(202, 234), c.text(235, 240)
	default:
		if complement = c.text(202, 240); complement != "" && isNumber(complement) {
			item.Document, complement = complement, ""
		}
	}
	if strings.Trim(item.Document, "0") == "" {
		item.Document = ""
	}
	item.Description = strings.TrimSpace(c.text(177, 201) + " " + complement)
	return item, nil
}

// informative reports whether a movement is outside the sums and the balance: an entry of the future of Itaú, or one
// of Bradesco's automatic investment.
func (c *cnab240) informative() bool {
	switch string(c.at(1, 3)) {
	case itau:
		return c.record[14] == '5'
	case bradesco:
		return string(c.at(109, 111)) == "INV"
	}
	return false
}

// text returns the characters from one place to another as a text of an Item.
func (c *cnab240) text(first, last int) string {
	text := trimmed(c.at(first, last))
	if isASCII(text) && bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F }) < 0 {
		return string(text)
	}
	return string(tidy(nil, fromCP1252(text)))
}

// isCNAB240 reports whether head begins a CNAB 240 file with a statement.
func isCNAB240(head []byte) bool {
	head = bytes.TrimSpace(head)
	if !cnab240Header.Match(head) || !long(head, recordSize+1) {
		return false
	}
	for line := range bytes.FieldsFuncSeq(head, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if isStatementLot(line) {
			return true
		}
	}
	return false
}
