package statement

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"

	"golang.org/x/text/transform"
)

const (
	maxPreamble = 40   // the rows in which the header must be
	maxNotes    = 1000 // rows without a date, one after the other
)

// rowReader reads the rows of a file in columns.
type rowReader interface {
	next() ([][]byte, error)                 // the cells, trimmed, until the next call; io.EOF at the end
	isHeader(func(cells [][]byte) bool) bool // reports whether the last row is the header
	row() int                                // the number of the last row, counted from 1
	place(column int, title string) string   // how people find a column
	prefix() string                          // of an error about a row
	dayZero() time.Time                      // of dates that are numbers of days
	unended() (unended, whole bool)          // the file ended with the last row, and a quote after its last cell
}

// table reads the items of a table: the rows below a known header, to the title of another section. Below it there may
// be the tables of further accounts.
type table struct {
	*pass
	rowReader
	columns *columns // nil before the header
	titles  []string // of the columns, as the file writes them
	unknown header   // what may be the header, if none is known

	open func() (rowReader, error) // unless nil, opens the rows

	waiting  Item // for rows that continue its description
	waits    bool
	unsigned bool     // it lacks its direction
	closed   bool     // in another section
	above    [][]byte // in another section: the row that names an account, and the rows below it
	ended    bool

	day    finance.Date // of the last row
	number string       // the account of the last row, as written
	notes  int          // rows without a date since the last item
	sums   totals
	chain  chain
	stated stated

	text []byte // scratch
}

func newTable(r rowReader, p *pass) *table { return &table{rowReader: r, pass: p} }

// isTable reports whether a file that begins with head has the header of a known table, or of the mapping.
func isTable(head []byte, m *finance.StatementMapping) bool {
	p := &pass{mapping: m}
	return newTable(newRecords(bytes.NewReader(head), m), p).begin() == nil
}

// MayBeMapped reports whether a file that begins with head may be a CSV that a mapping describes: one of its first
// lines has three cells, the fewest columns of a mapping. A file of an acquirer never is one.
func MayBeMapped(head []byte) bool {
	head, _, _ = transform.Bytes(byteOrderMark(), head[:min(len(head), DetectSize)]) // as in Detect
	if bytes.IndexByte(head, 0) >= 0 || OfAcquirer(head) {
		return false
	}
	return slices.ContainsFunc(firstLines(head, 50), func(line []byte) bool {
		return slices.ContainsFunc(separators, func(separator string) bool {
			return bytes.Count(line, []byte(separator)) >= 2
		})
	})
}

// Mapped reports whether a file that begins with head, and in which Detect finds no format, is a CSV with the header of
// the mapping.
func Mapped(head []byte, m *finance.StatementMapping) bool {
	head, _, _ = transform.Bytes(byteOrderMark(), head[:min(len(head), DetectSize)]) // as in Detect
	return m != nil && isTable(head, m)
}

// statedOrder returns the order of a mapping's date format.
func statedOrder(format string) *order {
	switch format {
	case "dd/mm/yyyy":
		return &dayMonthYear
	case "mm/dd/yyyy":
		return &monthDayYear
	}
	return &yearMonthDay
}

// next returns the next item, without texts in the survey; its errors are those of Reader.Next.
func (t *table) next() (Item, error) {
	if t.columns == nil {
		if err := t.start(); err != nil {
			return Item{}, err
		}
	}
	for !t.ended {
		cells, err := t.rowReader.next()
		var item Item
		ok := false
		if err == io.EOF {
			err = t.end()
			t.ended = true
		} else if err == nil && t.closed {
			t.skip(cells)
		} else if err == nil {
			item, ok, err = t.read(cells)
		}
		if err != nil {
			return Item{}, err
		}
		if ok {
			return item, nil
		}
	}
	if item, ok := t.take(); ok {
		return item, nil
	}
	return Item{}, io.EOF
}

// newBook returns the table of a workbook.
func newBook(text io.Reader, p *pass) *table {
	limit := boundsOfWorker
	if p.small {
		limit = boundsOfRequest
	}
	return &table{pass: p, open: func() (rowReader, error) { return openSheet(text, p.mapping, limit) }}
}

// start opens the rows and finds the header.
func (t *table) start() (err error) {
	if t.open != nil {
		if t.rowReader, err = t.open(); err != nil {
			return err
		}
	}
	return t.begin()
}

// begin finds the header, and what is stated above it.
func (t *table) begin() error {
	for range maxPreamble {
		cells, err := t.rowReader.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		t.preamble(cells) // a header states nothing
		if t.isHeader(t.match) {
			t.says = true
			t.note()
			return nil
		}
	}
	return &Error{1, messages.NoHeader}
}

// match reports whether a row is a header, which then holds for the rows below it.
func (t *table) match(cells [][]byte) bool {
	columns := layoutOf(cells)
	if columns == nil {
		if columns = mappedColumns(cells, t.mapping); columns == nil {
			t.unknown.see(cells)
			return false
		}
		t.cells.mapped(t.mapping)
		if t.mapping.DateFormat != nil {
			t.dates.stated = statedOrder(*t.mapping.DateFormat)
		}
	}
	t.columns, t.titles = columns, nil
	for _, cell := range cells {
		t.titles = append(t.titles, string(clean(nil, cell)))
	}
	return true
}

// end ends the rows of the statement, unless they have ended. In the survey, it checks whether the file may end here.
func (t *table) end() error {
	if t.closed {
		return nil
	}
	t.closed = true
	if t.rules == nil {
		return t.cutRow()
	}
	if ended, _ := t.unended(); ended && t.unsigned && t.waiting.Line == t.row() {
		return t.refuse(messages.CutRow)
	}
	if err := t.atStatedEnd(); err != nil {
		return err
	}
	t.closeChain()
	return nil
}

// skip reads a row of a section that is not of the statement. A row that names an account, and a known header in the
// rows below it, begin the table of that account. The account of the rows before may stand above a section, too: its
// next table needs the word EXTRATO.
func (t *table) skip(cells [][]byte) {
	text := clean(nil, bytes.Join(cells, []byte(" ")))
	if len(text) > maxValue {
		return
	}
	key := folded(string(text))
	number := ""
	if namesAccount(key) {
		number = accountIn(text)
	}
	switch {
	case beginsSection(key), len(t.above) == maxPreamble,
		number != "" && sameKey(number, t.account) && !strings.HasPrefix(key, "EXTRATO"):
		t.above = nil
	case number != "":
		t.above = [][]byte{text}
	case len(t.above) > 0 && !t.reopen(cells):
		t.above = append(t.above, text)
	}
}

// reopen reports whether a row is the header of another account's table, and begins it.
func (t *table) reopen(cells [][]byte) bool {
	before := t.columns
	if !t.match(cells) {
		return false
	}
	if t.columns != before { // the ends of its rows are others
		t.cells.ends = rowEnds{}
	}
	for _, text := range t.above {
		t.preamble([][]byte{text})
	}
	t.closed, t.above = false, nil
	t.day, t.stated, t.notes = finance.Date{}, stated{}, 0
	return true
}

// read reads a row. The item that it returns is of the rows before.
func (t *table) read(cells [][]byte) (before Item, ok bool, err error) {
	if n := len(t.columns.roles); len(cells) > n && len(bytes.Join(cells[n:], nil)) > 0 {
		return Item{}, false, t.refuse(messages.RowTooWidef, len(cells), n)
	}
	date := t.cell(cells, dateRole)
	if !mayBeDate(date) {
		return t.readUndated(cells, date)
	}
	// In a sheet the empty cells at the end of a row may be missing.
	if len(cells) < t.columns.least && t.format != XLSX {
		return Item{}, false, t.refuse(messages.RowTooShortf, len(cells), t.columns.least)
	}
	return t.item(cells, date)
}

// readUndated reads a row without a date, or with a text for it: the rest of a description, sums, another section, the
// title of another account's table, a note, or an item whose date cannot be read.
func (t *table) readUndated(cells [][]byte, date []byte) (before Item, ok bool, err error) {
	if t.notes++; t.notes > maxNotes {
		return Item{}, false, t.refuse(messages.ManyNotesf, maxNotes)
	}
	label := t.label(cells)
	key := folded(label)
	hasMoney := t.hasMoney(cells)
	switch {
	case beginsSection(key):
		before, ok = t.take()
		return before, ok, t.end()
	case hasMoney && strings.HasPrefix(key, "TOTAL"):
		return Item{}, false, t.readTotal(cells)
	case hasMoney && (strings.HasPrefix(label, "(") || strings.HasPrefix(key, "LIMITE")): // the bank's arithmetic
	case hasMoney:
		var it Item
		t.describe(&it, cells)
		if it.Balance || it.Description == "" { // without a description: a footer, such as "Saldo da conta"
			date = nil
		}
		return t.item(cells, date)
	case strings.HasPrefix(key, "EXTRATO") && accountIn(bytes.Join(cells, []byte(" "))) != "": // another table
		before, ok = t.take()
		t.day = finance.Date{}
		t.preamble(cells)
		return before, ok, nil
	case t.columns.continues && t.waits && len(date) == 0 && label != "":
		if t.rules != nil && len(t.waiting.Description) <= maxValue {
			t.waiting.Description = string(shortened([]byte(describe([]byte(t.waiting.Description), []byte(label)))))
		}
	case layoutOf(cells) == nil:
		t.preamble(cells)
	}
	return Item{}, false, nil
}

// label returns the texts of a row without a date.
func (t *table) label(cells [][]byte) string {
	t.text = append(t.text[:0], t.cell(cells, dateRole)...)
	for _, i := range t.columns.texts {
		if i < len(cells) && len(cells[i]) > 0 {
			t.text = append(append(t.text, ' '), cells[i]...)
		}
	}
	return string(clean(nil, trimmed(t.text)))
}

// hasMoney reports whether an amount or a balance of the row has a digit.
func (t *table) hasMoney(cells [][]byte) bool {
	for _, i := range t.columns.money {
		if i < len(cells) && bytes.ContainsAny(cells[i], "0123456789") {
			return true
		}
	}
	return false
}

// preamble reads a row that is no row of the table: it may state the account and the period.
func (t *table) preamble(cells [][]byte) {
	text := clean(nil, bytes.Join(cells, []byte(" ")))
	if len(text) > maxValue {
		return
	}
	key := folded(string(text))
	if t.columns == nil {
		t.state(text)
	}
	if strings.Contains(key, "CONTA") && t.columns.find(accountRole) < 0 &&
		(t.columns == nil || namesAccount(key)) {
		if number := accountIn(text); number != "" {
			t.change(number)
		}
	}
	if bytes.Count(text, []byte("/")) >= 4 {
		if m := periodText.FindSubmatch(text); m != nil {
			t.statePeriod(m[1], m[2])
		}
	}
}

// namesAccount reports whether a folded row begins like a title that names the account of the table below it.
func namesAccount(key string) bool {
	return slices.ContainsFunc([]string{"CONTA", "AGENCIA", "EXTRATO"}, func(word string) bool {
		return strings.HasPrefix(key, word)
	})
}

// fault returns the error of a cell.
func (t *table) fault(i int, format string, args ...any) error {
	return t.refuse("%s: %s", t.place(i, t.titles[i]), fmt.Sprintf(format, args...))
}

// refuse returns the error of a row.
func (t *table) refuse(format string, args ...any) error {
	return &Error{t.row(), t.prefix() + fmt.Sprintf(format, args...)}
}

// cell returns the cell of a role, or nil.
func (t *table) cell(cells [][]byte, r role) []byte { return cellAt(cells, t.columns.find(r)) }

func cellAt(cells [][]byte, i int) []byte {
	if i < 0 || i >= len(cells) {
		return nil
	}
	return cells[i]
}

// appendClean appends a text as clean does.
func appendClean(dst, text []byte) []byte {
	if plain(text) {
		return append(dst, text...)
	}
	return append(dst, clean(nil, text)...)
}
