// Package statement reads bank statements: the movements that a file holds, and
// what is to become of each. It is apart because banks' files break every rule
// of their formats, and nothing else should have to know.
package statement

import (
	"bytes"
	"fmt"

	"bordero/finance"
	"bordero/internal/messages"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Format is the kind of a statement file.
type Format string

// The formats that banks in Brazil hand out.
const (
	OFX Format = "OFX"
	OFC Format = "OFC"
	QIF Format = "QIF"
)

// DetectSize is how many bytes of a file's head Detect wants at most.
const DetectSize = 64 << 10

// Detect tells the format from the first bytes of a file; "" is none of them.
// Names and declared types are not asked: OFC comes in files named .ofx. Of several
// marks the first counts, since any may stand in a description.
func Detect(head []byte) Format {
	head = head[:min(len(head), DetectSize)]
	// No input makes the transformer fail; what it cannot decode it replaces.
	head, _, _ = transform.Bytes(byteOrderMark(), head)
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

// byteOrderMark drops a leading byte order mark, and turns into UTF-8 what is
// UTF-16 by its mark. Other bytes pass unchanged.
func byteOrderMark() transform.Transformer { return unicode.BOMOverride(transform.Nop) }

// Item is one movement as the file writes it. Its texts are valid UTF-8 in one
// line, trimmed, without control characters, and end in … where the file goes on
// for more than 4 KiB.
type Item struct {
	Line        int          // where the item begins, counted from 1
	Account     string       // the account number in effect; "" when the file names none
	Card        bool         // in a credit card statement
	Day         finance.Date // as written, no time zone applied; zero: missing or no day
	Amount      string       // as written, but for a lone mark of thousands in a QIF; Classify reads it
	AmountLine  int          // the line of the amount
	FITID       string       // the bank's id, at most 255 bytes; often missing or repeated
	Document    string       // CHECKNUM or CHKNUM, else REFNUM; N of a QIF
	Description string       // the payee's name, and the memo
}

// Summary is what the statements of one account say of themselves. Banks get
// these wrong, so nothing may depend on them; nil is missing or unreadable.
type Summary struct {
	Account         string // as the file first writes it; "" when it names none
	Items           int
	Currency        string          // CURDEF as the file writes it; "" when it has none
	LedgerBalance   *finance.Amount // of the last statement of the account
	LedgerBalanceOn *finance.Date
	PeriodStart     *finance.Date // the earliest of the account's statements
	PeriodEnd       *finance.Date // the latest
}

// Speaks reports whether a statement of the account gives a balance or a day of its
// period. A statement without items does: the account did not move.
func (s Summary) Speaks() bool {
	return s.LedgerBalance != nil || s.LedgerBalanceOn != nil || s.PeriodStart != nil || s.PeriodEnd != nil
}

// Error says where a file is broken and what was expected there. It is for the
// person who uploaded the file; trouble with reading is never an Error.
type Error struct {
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf(messages.Linef, e.Line, e.Message) }
