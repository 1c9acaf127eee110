package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"bordero/storage"
)

const (
	cursorParameter = "cursor"
	// maxCursor bounds the length of a cursor. A list by name has the longest: 255 characters, folded.
	maxCursor   = 8 << 10
	checksumLen = 8 // bytes of a SHA-256
)

// walk is what all pages of a walk through a list with cursors have in common; the size of a page may
// change.
type walk struct {
	Path    string // without suffix
	Account int64  // 0 for a list of no account
	Search  map[string]string
}

func (c *call) walk(l storage.List) walk {
	return walk{c.Request.URL.Path, c.access.AccountID, l.Search}
}

// checksum detects a cursor of another walk and one that was changed. It is no protection, and need not
// be: a forged place is in the same list, which has its own conditions.
func (w walk) checksum(place []byte) []byte {
	all, err := json.Marshal([]any{w, place})
	if err != nil {
		panic(err) // texts and a number
	}
	sum := sha256.Sum256(all)
	return sum[:checksumLen]
}

// writeCursor returns the cursor of the page after a place: the checksum, and the values of the place
// with a NUL between them, which no text in PostgreSQL has.
func writeCursor(p storage.Place, w walk) string {
	place := []byte(strings.Join(p, "\x00"))
	return base64.RawURLEncoding.EncodeToString(append(w.checksum(place), place...))
}

// readCursor returns the place of a cursor, the beginning for an empty one. ok reports whether the
// cursor is one of the walk.
func readCursor(text string, w walk) (p storage.Place, ok bool) {
	if text == "" {
		return storage.Place{}, true
	}
	if len(text) > maxCursor {
		return nil, false
	}
	all, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(all) <= checksumLen {
		return nil, false
	}
	p = strings.Split(string(all[checksumLen:]), "\x00")
	return p, writeCursor(p, w) == text
}

// cursorHeaders sends the cursor of the next page, unless this one is the last, and the URLs of the first
// page and the next.
func (c *call) cursorHeaders(l storage.List, next storage.Place) {
	var links []string
	if len(l.After) > 0 {
		links = append(links, c.pageLink(l, "first", cursorParameter, ""))
	}
	if next != nil {
		cursor := writeCursor(next, c.walk(l))
		c.Header("X-Next-Cursor", cursor)
		links = append(links, c.pageLink(l, "next", cursorParameter, cursor))
	}
	c.sendLinks(links)
}
