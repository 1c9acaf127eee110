// Package statement reads the movements in bank statement files and decides the outcome of each.
// Banks' files break every rule of their formats; this package hides that from the rest of the
// code.
package statement

import (
	"bytes"
	"fmt"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/internal/messages"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Format is the format of a statement file.
type Format string

// The formats that banks and aggregators in Brazil offer.
const (
	OFX Format = "OFX"
	OFC Format = "OFC"
	QIF Format = "QIF"
	// CSV and XLSX are the tables of banks.
	CSV  Format = "CSV"
	XLSX Format = "XLSX"
	// JSON is an array of items, pages of them, or JSON lines: of bordero, Pluggy, Belvo or Open Finance Brasil.
	JSON Format = "JSON"
	// CNAB240 is the statement for reconciliation, segment E.
	CNAB240 Format = "CNAB 240"
)

// inRows reports whether the format is a table with a row for each item.
func (f Format) inRows() bool { return f == CSV || f == XLSX }

// Restates reports whether the sources of the format keep the ids of items: a known id with another day or amount is
// the same item, restated, and an item that is gone may have come back with another id (decision 0045).
func (f Format) Restates() bool { return f == JSON }

// DetectSize is the maximum number of bytes that Detect reads.
const DetectSize = 64 << 10

// Detect returns the format of a file that begins with head, or "" if it is unknown. It ignores
// file names and declared types: OFC comes in files named .ofx. The first mark of a format decides,
// since later ones may be in a description.
func Detect(head []byte) Format {
	head = head[:min(len(head), DetectSize)]
	// No input makes the transformer fail: it replaces invalid bytes.
	head, _, _ = transform.Bytes(byteOrderMark(), head)
	switch {
	case IsBook(head):
		return XLSX
	case isJSON(head):
		return JSON
	case isCNAB240(head):
		return CNAB240
	case isTable(head, nil):
		return CSV
	}
	head = bytes.ToUpper(head)
	for line := range bytes.FieldsFuncSeq(head, func(c rune) bool { return c == '\n' || c == '\r' }) {
		ofx, ofc := bytes.Index(line, []byte("<OFX")), bytes.Index(line, []byte("<OFC>"))
		line = bytes.TrimSpace(line)
		for _, start := range []string{"!TYPE:", "!ACCOUNT", "!OPTION:"} {
			if bytes.HasPrefix(line, []byte(start)) {
				return QIF
			}
		}
		switch {
		case ofc >= 0 && (ofx < 0 || ofc < ofx):
			return OFC
		case ofx >= 0:
			return OFX
		}
	}
	return ""
}

// byteOrderMark drops a leading byte order mark, and converts UTF-16 with such a mark to UTF-8.
// Other bytes pass unchanged.
func byteOrderMark() transform.Transformer { return unicode.BOMOverride(transform.Nop) }

// Item is one movement as the file contains it. Its texts are valid UTF-8 in one line, trimmed,
// without control characters. A text of more than 4 KiB is cut and ends in "…".
type Item struct {
	Line        int          // where the item begins, counted from 1
	Account     string       // the account number in effect; "" if the file states no number
	Card        bool         // in a credit card statement
	Day         finance.Date // as written, that of a moment in Reader.Zone; zero if missing or invalid
	Amount      string       // as written, but in tables, by ByType, or without a thousands separator; for Classify
	AmountLine  int          // the line of the amount
	ByType      bool         // the amount has no sign, and got that of the item's type
	Balance     bool         // the row of a table is a balance, which is its amount
	Pending     bool         // announced, and not booked by the bank
	Currency    string       // CURRENCY as the file writes it; "" if the item has no currency
	FITID       string       // the bank's id, at most 255 bytes; often missing or repeated
	Document    string       // CHECKNUM or CHKNUM, else REFNUM; N in a QIF; at most 255 bytes
	Description string       // the payee's name, the memo, and a REFNUM that is no number
	Reference   string       // that REFNUM, if it is the end of Description
	Payment     memo.Payment // what fields of their own say about the payment; texts may say more
}

// Summary contains the values that the statements of one account state about themselves. Banks get
// them wrong, so nothing may depend on them. A nil field is missing or unreadable.
type Summary struct {
	Account         string // as the file first writes it; "" if missing
	Items           int
	Currency        string          // CURDEF as the file writes it; "" if missing
	LedgerBalance   *finance.Amount // of the last statement of the account
	LedgerBalanceOn *finance.Date
	PeriodStart     *finance.Date // the earliest of the account's statements
	PeriodEnd       *finance.Date // the latest
	PeriodBroken    bool          // a statement of the account does not touch the period of earlier ones
}

// cover adds a period, of which a day may be unknown, to the periods before it. Its first day may
// be written last.
func (s *Summary) cover(before Summary, from, to *finance.Date) {
	s.PeriodStart, s.PeriodEnd, s.PeriodBroken = before.PeriodStart, before.PeriodEnd, before.PeriodBroken
	if from != nil && to != nil {
		if from.After(*to) {
			from, to = to, from
		}
		s.PeriodBroken = s.PeriodBroken || s.PeriodStart != nil && to.AddDays(1).Before(*s.PeriodStart)
	}
	s.PeriodBroken = s.PeriodBroken || from != nil && s.PeriodEnd != nil && from.After(s.PeriodEnd.AddDays(1))
	if from != nil && (s.PeriodStart == nil || from.Before(*s.PeriodStart)) {
		s.PeriodStart = from
	}
	if to != nil && (s.PeriodEnd == nil || to.After(*s.PeriodEnd)) {
		s.PeriodEnd = to
	}
	if s.PeriodStart != nil && s.PeriodEnd != nil && s.PeriodStart.After(*s.PeriodEnd) { // each of another statement
		s.PeriodStart, s.PeriodEnd = s.PeriodEnd, s.PeriodStart
	}
}

// Speaks reports whether a statement of the account contains a balance or a day of its period. A
// statement without items may do so: the account had no movements.
func (s Summary) Speaks() bool {
	return s.LedgerBalance != nil || s.LedgerBalanceOn != nil || s.PeriodStart != nil || s.PeriodEnd != nil
}

// Error reports where a file is broken and what was expected there. Its text is for the person that
// uploaded the file. Read errors are never an *Error.
type Error struct {
	Line    int // 0 if Message is a whole sentence about the file
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf(messages.Linef, e.Line, e.Message)
}
