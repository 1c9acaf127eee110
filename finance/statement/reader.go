package statement

import (
	"bytes"
	"io"

	"bordero/internal/messages"

	"golang.org/x/text/transform"
)

// Reader reads the items of a statement file, OFX 1.x and 2.x, OFC or QIF, one
// after the other, in memory that does not grow with the file. What the file holds
// tells the format. It takes what banks really write: headers are ignored, what it
// does not know is passed over. Investment trades are no items, cash in investment
// statements is.
type Reader struct {
	file io.ReadSeeker
	next func() (Item, error) // of the file's format; nil before the first item
	said accounts
	err  error
}

// NewReader returns a Reader of the file, which is at its beginning. A QIF file is
// read twice: all of it tells how its dates and amounts are written.
func NewReader(file io.ReadSeeker) *Reader { return &Reader{file: file} }

// Next returns the next item, and io.EOF after the last. An *Error says that the
// file is broken: no statement, or cut off, which is when it ends inside a tag,
// inside an item that has no date or no amount yet, or inside an unclosed item
// while it closes others. Any other error is the underlying reader's. Items
// returned before an error are of a broken file and not to be kept.
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

// begin looks at the head of the file for its format.
func (r *Reader) begin() error {
	text := decoded(r.file)
	head := make([]byte, DetectSize)
	n, err := io.ReadFull(text, head)
	text = io.MultiReader(bytes.NewReader(head[:n]), text) // which fails again if it did
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

// decoded drops a byte order mark and turns what is UTF-16 into UTF-8.
func decoded(file io.Reader) io.Reader { return transform.NewReader(file, byteOrderMark()) }

// Summaries returns what the file says of each account that it names, in its
// order; complete after Next returned io.EOF. Past a hundred accounts only those
// with items are told, the first hundred of them.
func (r *Reader) Summaries() []Summary { return r.said.summaries() }

// Summary returns what the file says of the account, compared as SameAccount
// does. "" is the file's only account with items, or its only account when there
// are no items. The zero Summary: there is no such account. Complete after Next
// returned io.EOF.
func (r *Reader) Summary(account string) Summary { return r.said.of(account) }
