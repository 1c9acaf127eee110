package statement

import (
	"bytes"
	"io"

	"bordero/internal/messages"

	"golang.org/x/text/transform"
)

// Reader reads the items of a statement file in OFX 1.x or 2.x, OFC or QIF, in memory that does
// not grow with the file. The content determines the format. Reader accepts what banks really
// write: it ignores headers and skips what it does not know. Investment trades are not items;
// cash in investment statements is.
type Reader struct {
	file io.ReadSeeker
	next func() (Item, error) // of the file's format; nil before the first item
	said accounts
	err  error
}

// NewReader returns a Reader of the file, which must be at its beginning. A QIF file is read
// twice: the whole file shows how its dates and amounts are written.
func NewReader(file io.ReadSeeker) *Reader { return &Reader{file: file} }

// Next returns the next item, and io.EOF after the last. An *Error reports a broken file: it is
// not a statement, the bank refused the request, or it is cut off. A file is cut off if it ends
// inside a tag, inside an item that has no date or no amount yet, or inside an unclosed item
// while it closes others. Any other error is the underlying reader's. Items returned before an
// error come from a broken file and must not be stored.
func (r *Reader) Next() (Item, error) {
	if r.next == nil && r.err == nil {
		r.err = r.begin()
	}
	if r.err != nil {
		return Item{}, r.err
	}
	item, err := r.next()
	r.err = err
	return item, err
}

// begin detects the format from the head of the file.
func (r *Reader) begin() error {
	text := decoded(r.file)
	head := make([]byte, DetectSize)
	n, err := io.ReadFull(text, head)
	text = io.MultiReader(bytes.NewReader(head[:n]), text) // text returns a read error again
	switch format := Detect(head[:n]); {
	case format == QIF:
		return r.beginQIF(text)
	case format != "":
		r.next = newMarkup(text, format, &r.said).next
		return nil
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return err
	}
	return &Error{1, messages.UnknownFormat}
}

func (r *Reader) beginQIF(text io.Reader) error {
	survey := newQIF(text, convention{}, &accounts{})
	for {
		_, err := survey.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.next = newQIF(decoded(r.file), survey.seen, &r.said).next
	return nil
}

// decoded drops a byte order mark and converts UTF-16 to UTF-8.
func decoded(file io.Reader) io.Reader { return transform.NewReader(file, byteOrderMark()) }

// Summaries returns a summary of each account that the file names, in the file's order. It is
// complete after Next has returned io.EOF. It contains at most a hundred accounts; beyond that,
// accounts with items replace accounts without.
func (r *Reader) Summaries() []Summary { return r.said.summaries() }

// Summary returns the summary of the account, compared by SameAccount, or the zero Summary if
// there is no such account. "" means the file's only account with items, or its only account if
// there are no items. It is complete after Next has returned io.EOF.
func (r *Reader) Summary(account string) Summary {
	s := r.said.of(account)
	if s.PeriodStart != nil && s.PeriodEnd != nil && s.PeriodStart.After(*s.PeriodEnd) {
		s.PeriodStart, s.PeriodEnd = s.PeriodEnd, s.PeriodStart
	}
	return s
}
