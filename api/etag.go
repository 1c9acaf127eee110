package api

import (
	"fmt"
	"net/http"
	"strings"

	"bordero/internal/messages"
	"bordero/internal/wire"

	"github.com/cespare/xxhash/v2"
)

// etag returns the weak tag of a document: its format, and a hash of the document and of the text
// more, so that any visible change changes the tag (decision 0011).
func etag(f wire.Format, document []byte, more string) string {
	h := xxhash.New()
	_, _ = h.Write(document) // never fails
	_, _ = h.WriteString(more)
	return fmt.Sprintf(`W/"%s-%016x"`, f, h.Sum64())
}

// tags returns the tags that a header lists, without the W/ of weak tags: even If-Match compares
// weakly, on purpose.
func tags(h http.Header, name string) []string {
	var all []string
	for tag := range strings.SplitSeq(strings.Join(h.Values(name), ","), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}

// unmodified reports whether the client already has the document of the tag.
func (c *call) unmodified(tag string) bool {
	for _, t := range tags(c.Request.Header, "If-None-Match") {
		if t == "*" || "W/"+t == tag {
			return true
		}
	}
	return false
}

// match refuses a write unless its If-Match names the current version of the record. Call it inside
// the writing transaction, with the record locked. fields writes the record as a GET does; match
// calls it at most once for each format.
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
	return messages.OtherVersion
}
