package finance

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bordero/internal/messages"
)

// Codes of warnings about statements.
const (
	WarnOtherAccount      = "other_account"
	WarnOtherCurrency     = "other_currency"
	WarnSuspects          = "suspects"
	WarnOtherDescription  = "duplicates_with_other_description"
	WarnDatesByConvention = "dates_by_convention"
	WarnSignsByType       = "signs_by_type"
	WarnWideSpan          = "wide_span"
	WarnReadDifferently   = "read_differently"
	WarnNoStatement       = "no_statement"
	WarnBrokenBalances    = "broken_balances"
	WarnMovedDay          = "moved_day"
	WarnClosingDiffers    = "closing_differs"
	WarnRestated          = "restated"
)

// StatementWarningCodes lists the codes of all warnings about statements.
var StatementWarningCodes = []string{
	WarnOtherAccount, WarnOtherCurrency, WarnSuspects, WarnOtherDescription, WarnDatesByConvention,
	WarnSignsByType, WarnWideSpan, WarnReadDifferently, WarnNoStatement, WarnMovedDay, WarnBrokenBalances,
	WarnClosingDiffers, WarnRestated,
}

// Acceptable lists the codes of warnings about files that are imported only if the client accepts
// the warning.
var Acceptable = Texts{WarnOtherAccount, WarnOtherCurrency}

// ValidateUpload is ValidateAccept of an upload. It also refuses an incomplete mapping, and a mapping of a file that is
// not a preview: such a file is imported before anybody has seen how the mapping reads its rows.
func (b *BankStatement) ValidateUpload() error {
	var invalid Invalid
	if b.StatementMapping != nil {
		b.StatementMapping.validate(&invalid)
		if !b.Preview {
			invalid.Add("statement_mapping", messages.OnlyInPreview)
		}
	}
	if err := invalid.Err(); err != nil {
		return err
	}
	return b.ValidateAccept()
}

// ValidateAccept refuses codes outside of Acceptable, and drops repetitions.
func (b *BankStatement) ValidateAccept() error {
	slices.Sort(b.Accept)
	b.Accept = slices.Compact(b.Accept)
	for _, code := range b.Accept {
		if !slices.Contains(Acceptable, code) {
			return Refuse("accept", messages.NotAcceptable.With(strings.Join(Acceptable, ", ")).Of(Acceptable))
		}
	}
	return nil
}

// StatementWarning is a doubt about a statement's file: a code for programs, a sentence for people,
// and how many items it is about (OpenAPI: BankStatement).
type StatementWarning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Count   int64  `json:"count"`
}

// StatementWarnings are the warnings of an import or a preview.
type StatementWarnings []StatementWarning

// Scan implements sql.Scanner for a JSON list.
func (l *StatementWarnings) Scan(src any) error { return scanJSON(src, l) }

// Value implements driver.Valuer as a list in JSON.
func (l StatementWarnings) Value() (driver.Value, error) {
	text, err := json.Marshal(l)
	return string(text), err
}

// MarshalJSON implements json.Marshaler; no warnings are an empty list.
func (l StatementWarnings) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]StatementWarning{}, l...))
}

// Add adds the warning with a code and a sentence that depends only on the count.
func (l *StatementWarnings) Add(code string, count int64) {
	text := messages.StatementWarnings[code]
	message := text.Many
	if count == 1 {
		message = text.One
	}
	l.say(code, count, strings.ReplaceAll(message, "%d", strconv.FormatInt(count, 10)))
}

// AddCounted is Add, unless the count is zero.
func (l *StatementWarnings) AddCounted(code string, count int64) {
	if count > 0 {
		l.Add(code, count)
	}
}

func (l *StatementWarnings) say(code string, count int64, message string) {
	*l = append(*l, StatementWarning{code, message, count})
}

// AddOtherAccount warns of a file with items of the account file; the first statement was of the account first.
func (l *StatementWarnings) AddOtherAccount(file, first string, items int64) {
	l.say(WarnOtherAccount, items, fmt.Sprintf(messages.OtherNumberf, file, first))
}

// AddDoubts warns of known items whose description differs from the remembered one. It names the
// first doubts, and counts the others.
func (l *StatementWarnings) AddDoubts(doubts []SuspectedDuplicate, count int64) {
	if len(doubts) == 0 {
		return
	}
	const most = 5
	var named []string
	for _, d := range doubts[:min(len(doubts), most)] {
		named = append(named, fmt.Sprintf(messages.Doubtf, d.Line, d.Day.Brazilian(), d.Amount.Brazilian(),
			d.Description, d.Known))
	}
	format := messages.Doubtsf
	if count == 1 {
		format = messages.OneDoubtf
	}
	text := fmt.Sprintf(format, strings.Join(named, "; "))
	if more := count - int64(len(named)); more > 0 {
		text += fmt.Sprintf(" "+messages.AndMoref, more)
	}
	l.say(WarnOtherDescription, count, text)
}

// Unaccepted returns the codes of warnings that need to be accepted and are not.
func (l StatementWarnings) Unaccepted(accept []string) (codes []string) {
	for _, w := range l {
		if slices.Contains(Acceptable, w.Code) && !slices.Contains(accept, w.Code) {
			codes = append(codes, w.Code)
		}
	}
	return codes
}

// NotAccepted describes to a person that a file was not imported because of warnings that need to be
// accepted.
func (l StatementWarnings) NotAccepted(codes []string) string {
	var text strings.Builder
	for _, w := range l {
		if slices.Contains(codes, w.Code) {
			text.WriteString(w.Message + " ")
		}
	}
	fmt.Fprintf(&text, messages.NotAcceptedf, strings.Join(codes, ", "))
	return text.String()
}

// ItemCurrencies counts items by the id of their currency; 0 for items without a known currency.
type ItemCurrencies map[int64]int64

// Add counts an item by the code of its currency; "" if it has no code.
func (c ItemCurrencies) Add(code string) { c[currencyOf(code).ID]++ }

// AddOtherCurrency warns of a statement, or of items, in another currency than own, the id of the
// deposit account's. stated is the statement's code, which applies to items without one.
func (l *StatementWarnings) AddOtherCurrency(items ItemCurrencies, stated string, own int64) {
	whole := currencyOf(stated).ID
	var codes []string
	var count int64
	var ownCode string
	for _, c := range Currencies {
		n := items[c.ID]
		if c.ID == whole {
			n += items[0]
		}
		switch {
		case c.ID == own:
			ownCode = c.Code
		case n > 0 || c.ID == whole:
			codes, count = append(codes, c.Code), count+n
		}
	}
	if len(codes) > 0 {
		l.say(WarnOtherCurrency, count, fmt.Sprintf(messages.FileCurrencyf, strings.Join(codes, ", "), ownCode))
	}
}
