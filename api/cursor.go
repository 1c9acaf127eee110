package api

import (
	"bordero/finance"
	"bordero/internal/cursor"
	"bordero/internal/messages"
	"bordero/storage/list"
)

const cursorParameter = "cursor"

// walk is common to all pages of a walk through a list by cursors; the size of the pages may
// change. A cursor grants nothing: a forged place is a place in the same list, with the conditions
// of the list.
type walk struct {
	Path    string // without suffix
	Account int64  // 0 for a list of no account
	Search  map[string]string
}

func (c *call) walk(l list.Query) walk {
	return walk{c.Request.URL.Path, c.access.AccountID, l.Search}
}

// after returns the place after which the page of a cursor begins. The parameter page cannot be
// sent beside a cursor.
func (c *call) after(l list.Query, text, page string) (list.Place, error) {
	if page != "" {
		return nil, finance.Refuse(cursorParameter, messages.PageAndCursor)
	}
	if text == "" {
		return list.Place{}, nil
	}
	place, ok := cursor.Read(text, c.walk(l))
	if !ok {
		return nil, finance.Refuse(cursorParameter, messages.NotCursor)
	}
	return place, nil
}

// cursorHeaders sends the URL of the first page, unless this page is the first, and the cursor and
// the URL of the next page, unless this page is the last.
func (c *call) cursorHeaders(l list.Query, next list.Place) {
	var links []string
	if len(l.After) > 0 {
		links = append(links, c.pageLink(l, "first", cursorParameter, ""))
	}
	if next != nil {
		text := cursor.Write(next, c.walk(l))
		c.Header("X-Next-Cursor", text)
		links = append(links, c.pageLink(l, "next", cursorParameter, text))
	}
	c.sendLinks(links)
}
