package api

import (
	"fmt"
	"net/http"
	"strings"

	"bordero/internal/wire"

	"github.com/cespare/xxhash/v2"
)

// etag is the weak tag of a document: its format, and a hash of what a client
// sees of it. So whatever may change a document, by whatever way, changes its tag.
func etag(f wire.Format, document []byte, more string) string {
	h := xxhash.New()
	_, _ = h.Write(document) // never fails
	_, _ = h.WriteString(more)
	return fmt.Sprintf(`W/"%s-%016x"`, f, h.Sum64())
}

// tags are the tags that a header lists, without the W/ of weak ones: tags are
// compared weakly, on purpose, also by If-Match.
func tags(h http.Header, name string) []string {
	var all []string
	for tag := range strings.SplitSeq(strings.Join(h.Values(name), ","), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}

// unmodified tells whether the client has the document of the tag already.
func (c *call) unmodified(tag string) bool {
	for _, t := range tags(c.Request.Header, "If-None-Match") {
		if t == "*" || "W/"+t == tag {
			return true
		}
	}
	return false
}

// match refuses a write whose If-Match names no version that the record has now.
// document writes the record as a GET of it does; it is called inside the writing
// transaction, with the record locked, once for each format that was named.
func (c *call) match(root string, fields func(*wire.Writer)) error {
	wanted := tags(c.Request.Header, "If-Match")
	if len(wanted) == 0 {
		return nil
	}
	for _, f := range []wire.Format{wire.JSON, wire.XML} {
		w := wire.NewWriter(f, c.api.Zone)
		w.Object(root, func() { fields(w) })
		tag := etag(f, w.Bytes(), "")
		w.Free()
		for _, t := range wanted {
			if t == "*" || "W/"+t == tag {
				return nil
			}
		}
	}
	return errPrecondition
}
