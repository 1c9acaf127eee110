package api

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/download"
	"bordero/internal/messages"
	"bordero/internal/share"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/klauspost/compress/gzhttp"
	"golang.org/x/text/language"
)

// A sheet is a list of records, or a report, as a table: a row for each record, with the members of the record
// as columns. Its rows are sent while others are read, so its memory is that of a page, whatever its length.

const (
	// sheetPage is how many records are read at once.
	sheetPage = 500
	// mostSheetRows is the default of Config.SheetRows.
	mostSheetRows = 100_000
)

// sheetFormat is the format of the file of a sheet, with its suffix and its media type.
type sheetFormat struct{ suffix, media, contentType string }

var (
	csvFormat  = &sheetFormat{".csv", "text/csv", "text/csv; charset=utf-8; header=present"}
	xlsxFormat = &sheetFormat{".xlsx", openapi.XLSX, openapi.XLSX}

	sheetFormats = []*sheetFormat{csvFormat, xlsxFormat}
)

// sheetFormatOf returns the format of a media type, or nil.
func sheetFormatOf(media string) *sheetFormat {
	for _, f := range sheetFormats {
		if f.media == media {
			return f
		}
	}
	return nil
}

// isSheet reports whether the operation of the call has a sheet of the requested format.
func (c *call) isSheet() bool {
	switch described := c.described(); c.sheet {
	case csvFormat:
		return described.Sheet
	case xlsxFormat:
		return described.Workbook
	}
	return false
}

// sheetColumns are the columns of a sheet.
type sheetColumns struct {
	names []string
	named []namedColumn // that are no members of the record
}

// namedColumn is a column of names beside a column of ids.
type namedColumn struct {
	ids, names int
	kind       string
}

// listColumns returns the columns of each record of the OpenAPI document, by its name.
var listColumns = sync.OnceValue(func() map[string]sheetColumns {
	all := map[string]sheetColumns{}
	for _, r := range records() {
		if r.JSON != nil {
			all[r.Name] = columnsOf(r.JSON)
		}
	}
	return all
})

// columnsOf returns the columns of a record: each member but links, and beside the id of a record with a name
// that name, unless it is a member.
func columnsOf(record *wire.Schema) (columns sheetColumns) {
	written := func(name string) bool {
		return slices.ContainsFunc(record.Members, func(m wire.Member) bool { return m.Name == name })
	}
	for _, m := range record.Members {
		if m.Name == "links" {
			continue
		}
		columns.names = append(columns.names, m.Name)
		if name, kind := nameBeside(m.Name); name != "" && !written(name) {
			at := len(columns.names)
			columns.names = append(columns.names, name)
			columns.named = append(columns.named, namedColumn{at - 1, at, kind})
		}
	}
	return columns
}

// refuseInSheet refuses parameters, of the query or sent in a body, that choose a part of the records.
func (c *call) refuseInSheet(sent map[string]string, names ...string) error {
	var invalid finance.Invalid
	for _, name := range names {
		if _, inBody := sent[name]; inBody || c.Request.URL.Query().Has(name) {
			invalid.Add(name, messages.NotInSheet)
		}
	}
	return invalid.Err()
}

// nameBeside returns the column of the name beside a column of ids, and the kind of record that has the name; ""
// for another column.
func nameBeside(column string) (name, kind string) {
	for _, kind := range []string{"category", "person", "classification_center", "deposit_account"} {
		if before, is := strings.CutSuffix(column, kind+"_id"); is && (before == "" || strings.HasSuffix(before, "_")) {
			return before + kind + "_name", kind
		}
	}
	return "", ""
}

// sheetSender sends the rows of a sheet.
type sheetSender struct {
	c     *call
	name  string // of the file
	form  wire.CSV
	book  *wire.Workbook // of an XLSX; nil for CSV
	sheet *wire.Sheet
	named []namedColumn
	text  bytes.Buffer // that was not sent yet
	begun bool
	rows  int64 // that were sent

	currency string // of the first row of a workbook
}

func (c *call) newSheet(name string, columns sheetColumns) *sheetSender {
	s := &sheetSender{c: c, name: name, form: wire.CSVWithCommas, sheet: wire.NewSheet(c.api.Zone, columns.names),
		named: columns.named}
	if prefersPortuguese(strings.Join(c.Request.Header.Values("Accept-Language"), ",")) {
		s.form = wire.CSVWithSemicolons
	}
	if c.sheet == xlsxFormat {
		s.book = wire.NewWorkbook(&s.text, name)
		if !c.unsummed {
			s.book.Sums = summedColumns
		}
	}
	return s
}

// sendSheet answers with rows that are in memory as a sheet: 200. show writes the members of a row, the same
// members for all rows; it is also called with made-up rows, to learn the columns.
func sendSheet[R any](c *call, name string, rows []R, show func(*call, *wire.Writer, *R)) error {
	return sendSheetOf(c, name, len(rows), func(i int) *R { return &rows[i] }, show)
}

// sendSheetOf is sendSheet with n rows, which row returns by their index.
func sendSheetOf[R any](c *call, name string, n int, row func(i int) *R, show func(*call, *wire.Writer, *R)) error {
	c.leave() // the rows are read
	if err := c.enterOne(c.api.places.sheets); err != nil {
		return err
	}
	s := c.newSheet(name, columnsOf(recorded(wire.JSON, show)))
	if err := s.send(n, func(w *wire.Writer, i int) { show(c, w, row(i)) }); err != nil {
		return err
	}
	return s.end()
}

// send sends n rows, or none if the request has no memory for them.
func (s *sheetSender) send(n int, fields func(w *wire.Writer, i int)) error {
	s.sheet.Clear()
	for i := range n {
		before := s.sheet.Size()
		s.sheet.Add(func(w *wire.Writer) { fields(w, i) })
		if err := s.c.holding.Take(s.sheet.Size() - before); err != nil {
			return err
		}
	}
	if err := s.addNames(); err != nil {
		return err
	}
	if err := s.c.holding.Take(s.sheet.Size() + s.bookMemory()); err != nil { // the text takes about as much
		return err
	}
	if err := s.write(); err != nil {
		return err
	}
	s.rows += int64(n)
	return s.flush()
}

// write writes the rows as text, the header row before the first ones.
func (s *sheetSender) write() error {
	if s.book != nil {
		s.checkCurrency()
		return s.book.Add(s.sheet)
	}
	if !s.begun {
		s.text.WriteString(wire.BOM)
		s.text.Write(s.sheet.AppendCSVHeader(s.text.AvailableBuffer(), s.form))
	}
	s.text.Write(s.sheet.AppendCSV(s.text.AvailableBuffer(), s.form))
	return nil
}

// flush sends the text.
func (s *sheetSender) flush() error {
	if !s.begun {
		s.begin()
	}
	s.c.holding.Keep(s.sheet.Size() + int64(s.text.Len()) + s.bookMemory()) // while a slow client reads
	if _, err := s.text.WriteTo(s.c.Writer); err != nil {
		return err
	}
	return http.NewResponseController(s.c.Writer).Flush()
}

// end sends the end of the file.
func (s *sheetSender) end() error {
	if s.book == nil {
		return nil
	}
	if err := s.book.Close(); err != nil {
		return err
	}
	return s.flush()
}

// begin sends the headers.
func (s *sheetSender) begin() {
	s.begun = true
	h := s.c.Writer.Header()
	h.Set("Content-Type", s.c.sheet.contentType)
	file := s.name + "-" + s.c.api.now().Format(time.DateOnly) + s.c.sheet.suffix
	h.Set("Content-Disposition", download.Disposition(file))
	h.Set("Cache-Control", "no-store")
	if s.book == nil {
		h.Set("Vary", h.Get("Vary")+", Accept-Language")
	} else {
		h.Set(gzhttp.HeaderNoCompression, "true") // it is compressed
	}
	s.c.Writer.WriteHeader(http.StatusOK)
}

// addNames fills the columns of names, by one statement for all of them.
func (s *sheetSender) addNames() error {
	ids := storage.NamedIDs{}
	s.eachName(func(_, _ int, kind string, id int64) { ids[kind] = append(ids[kind], id) })
	if len(ids) == 0 {
		return nil
	}
	for kind, all := range ids {
		slices.Sort(all)
		ids[kind] = slices.Compact(all)
	}
	found, err := s.c.api.Store.Names(s.c.ctx(), s.c.access.AccountID, ids)
	if err != nil {
		return err
	}
	names := map[storage.RecordName]string{} // by kind and id
	for _, r := range found {
		names[storage.RecordName{Kind: r.Kind, ID: r.ID}] = r.Name
	}
	s.eachName(func(row, column int, kind string, id int64) {
		s.sheet.SetText(row, column, names[storage.RecordName{Kind: kind, ID: id}])
	})
	return nil
}

// eachName calls fn with the place of each name that the rows need.
func (s *sheetSender) eachName(fn func(row, column int, kind string, id int64)) {
	for row := range s.sheet.Rows() {
		for _, n := range s.named {
			if id, err := strconv.ParseInt(string(s.sheet.Cell(row, n.ids)), 10, 64); err == nil {
				fn(row, n.names, n.kind, id)
			}
		}
	}
}

// prefersPortuguese reports whether Portuguese is the first choice of an Accept-Language header.
func prefersPortuguese(header string) bool {
	languages, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(languages) == 0 {
		return false
	}
	base, _ := languages[0].Base()
	return base == portuguese
}

var portuguese = language.MustParseBase("pt")

// sendSheet answers with all records that the filters find as a sheet: 200. They are counted before the
// first byte, and read page by page: no transaction lasts as long as the client reads, so the pages are no
// snapshot.
func (r resource[T]) sendSheet(a *API, c *call, search map[string]string, show func(*call, *wire.Writer, *T)) error {
	if err := c.enterSheet(); err != nil {
		return err
	}
	counted, err := r.list(c.ctx(), a.Store.Queries, c, list.Query{Search: search, Count: int(a.SheetRows) + 1})
	switch err := c.withStray(err); {
	case err != nil:
		return err
	case counted.Total > a.SheetRows:
		return finance.Refuse(finance.Base, messages.SheetTooLong.With(messages.Number(a.SheetRows)))
	case counted.Total == 0:
		if err := r.checkParents(c.ctx(), a.Store.Queries, c); err != nil {
			return err
		}
	}
	c.Header("X-Total-Count", strconv.FormatInt(counted.Total, 10))
	s := c.newSheet(r.plural, listColumns()[c.described().List])
	page, most := list.Query{Search: search, Size: sheetPage, After: list.Place{}}, sheetPage
	for {
		next, err := r.sendSheetPage(a, c, s, page, show)
		switch {
		case err != nil && c.overMemory(err) != nil && page.Size > 1: // before any of its rows was sent
			page.Size /= 4
			if errors.Is(err, share.ErrTooLarge) {
				most = page.Size // no larger page will fit: its rows would be read in vain
			}
			continue
		case err != nil:
			return err
		case next == nil || c.head:
			return s.end()
		case s.rows > 2*a.SheetRows:
			return errors.New("records are added faster than the sheet is read")
		}
		page.After, page.Size = next, min(4*page.Size, most) // other requests may hold less than before
		if err := a.renewRights(c); err != nil {
			return err
		}
	}
}

// sendSheetPage sends the records of a page, and returns the place of the next one.
func (r resource[T]) sendSheetPage(a *API, c *call, s *sheetSender, page list.Query,
	show func(*call, *wire.Writer, *T)) (next list.Place, err error) {
	c.holding.Reuse()
	listed, err := r.list(c.ctx(), a.Store.Queries, c, page)
	if err != nil {
		return nil, err
	}
	return listed.Next, s.send(len(listed.Items), func(w *wire.Writer, i int) {
		show(c, w, &listed.Items[i])
		listed.Items[i] = *new(T) // as sendList does
	})
}
