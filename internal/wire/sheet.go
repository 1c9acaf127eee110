package wire

import (
	"slices"
	"time"
)

// Sheet collects records as rows of cells. The calls that write a record as a document write it as a
// row: the top-level members of the record are the cells, an array or an object as its text in JSON.
// All rows have the same columns. AppendCSV and a Workbook write the rows in the format of a file.
type Sheet struct {
	columns []string
	w       Writer
	cells   []cell // of all rows

	row   int // the first cell of the row that is written
	next  int // the column after the one that was written last
	at    int // the cell that is open; negative for a member without a column
	depth int // of the open values
}

// cell is a value with its place in the buffer of the Writer.
type cell struct {
	from, to int32
	kind     valueType
}

// NewSheet returns an empty sheet with the columns, which have the names of members, with times in zone; nil is
// UTC.
func NewSheet(zone *time.Location, columns []string) *Sheet {
	if zone == nil {
		zone = time.UTC
	}
	s := &Sheet{columns: columns}
	s.w = Writer{format: cells, zone: zone, sheet: s}
	s.Clear()
	return s
}

// Clear removes all rows, and keeps their memory for others.
func (s *Sheet) Clear() {
	s.w.buf = append(s.w.buf[:0], '{') // an empty buffer would begin a document
	s.cells = s.cells[:0]
}

// Columns returns the names of the columns.
func (s *Sheet) Columns() []string { return s.columns }

// Add adds a row with the members that fields writes. A column without a member is empty, and a
// member without a column is left out.
func (s *Sheet) Add(fields func(*Writer)) {
	s.row, s.next = len(s.cells), 0
	s.cells = slices.Grow(s.cells, len(s.columns))[:s.row+len(s.columns)]
	clear(s.cells[s.row:])
	fields(&s.w)
}

// Rows returns the number of rows.
func (s *Sheet) Rows() int {
	if len(s.columns) == 0 {
		return 0
	}
	return len(s.cells) / len(s.columns)
}

// Size returns the memory of the rows in bytes.
func (s *Sheet) Size() int64 { return int64(len(s.w.buf)) + int64(len(s.cells))*12 }

// Cell returns the text of a cell, which is valid until the next change of the sheet. An empty text may be null.
func (s *Sheet) Cell(row, column int) []byte { return s.text(s.cells[row*len(s.columns)+column]) }

func (s *Sheet) text(c cell) []byte { return s.w.buf[c.from:c.to] }

// SetText replaces a cell by a text.
func (s *Sheet) SetText(row, column int, text string) {
	from := len(s.w.buf)
	s.w.text(text)
	s.cells[row*len(s.columns)+column] = s.cellFrom(from, stringType)
}

func (s *Sheet) cellFrom(from int, kind valueType) cell {
	return cell{int32(from), int32(len(s.w.buf)), kind}
}

// open begins a value, and reports whether it is a cell, and not part of one.
func (s *Sheet) open(name string, kind valueType) bool {
	if s.depth++; s.depth > 1 {
		return false
	}
	column := s.column(name)
	s.at = -1
	if column >= 0 {
		s.next, s.at = column+1, s.row+column
		s.cells[s.at] = s.cellFrom(len(s.w.buf), kind)
	}
	if kind == arrayType || kind == objectType {
		s.w.format = JSON
	}
	return true
}

// skip leaves a cell empty.
func (s *Sheet) skip(name string) {
	if column := s.column(name); column >= 0 {
		s.next = column + 1
	}
}

// column returns the column of a name, or -1. Members mostly come in the order of the columns.
func (s *Sheet) column(name string) int {
	for i := s.next; i < min(s.next+2, len(s.columns)); i++ { // a name may be between two members
		if s.columns[i] == name {
			return i
		}
	}
	return slices.Index(s.columns, name)
}

// close ends a value.
func (s *Sheet) close() {
	if s.depth--; s.depth > 0 {
		return
	}
	s.w.format = cells
	if s.at >= 0 {
		s.cells[s.at].to = int32(len(s.w.buf))
	}
}
