package statement

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bordero/internal/messages"
)

// bounds limit a workbook, whose parts are read into memory.
type bounds struct {
	unpacked uint64
	elements int // outside of its sheets; excelize keeps up to 300 bytes of an element of five, such as <xf/>
}

// The bounds of a workbook that a worker reads, that is read in a request, and whose header is looked at.
var (
	boundsOfWorker  = bounds{200 << 20, 500_000}
	boundsOfRequest = bounds{16 << 20, 100_000}
	boundsOfHeader  = bounds{1 << 20, 20_000}
)

const (
	maxPart    = 32 << 20 // of a part that is no sheet
	maxParts   = 1000
	maxRows    = 1_000_000
	maxCells   = 50_000   // elements in a row of a sheet, which has at most 16,384 cells
	maxRowXML  = 1 << 20  // bytes of a row of a sheet
	maxRowText = 16 << 20 // bytes of the cells of a row, if all refer to the longest text
	maxEscapes = 100      // such as _x000D_, in a row or a text: excelize needs time for the square of their number
)

// parts are the files in a workbook.
type parts map[string]*zip.File

// partsOf opens a workbook, and refuses one that is too large or linked to other files.
func partsOf(content []byte, limit bounds) (parts, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, &Error{0, messages.BrokenBook}
	}
	if len(archive.File) > maxParts {
		return nil, &Error{0, fmt.Sprintf(messages.ManyPartsf, maxParts)}
	}
	all, size := parts{}, uint64(0)
	for _, f := range archive.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		lower := strings.ToLower(name)
		size += min(f.UncompressedSize64, limit.unpacked+1)
		switch {
		case size > limit.unpacked && limit == boundsOfRequest:
			return nil, &Error{0, fmt.Sprintf(messages.RoutedBookf, limit.unpacked>>20,
				boundsOfWorker.unpacked>>20)}
		case size > limit.unpacked:
			return nil, &Error{0, fmt.Sprintf(messages.LargeBookf, limit.unpacked>>20)}
		case f.UncompressedSize64 > maxPart && !strings.HasPrefix(lower, "xl/worksheets/"):
			return nil, &Error{0, fmt.Sprintf(messages.LargePartf, maxPart>>20)}
		case strings.HasPrefix(lower, "xl/externallinks/"):
			return nil, &Error{0, messages.LinkedBook}
		case all[name] != nil:
			return nil, &Error{0, messages.BrokenBook}
		}
		all[name] = f
	}
	return all, all.weigh(limit.elements)
}

// weigh refuses a workbook with too many elements outside of its sheets, or with a row that excelize, which reads it as
// a whole and copies a shared text into each cell that refers to it, cannot read in bounded memory and time.
func (p parts) weigh(most int) error {
	outside, values, text := 0, 0, 0
	for name, f := range p {
		part, err := f.Open()
		if err != nil {
			return &Error{0, messages.BrokenBook}
		}
		w := weight{isSheet: strings.HasPrefix(strings.ToLower(name), "xl/worksheets/")}
		err = eachElement(part, w.add)
		_ = part.Close() // of memory
		if err != nil {
			return err
		}
		outside, values, text = outside+w.outside, max(values, w.mostValues), max(text, w.longest)
		if outside > most {
			return &Error{0, fmt.Sprintf(messages.HeavyBookf, most)}
		}
	}
	if values*text > maxRowText {
		return &Error{0, messages.LongTextBook}
	}
	return nil
}

// weight adds up the elements of a part. A unit is a row of a sheet, or a text that cells share. The names of units
// count in every part: excelize finds sheets by links, wherever they are.
type weight struct {
	isSheet             bool
	outside             int // elements outside of a sheet
	mostValues, longest int // of the rows, and of the texts in bytes

	unit                             string // "row", "si", or "" before the first one
	elements, values, bytes, escapes int    // of the unit
	row                              int    // its number
}

// add adds an element and the text before it. A comment or an instruction may look like the beginning of a unit.
func (w *weight) add(e element) error {
	w.bytes, w.escapes = w.bytes+e.bytes, w.escapes+e.escapes
	if w.unit == "si" {
		w.longest = max(w.longest, w.bytes)
	}
	name := string(e.name[bytes.IndexByte(e.name, ':')+1:])
	switch {
	case w.unit == "row" && w.bytes > maxRowXML, w.unit == "si" && w.bytes > maxRecord,
		w.unit != "" && w.escapes > maxEscapes:
		return &Error{0, messages.LongTextBook}
	case bytes.HasPrefix(e.name, []byte("!")) && (w.isSheet || w.unit != ""),
		bytes.HasPrefix(e.name, []byte("?")) && w.unit != "":
		return &Error{0, messages.BrokenBook}
	case name == "si" && (w.isSheet || w.unit == "row"), name == "row" && w.unit == "si": // excelize passes over it
		return &Error{0, messages.BrokenBook}
	case name == "row" || name == "si":
		w.unit, w.elements, w.values, w.bytes, w.escapes = name, 0, 0, 0, 0
		if name == "row" && w.isSheet {
			number, ok := e.row(w.row)
			if !ok || number <= w.row { // excelize would take both rows for one
				return &Error{0, messages.BrokenBook}
			}
			w.row = number
		}
	case name == "v" && w.unit == "row": // and no point of a chart
		w.values++
		w.mostValues = max(w.mostValues, w.values)
	}
	if !w.isSheet {
		w.outside++
		return nil
	}
	if w.elements++; w.elements > maxCells {
		return &Error{0, fmt.Sprintf(messages.HeavyBookf, maxCells)}
	}
	return nil
}

// element is a "<" of an XML document that begins no end tag, or its end.
type element struct {
	name    []byte // "" at the end
	tag     []byte // the beginning of the tag behind the name
	bytes   int    // between the "<" before and this one
	escapes int    // and the "_x" among them
}

// eachElement calls do for each "<" of an XML document, except for end tags, and for its end. It counts comments and
// declarations too, so a faulty document has no elements that it misses.
func eachElement(text io.Reader, do func(element) error) error {
	r := bufio.NewReader(text)
	var e element
	for {
		passed, err := r.ReadSlice('<')
		e.bytes, e.escapes = e.bytes+len(passed), e.escapes+bytes.Count(passed, []byte("_x"))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			e.name, e.tag = nil, nil
			return do(e)
		case err != nil:
			return &Error{0, messages.BrokenBook}
		}
		e.tag, _ = r.Peek(512) // shorter at the end
		e.name = e.tag[:min(len(e.tag), 32)]
		if i := bytes.IndexAny(e.name, " />\t\r\n"); i > 0 {
			e.name = e.name[:i]
		} else if i == 0 {
			continue
		}
		e.tag = e.tag[len(e.name):]
		if err := do(e); err != nil {
			return err
		}
		e.bytes, e.escapes = 0, 0
	}
}

// row returns the number of a row: that of its attribute r, or the one after the row before. ok is false if its
// attributes cannot be read.
func (e element) row(before int) (number int, ok bool) {
	number = before + 1
	for rest := e.tag; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if bytes.HasPrefix(rest, []byte(">")) || bytes.HasPrefix(rest, []byte("/")) {
			return number, true
		}
		name, value, found := bytes.Cut(rest, []byte("="))
		value = bytes.TrimLeft(value, " \t\r\n")
		if !found || len(value) == 0 || value[0] != '"' && value[0] != '\'' {
			return 0, false
		}
		value, rest, found = bytes.Cut(value[1:], value[:1])
		if !found {
			return 0, false
		}
		name = bytes.TrimSpace(name)
		if string(name[bytes.IndexByte(name, ':')+1:]) == "r" {
			var err error
			if number, err = strconv.Atoi(string(value)); err != nil {
				return 0, false
			}
		}
	}
}
