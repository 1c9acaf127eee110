package statement

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"bordero/finance"
	"bordero/internal/messages"

	"golang.org/x/text/transform"
)

// Reader reads the items of a statement file in OFX 1.x or 2.x, OFC, QIF, CSV, XLSX, JSON or CNAB 240. Its memory does
// not grow with the file, but for an XLSX, which is bounded. The content determines the format. Reader accepts files
// as banks really write them: it ignores headers and skips unknown parts. Investment trades are not items; cash in
// investment statements is.
type Reader struct {
	// Zone is where moments have their days; nil stands for UTC. It must not change after the first call of Next.
	Zone *time.Location

	file    io.ReadSeeker
	today   finance.Date
	mapping *finance.StatementMapping
	next    func() (Item, error) // of the file's format; nil before the survey
	said    *pass
	named   accounts // as the survey found them
	notes   []Note
	err     error
}

// NewReader returns a Reader of the file, which must be at its beginning. The file is read twice: the
// whole file shows how its dates and amounts are written. Dates long after today speak against an
// order of day, month and year.
func NewReader(file io.ReadSeeker, today finance.Date) *Reader {
	return &Reader{file: file, today: today, said: &pass{}}
}

// Map states how tables are written whose header is not known, before the first call of another method. m may be nil.
func (r *Reader) Map(m *finance.StatementMapping) { r.mapping = m }

// Next returns the next item, and io.EOF after the last. An *Error reports a broken file: it is not
// a statement, the bank refused the request, no date can be read, or it is cut off. Items returned
// before an error come from a broken file and must not be stored. Any other error is the underlying
// reader's.
//
// OFX and OFC are cut off if an <OFX> or <OFC> does not end. A QIF is cut off if it ends inside a
// record without a date or an amount, or inside an unclosed record while it closes others. JSON is cut off unless its
// array or object ends; JSON lines that end after a whole line may lack further ones. CNAB 240 is cut
// off without the trailers of its lots and its own, which must agree with its records.
func (r *Reader) Next() (Item, error) {
	r.begin()
	if r.err != nil {
		return Item{}, r.err
	}
	item, err := r.next()
	r.err = err
	return item, err
}

// begin surveys the file, once.
func (r *Reader) begin() {
	if r.next == nil && r.err == nil {
		r.err = r.survey()
	}
}

func (r *Reader) survey() error {
	format, text, err := detected(r.file, r.mapping)
	if err != nil {
		return err
	}
	survey := newSurvey(format, r.today)
	survey.mapping, survey.zone = r.mapping, r.Zone
	next := survey.over(text)
	for err == nil {
		_, err = next()
	}
	if err != io.EOF {
		return err
	}
	rules, notes, err := survey.conclude()
	if err != nil {
		return err
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.named, r.notes = survey.accounts, notes
	r.said = &pass{format: format, rules: rules, mapping: r.mapping, zone: r.Zone}
	r.next = r.said.over(decoded(r.file))
	return nil
}

// over returns the function that reads the next item of the text.
func (p *pass) over(text io.Reader) func() (Item, error) {
	switch p.format {
	case QIF:
		return newQIF(text, p).next
	case CSV:
		return newTable(newRecords(text, p.mapping), p).next
	case XLSX:
		return newBook(text, p).next
	case JSON:
		return newJSON(text, p).next
	case CNAB240:
		return newCNAB240(text, p).next
	}
	return newMarkup(text, p).next
}

// detected detects the format from the head of the file, and returns the whole text.
func detected(file io.Reader, m *finance.StatementMapping) (Format, io.Reader, error) {
	text := decoded(file)
	head := make([]byte, DetectSize)
	n, err := io.ReadFull(text, head)
	format := Detect(head[:n])
	if format == "" && Mapped(head[:n], m) {
		format = CSV
	}
	switch {
	case format != "":
		return format, io.MultiReader(bytes.NewReader(head[:n]), text), nil // text returns a read error again
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return "", nil, err
	}
	if header := tableHeader(head[:n]); header != "" { // its mapping is gone, or another one
		return "", nil, &Error{0, fmt.Sprintf(messages.UnknownHeaderf, header)}
	}
	return "", nil, &Error{1, messages.UnknownFormat}
}

// decoded drops a byte order mark and converts UTF-16 to UTF-8.
func decoded(file io.Reader) io.Reader { return transform.NewReader(file, byteOrderMark()) }

// Summaries returns a summary of each account that the file names, in the file's order. It is
// complete after Next has returned io.EOF. It contains at most a hundred accounts; beyond that,
// accounts with items replace accounts without.
func (r *Reader) Summaries() []Summary { return r.said.summaries() }

// AccountOf returns the number of an account as the file writes it: the number with the same
// letters and digits or, without one, the only number that is the same by SameAccount. It returns
// number itself if the file has no such account, and "" if its format need not name the account, and it names none:
// then all items are of the account that the file is for. Classify and Summary expect the result.
func (r *Reader) AccountOf(number string) string {
	r.begin() // Next returns its error
	if (r.said.format == JSON || r.said.format.inRows()) && r.named.nameless() {
		return ""
	}
	return r.named.called(number)
}

// Format returns the format of the file; "" if it has none.
func (r *Reader) Format() Format {
	r.begin() // Next returns its error
	return r.said.format
}

// Notes returns the decisions of Reader about the file, and its doubts. It is complete after
// Next has returned io.EOF.
func (r *Reader) Notes() []Note {
	return append(r.notes[:len(r.notes):len(r.notes)], r.said.brokenBalances()...)
}

// Summary returns the summary of the account, whose number comes from AccountOf, or the zero
// Summary if there is no such account. "" means the file's only account with items or, in a file
// without items, its only account. It is complete after Next has returned io.EOF.
func (r *Reader) Summary(account string) Summary {
	s := r.said.of(account)
	if s.PeriodStart != nil && s.PeriodEnd != nil && s.PeriodStart.After(*s.PeriodEnd) {
		s.PeriodStart, s.PeriodEnd = s.PeriodEnd, s.PeriodStart
	}
	return s
}
