package statement

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
)

// Bounds of a row of a table, whatever the file contains.
const (
	maxRecord  = 64 << 10 // bytes
	maxColumns = 200
	maxBreaks  = 20 // lines of a quoted cell
)

// records reads the rows of a CSV as banks write it: lines end in LF, CR or CRLF, a quote within a cell that does
// not begin with one is text, and a whole line may be one quoted cell. Blank lines are no rows.
type records struct {
	r          *bufio.Reader
	separators string // the possible ones
	separator  byte   // 0 until the header is found: a row is then one cell, its whole line
	wrapped    bool   // each line is one quoted cell with the cells of a row
	number     int    // of the last line, counted from 1
	first      int    // of the last row's first line
	ended      bool   // the file ended with the last line, without a line break
	whole      bool   // the last cell of the last row ends with a quote
	torn       bool   // a quoted cell of the last row has a quote within it, and perhaps another row
	afterCR    bool
	long       []byte // a line that does not lie in the buffer as a whole
	joined     []byte // the lines of a row with line breaks
	text       []byte // cells with doubled quotes
	cells      [][]byte
}

// newRecords returns a reader of the rows. A mapping may state their separator.
func newRecords(text io.Reader, m *finance.StatementMapping) *records {
	r := &records{r: bufio.NewReaderSize(text, windowSize), separators: ";,\t"}
	if m != nil && m.Separator != nil {
		r.separators = strings.Replace(*m.Separator, "tab", "\t", 1)
	}
	return r
}

func (r *records) next() ([][]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		r.first = r.number
		if len(trimmed(line)) == 0 {
			continue
		}
		if r.separator == 0 {
			r.cells = append(r.cells[:0], line)
			return r.cells, nil
		}
		if err := r.split(line); err != nil {
			return nil, err
		}
		return r.cells, nil
	}
}

// isHeader looks for the separator with which the last line is a header.
func (r *records) isHeader(match func(cells [][]byte) bool) bool {
	line := r.cells[0]
	for _, separator := range []byte(r.separators) {
		open := r.cut(line, separator)
		if match(r.cells) {
			r.separator = separator
			return true
		}
		if len(r.cells) == 1 && !open && len(line) > 0 && line[0] == '"' {
			r.unwrap(separator)
			if match(r.cells) {
				r.separator, r.wrapped = separator, true
				return true
			}
		}
	}
	return false
}

func (r *records) row() int { return r.first }

func (r *records) prefix() string { return "" }

func (r *records) dayZero() time.Time { return dayZero }

func (r *records) unended() (unended, whole bool) { return r.ended, r.whole }

func (r *records) place(_ int, title string) string { return fmt.Sprintf(messages.Columnf, title) }

// line returns the next line, valid until the next call, and io.EOF after the last one.
func (r *records) line() ([]byte, error) {
	r.number++
	r.long = r.long[:0]
	for begun := false; ; {
		_, err := r.r.Peek(1)
		if err == io.EOF && begun {
			r.ended = true
			return r.long, nil
		}
		if err != nil {
			return nil, err
		}
		window, _ := r.r.Peek(r.r.Buffered())
		if r.afterCR && window[0] == '\n' {
			window = window[1:]
			_, _ = r.r.Discard(1)
		}
		begun, r.afterCR = begun || len(window) > 0, false
		end := lineEnd(window)
		if len(r.long)+end > maxRecord {
			return nil, &Error{r.number, messages.LongRow}
		}
		if end == len(window) {
			r.long = append(r.long, window...)
			_, _ = r.r.Discard(end) // cannot fail, the window is buffered
			continue
		}
		r.afterCR = window[end] == '\r'
		_, _ = r.r.Discard(end + 1)
		if len(r.long) == 0 {
			return window[:end], nil
		}
		r.long = append(r.long, window[:end]...)
		return r.long, nil
	}
}

// lineEnd returns the index of the first line break, or the length of the text without one.
func lineEnd(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	if i := bytes.IndexByte(text, '\r'); i >= 0 {
		return i
	}
	return len(text)
}

// split splits a row into its cells, with the lines after it while a quoted cell is open.
func (r *records) split(line []byte) error {
	for breaks := 0; r.cut(line, r.separator); breaks++ {
		r.joined = append(append(r.joined[:0], line...), '\n')
		more, err := r.line()
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF || breaks == maxBreaks || len(r.joined)+len(more) > maxRecord {
			return &Error{r.first, messages.OpenQuote}
		}
		r.joined = append(r.joined, more...)
		line = r.joined
	}
	if r.torn {
		return &Error{r.first, messages.OpenQuote}
	}
	if r.wrapped && len(r.cells) == 1 && r.unwrap(r.separator) {
		return &Error{r.first, messages.OpenQuote}
	}
	if len(r.cells) > maxColumns {
		return &Error{r.first, fmt.Sprintf(messages.ManyColumnsf, maxColumns)}
	}
	return nil
}

// unwrap is cut of the only cell of a row, which is copied: cut unescapes cells where it is.
func (r *records) unwrap(separator byte) (open bool) {
	r.joined = append(r.joined[:0], r.cells[0]...)
	return r.cut(r.joined, separator)
}

// cut sets the cells of a row, trimmed, and reports whether the last one is quoted and does not end. A cell such as
// "BAR" DO ZE begins with a quote, and is no quoted one. Over several lines its end could be a quote of another row.
func (r *records) cut(line []byte, separator byte) (open bool) {
	r.cells, r.text, r.whole, r.torn = r.cells[:0], r.text[:0], false, false
	for len(r.cells) <= maxColumns { // more are refused
		start := line
		for len(start) > 0 && start[0] == ' ' && separator != ' ' {
			start = start[1:]
		}
		if len(start) > 0 && start[0] == '"' {
			cell, rest, more, lone, ok := r.quoted(start[1:], separator)
			if !ok && !lone {
				return true
			}
			if ok {
				r.torn = r.torn || lone && bytes.IndexByte(cell, '\n') >= 0
				r.cells = append(r.cells, trimmed(cell))
				if line = rest; !more {
					r.whole = true
					return false
				}
				continue
			}
			r.torn = r.torn || bytes.IndexByte(line, '\n') >= 0
		}
		end := bytes.IndexByte(line, separator)
		if end < 0 {
			r.cells = append(r.cells, trimmed(line))
			return false
		}
		r.cells = append(r.cells, trimmed(line[:end]))
		line = line[end+1:]
	}
	return false
}

// quoted returns the rest of a quoted cell, and what follows the separator behind it, if there is one. Its end is a
// quote with a separator or the end of the line behind it. ok is false without one. lone reports another quote that is
// not doubled.
func (r *records) quoted(text []byte, separator byte) (cell, rest []byte, more, lone, ok bool) {
	start, from := len(r.text), 0
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '"')
		if i < 0 {
			return nil, nil, false, lone, false
		}
		at += i + 1
		behind := bytes.TrimLeft(text[at:], " \x1A")
		switch {
		case len(text) > at && text[at] == '"':
			r.text = append(r.text, text[from:at]...)
			at++
			from = at
		case len(behind) == 0 || behind[0] == separator:
			cell = text[from : at-1]
			if from > 0 {
				r.text = append(r.text, cell...)
				cell = r.text[start:]
			}
			if len(behind) == 0 {
				return cell, nil, false, lone, true
			}
			return cell, behind[1:], true, lone, true
		default:
			lone = true
		}
	}
}
