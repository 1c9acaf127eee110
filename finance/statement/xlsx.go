package statement

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"

	"github.com/xuri/excelize/v2"
)

// sheet reads the rows of the only visible sheet with the header of a known table. A row has the texts of its cells as
// the workbook keeps them: numbers with all their decimals, dates as numbers of days. Hidden rows are rows: they
// belong to the statement that somebody filtered.
type sheet struct {
	name  string
	rows  *excelize.Rows
	zero  time.Time // the day 0 of its dates
	last  int       // the number of the last row with a value, before which the rows must not end
	most  int       // rows that are read
	count int       // the number of the current row
	cells [][]byte
}

// IsBook reports whether a file that begins with head is a workbook: a zip with the parts of one.
func IsBook(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return false
	}
	return bytes.Contains(head, []byte("xl/work")) || bytes.Contains(head, []byte("xl/_rels/")) ||
		bytes.Contains(head, []byte("xl/styles")) || bytes.Contains(head, []byte("xl/sharedStrings"))
}

// openSheet opens the sheet of a workbook. Its *Error refuses a workbook that is broken, too large, without such a
// sheet or with several, linked to other files, or with formulas in the sheet.
func openSheet(text io.Reader, m *finance.StatementMapping, limit bounds) (*sheet, error) {
	content, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	book, sheets, err := openBook(content, limit)
	if err != nil {
		return nil, err
	}
	name, err := statementSheet(book, m)
	if err != nil {
		return nil, err
	}
	s := &sheet{name: name, zero: dayZero, most: excelize.TotalRows}
	if p, err := book.GetWorkbookProps(); err == nil && p.Date1904 != nil && *p.Date1904 {
		s.zero = dayZeroOf1904
	}
	part := sheets[strings.ToLower(name)]
	if part == nil {
		return nil, &Error{0, messages.BrokenBook}
	}
	if s.last, err = scan(name, part); err != nil {
		return nil, err
	}
	if s.rows, err = book.Rows(name); err != nil {
		return nil, &Error{0, messages.BrokenBook}
	}
	return s, nil
}

// openBook opens a workbook and returns the parts of its sheets, by their names in lower case.
func openBook(content []byte, limit bounds) (book *excelize.File, sheets map[string]*zip.File, err error) {
	parts, err := partsOf(content, limit)
	if err != nil {
		return nil, nil, err
	}
	if sheets, err = parts.sheets(); err != nil {
		return nil, nil, err
	}
	book, err = excelize.OpenReader(bytes.NewReader(content), excelize.Options{RawCellValue: true,
		UnzipSizeLimit: int64(limit.unpacked), UnzipXMLSizeLimit: int64(limit.unpacked)})
	if err != nil {
		return nil, nil, &Error{0, messages.BrokenBook}
	}
	return book, sheets, nil
}

// BookSize is the size of the largest workbook that UnknownHeader reads: about 5,000 rows of a bank.
const BookSize = 256 << 10

// UnknownHeader returns the fault of a workbook without a sheet that has a known header, or that of the mapping. It is
// for requests: it returns nil for a workbook of more than BookSize bytes or 1 MiB unpacked, and for one with another
// fault. Reader reports these.
func UnknownHeader(content []byte, m *finance.StatementMapping) *messages.Fault {
	if len(content) > BookSize {
		return nil
	}
	book, _, err := openBook(content, boundsOfHeader)
	if err != nil {
		return nil
	}
	if found, unknown := statementSheets(book, m); len(found) == 0 {
		return messages.Workbook.With(unknown.text)
	}
	return nil
}

// statementSheet returns the name of the only visible sheet with a known header.
func statementSheet(book *excelize.File, m *finance.StatementMapping) (string, error) {
	found, unknown := statementSheets(book, m)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &Error{0, fmt.Sprintf(messages.NoSheetf, unknown.text)}
	}
	return "", &Error{0, fmt.Sprintf(messages.TwoSheetsf, found[0], found[1])}
}

// statementSheets returns the names of the visible sheets with a known header, and what may be the header if there is
// none.
func statementSheets(book *excelize.File, m *finance.StatementMapping) (found []string, unknown header) {
	for _, name := range book.GetSheetList() {
		visible, err := book.GetSheetVisible(name)
		if err != nil || !visible {
			continue
		}
		rows, err := book.Rows(name)
		if err != nil { // of another kind, such as a chart
			continue
		}
		t := newTable(&sheet{name: name, zero: dayZero, rows: rows, most: headerRows}, &pass{mapping: m})
		if t.begin() == nil {
			found = append(found, name)
		} else if t.unknown.titles > unknown.titles {
			unknown = t.unknown
		}
	}
	return found, unknown
}

func (s *sheet) next() ([][]byte, error) {
	for s.count < s.most {
		if !s.rows.Next() {
			if s.rows.Error() != nil || s.count < s.last {
				return nil, &Error{s.count + 1, s.prefix() + messages.BrokenSheet}
			}
			return nil, io.EOF
		}
		s.count++
		cells, err := s.rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, &Error{s.count, s.prefix() + messages.BrokenSheet}
		}
		if len(cells) > maxColumns {
			return nil, &Error{s.count, s.prefix() + fmt.Sprintf(messages.ManyColumnsf, maxColumns)}
		}
		s.cells = s.cells[:0]
		size := 0
		for _, cell := range cells {
			size += len(cell)
			s.cells = append(s.cells, trimmed([]byte(cell)))
		}
		if size > maxRecord {
			return nil, &Error{s.count, s.prefix() + messages.LongRow}
		}
		if s.count > maxRows && size > 0 { // without a value, it only has a format
			return nil, &Error{s.count, s.prefix() + fmt.Sprintf(messages.ManyRowsf, maxRows)}
		}
		if len(s.cells) > 0 && s.count <= maxRows {
			return s.cells, nil
		}
	}
	return nil, io.EOF
}

func (s *sheet) isHeader(match func(cells [][]byte) bool) bool { return match(s.cells) }

func (s *sheet) row() int { return s.count }

func (s *sheet) prefix() string { return fmt.Sprintf(messages.Sheetf, s.name) }

func (s *sheet) place(i int, title string) string {
	letters, _ := excelize.ColumnNumberToName(i + 1)
	return fmt.Sprintf(messages.SheetColumnf, letters, title)
}

func (s *sheet) dayZero() time.Time { return s.zero }

func (s *sheet) unended() (unended, whole bool) { return false, false }

// scan returns the number of the last row of a sheet with a value, or a lower one if it cannot read the numbers, since
// excelize ends at faulty XML as at the end of the rows. scan refuses formulas: they were computed long ago, or never.
func scan(name string, sheet *zip.File) (last int, err error) {
	part, err := sheet.Open()
	if err != nil {
		return 0, &Error{0, messages.BrokenBook}
	}
	defer part.Close()
	row, cell := 0, ""
	for lex := newLexer(part); ; {
		tag, closing, err := lex.tag()
		if err == io.EOF && !lex.cut {
			return last, nil
		}
		if err != nil {
			return 0, &Error{0, messages.BrokenBook}
		}
		if closing {
			continue
		}
		switch string(tag[bytes.IndexByte(tag, ':')+1:]) {
		case "ROW":
			row++
			if n, err := strconv.Atoi(lex.attribute("r")); err == nil {
				row = n
			}
		case "C":
			cell = lex.attribute("r")
		case "V", "IS":
			last = row
		case "F":
			return 0, &Error{row, fmt.Sprintf(messages.Sheetf, name) + fmt.Sprintf(messages.Formulaf, cell)}
		}
	}
}

// attribute returns an attribute of the last tag, or "".
func (l *lexer) attribute(name string) string {
	_, value, _ := bytes.Cut(l.buf[l.pos:l.pos+l.tagLen], []byte(" "+name+`="`))
	value, _, _ = bytes.Cut(value, []byte(`"`))
	return string(value)
}
