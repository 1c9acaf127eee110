package api

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage/list"
)

const (
	defaultPageSize = 50
	maxPageSize     = 500
)

// page reads the requested page of a list and its filters, from the query or from a body, which
// some clients send. A value that is no number counts as absent; a number out of bounds is moved to
// the nearest bound. size is the default of per_page; with size 0 a request without a page or its
// size gets the whole list. The page is chosen by number or by cursor.
func (c *call) page(size int) (list.Query, error) {
	search, sent, err := c.filters("page", "per_page", cursorParameter)
	if err != nil {
		return list.Query{}, err
	}
	l := list.Query{Search: search, Number: 1, Size: size}
	if c.sheet != nil {
		return l, cmp.Or(c.refuseInSheet(sent, "page", "per_page", cursorParameter), c.changesUntil(l))
	}
	page := cmp.Or(c.Query("page"), sent["page"])
	at, asked := number(page)
	if asked {
		l.Number = max(at, 1)
	}
	cursor, walks := c.GetQuery(cursorParameter)
	if !walks {
		cursor, walks = sent[cursorParameter]
	}
	perPage, sized := number(cmp.Or(c.Query("per_page"), sent["per_page"]))
	if sized {
		l.Size = min(max(perPage, 1), maxPageSize)
	}
	if l.Size == 0 && (asked || walks) {
		l.Size = defaultPageSize
	}
	if walks {
		after, err := c.after(l, cursor, page)
		if err != nil {
			return l, err
		}
		l.After = after
	}
	return l, c.changesUntil(l)
}

// filters reads the filters of a list, from the query or from a body, and the named parameters that were sent in that
// body. Values that are no scalars are ignored; readBody refuses them.
func (c *call) filters(parameters ...string) (search, sent map[string]string, err error) {
	var in *wire.Input
	sent = map[string]string{}
	if c.Request.ContentLength != 0 {
		if in, err = c.input(); err != nil {
			return nil, nil, err
		}
		in = withoutHash(in)
		for _, name := range parameters {
			if text, ok := in.Text(name); ok {
				sent[name] = text
			}
		}
	}
	search, err = c.search(in)
	return search, sent, err
}

// filterKey matches the parameters that filter a list. A similar parameter is refused: without its
// filter, the list would have all records.
var filterKey = regexp.MustCompile(`^search\[([^\[\]]+)\](\[\])?$`)

// search reads the filters of the query and of a body, which may be nil.
func (c *call) search(in *wire.Input) (map[string]string, error) {
	if err := c.readableQuery(); err != nil {
		return nil, err
	}
	query := c.Request.URL.Query()
	for _, key := range slices.Sorted(maps.Keys(query)) {
		values := query[key]
		of := filterKey.FindStringSubmatch(key)
		switch {
		case of == nil && (strings.HasPrefix(key, "search[") || key == "search" && values[0] != ""):
			return nil, finance.Refuse("search", messages.NotFilter)
		// Only one of the values would count.
		case of != nil && of[2] == "" && (len(values) > 1 || query.Has(key+"[]")):
			c.stray.Add(of[1], messages.FilterTwice)
		}
	}
	search := map[string]string{}
	if in != nil {
		search = in.Filters("search", list.TakesOne)
		if err := checked(in, nil); err != nil {
			return nil, err
		}
	}
	maps.Copy(search, c.QueryMap("search"))
	for _, name := range slices.Sorted(maps.Keys(search)) { // a list, search[name][]=a&search[name][]=b, is a,b
		switch values := c.QueryArray("search[" + name + "][]"); {
		case len(values) < 2:
		case list.TakesOne(name):
			c.stray.Add(name, messages.FilterOfOne)
		default:
			search[name] = strings.Join(values, ",")
		}
	}
	return search, c.checkReconciledIn(search)
}

// reconciledIn is the filter that would tell in which month records are reconciled with transactions.
const reconciledIn = "reconciled_in"

// checkReconciledIn refuses reconciledIn to a user without the permission to see transactions.
func (c *call) checkReconciledIn(search map[string]string) error {
	if _, sent := search[reconciledIn]; sent && !c.access.Allows(finance.FinancialTransactions) &&
		slices.Contains(c.described().Filters, reconciledIn) {
		return lacking(finance.FinancialTransactions)
	}
	return nil
}

// withoutHash returns the content of a document without a root key, which XML needs.
func withoutHash(in *wire.Input) *wire.Input {
	if root, ok := in.Root("hash"); ok {
		return root
	}
	return in
}

// changesUntil sends X-Changes-Until, the time at which the next search for changes must begin. It
// is read before the list.
func (c *call) changesUntil(l list.Query) error {
	if _, follows := l.Search[list.UpdatedAtGTE]; !follows {
		return nil
	}
	until, err := c.api.Store.ChangesUntil(c.ctx())
	if err != nil {
		return err
	}
	c.Header("X-Changes-Until", until.In(c.api.Zone).Format(time.RFC3339))
	return nil
}

// readableQuery refuses a query that net/url would parse only in part, so that no filter is
// ignored.
func (c *call) readableQuery() error {
	if _, err := url.ParseQuery(c.Request.URL.RawQuery); err != nil {
		return finance.Refuse(finance.Base, messages.UnreadableQuery)
	}
	return nil
}

func number(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // n is then the nearest int
		return 0, false
	}
	// Bounded, so that the offset of a page does not overflow.
	return min(max(n, -1), 1<<31-1), true
}

// pageHeaders sends the URLs of other pages in two headers: Links, of the contract, and Link, the
// standard one. Paths have the suffix of the format. A page by number also has headers with the
// numbers of records and of pages, at least one; a page by cursor has the cursor of the next page.
func (c *call) pageHeaders(l list.Query, total int64, next list.Place) {
	if l.After != nil {
		c.cursorHeaders(l, next)
		return
	}
	last := 1
	if l.Size > 0 {
		last = int(max((total+int64(l.Size)-1)/int64(l.Size), 1))
	}
	c.Header("X-Total-Count", strconv.FormatInt(total, 10))
	c.Header("X-Total-Pages", strconv.Itoa(last))
	if l.Size == 0 {
		return
	}
	var links []string
	add := func(rel string, number int) { links = append(links, c.pageLink(l, rel, "page", strconv.Itoa(number))) }
	if l.Number > 1 {
		add("first", 1)
	}
	if l.Number < last {
		add("last", last)
		add("next", l.Number+1)
	}
	if l.Number > 1 {
		add("prev", l.Number-1)
	}
	c.sendLinks(links)
}

// pageLink returns the link to the page of a list with a value of the parameter page or cursor.
func (c *call) pageLink(l list.Query, rel, name, value string) string {
	query := url.Values{name: {value}, "per_page": {strconv.Itoa(l.Size)}}
	for filter, sent := range l.Search {
		query.Set("search["+filter+"]", sent)
	}
	return fmt.Sprintf("<%s.%s?%s>; rel=%q", c.url(c.Request.URL.EscapedPath()), c.format, query.Encode(), rel)
}

// maxLinks is the maximum length of a header with links, in bytes. Each link repeats all ids of a
// filter, and clients and proxies refuse an answer with long headers.
const maxLinks = 8 << 10

func (c *call) sendLinks(links []string) {
	header := strings.Join(links, ", ")
	for _, rel := range []string{"last", "first", "prev"} { // clients that read the whole list follow next
		if len(header) > maxLinks {
			links = slices.DeleteFunc(links, func(link string) bool { return strings.HasSuffix(link, `rel="`+rel+`"`) })
			header = strings.Join(links, ", ")
		}
	}
	if header == "" || len(header) > maxLinks {
		return
	}
	c.Header("Links", header)
	c.Header("Link", header)
}
