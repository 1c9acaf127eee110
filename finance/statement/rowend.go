package statement

import (
	"bytes"

	"bordero/internal/messages"
)

// rowEnds is how the rows of items end. It shows whether the last row of a file without a line end is cut off.
type rowEnds struct {
	rows   int    // before the last one
	before rowEnd // the least of them
	last   rowEnd
}

// rowEnd is how a row ends.
type rowEnd struct {
	cells int
	empty bool // it has no amount and no balance
	blank bool // the last cell, without quotes
	// decimals of an amount in the last cell, plus one, if the decimal mark is the point, and if it is the comma; 0 if
	// that cell is no amount.
	decimals [2]int
	letters  int // C or D behind an amount in the last cell, plus one; 0 if that cell is no amount
}

// least returns the fewest cells, decimals and letters of two ends. It is empty or blank if one of them is.
func (e rowEnd) least(other rowEnd) rowEnd {
	e.cells, e.empty, e.blank = min(e.cells, other.cells), e.empty || other.empty, e.blank || other.blank
	for i, n := range other.decimals {
		e.decimals[i] = leastGiven(e.decimals[i], n)
	}
	e.letters = leastGiven(e.letters, other.letters)
	return e
}

// leastGiven returns the lesser of two numbers that are not 0.
func leastGiven(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// next begins a row.
func (e *rowEnds) next(row rowEnd) {
	if e.last.cells > 0 {
		if e.rows++; e.rows == 1 {
			e.before = e.last
		} else {
			e.before = e.before.least(e.last)
		}
	}
	e.last = row
}

// amount is the amount in the last cell of the row.
func (e *rowEnds) amount(m money) {
	number := m.number
	if len(number) == 0 {
		return
	}
	e.last.letters = 1
	if m.sided {
		e.last.letters = 2
	}
	for i, mark := range []byte(".,") { // numbers of spreadsheets have more than two decimals
		e.last.decimals[i] = 1
		if at := bytes.LastIndexByte(number, mark); at >= 0 {
			e.last.decimals[i] = min(len(number)-at, 3)
		}
	}
}

// cutRow refuses a file that ends inside its last row. Such a row has no line end, and it ends earlier than all rows
// before it: with fewer cells, without an amount, with a blank last cell, with fewer decimals, or without C or D behind
// them. An only row must have the cells of the header, and two decimals.
func (t *table) cutRow() error {
	ended, whole := t.unended()
	if !ended || t.waiting.Line != t.row() {
		return nil // with a line end, or a row that is no item
	}
	ends := &t.cells.ends
	last, before := ends.last, ends.before
	if ends.rows == 0 {
		before = rowEnd{cells: t.width(), decimals: [2]int{3, 3}}
	}
	mark := 0
	if t.cells.comma.row > 0 || t.cells.decimal == ',' {
		mark = 1
	}
	switch n := last.decimals[mark]; {
	case last.cells < before.cells:
		return t.refuse(messages.CutRow)
	case whole:
	case last.empty && !before.empty, last.blank && !before.blank && ends.rows > 1:
		return t.refuse(messages.CutRow)
	case n > 0 && n < before.decimals[mark], last.letters == 1 && before.letters == 2:
		return t.refuse(messages.CutAmount)
	}
	return nil
}

// width returns the columns of the header, without blank ones at its end.
func (t *table) width() int {
	n := len(t.titles)
	for n > 0 && t.titles[n-1] == "" {
		n--
	}
	return n
}

// rowEnd returns the end of a row without its decimals, which amount adds.
func (t *table) rowEnd(cells [][]byte) rowEnd {
	_, whole := t.unended()
	return rowEnd{cells: len(cells), empty: !t.hasMoney(cells), blank: !whole && t.lacksLast(cells)}
}

// lacksLast reports whether the last cell of a row is blank and belongs to a text, a direction, an amount or a balance.
// Cells of other columns may be blank.
func (t *table) lacksLast(cells [][]byte) bool {
	i := len(cells) - 1
	if i >= len(t.columns.roles) {
		return false
	}
	switch t.columns.roles[i] {
	case amountRole, spentRole, balanceRole, closingRole, textRole, directionRole:
		return len(cells[i]) == 0
	}
	return false
}

// undirected reports whether a row lacks the direction that its table has. Rows of balances have none.
func (t *table) undirected(it *Item, cells [][]byte) bool {
	i := t.columns.find(directionRole)
	return i >= 0 && !it.Balance && len(cellAt(cells, i)) == 0
}
