package api

import (
	"fmt"
	"regexp"
	"strings"

	"bordero/internal/messages"
)

// noRoute refuses a path without a route. The refusal names the suffix of another format, or the
// most similar route.
func (c *call) noRoute() error {
	if err := c.checkSuffix(); err != nil {
		return err
	}
	if nearest := nearestPath(c.api.paths, segments(c.Request.URL.Path)); nearest != nil {
		return messages.NoRoute.Hinted(fmt.Sprintf(messages.NearestPathf, strings.Join(nearest, "/")))
	}
	return messages.NoRoute
}

// noMethod refuses a method that the path does not have. The last segment of /batch.csv passes for
// the id of a record, so checkSuffix comes first.
func (c *call) noMethod() error {
	if err := c.checkSuffix(); err != nil {
		return err
	}
	return messages.NoMethod
}

// formatSuffix matches a suffix that looks like the suffix of a format.
var formatSuffix = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]{0,7}$`)

// checkSuffix refuses the path of a route with the suffix of a format that the route does not have; normalise has
// removed .json, .xml, .csv and .xlsx.
func (c *call) checkSuffix() error {
	path := c.Request.URL.Path
	if c.sheetSuffix {
		if !c.isSheet() && has(c.api.paths, segments(path)) {
			return messages.NotFormat.With(c.sheet.suffix)
		}
		return nil
	}
	suffix := formatSuffix.FindString(path)
	if suffix != "" && has(c.api.paths, segments(strings.TrimSuffix(path, suffix))) {
		return messages.NotFormat.With(suffix)
	}
	return nil
}

func segments(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// has reports whether the path of a request is the path of one of the routes.
func has(paths [][]string, sent []string) bool {
	for _, p := range paths {
		if cost, like := unlike(p, sent); like && cost == 0 && len(p) == len(sent) {
			return true
		}
	}
	return false
}

// nearestPath returns the path of the route that is most similar to the path of a request; nil if
// no path is similar.
func nearestPath(paths [][]string, sent []string) (nearest []string) {
	least := 0
	for _, p := range paths {
		if cost, like := unlike(p, sent); like && (nearest == nil || cost < least) {
			nearest, least = p, cost
		}
	}
	return nearest
}

// unlike compares the path of a route with the path of a request. The latter may be misspelt, lack
// the beginning, as /payable_accounts, or have another beginning, as /v1/people. It returns how
// much the paths differ, and whether they are alike.
func unlike(path, sent []string) (cost int, like bool) {
	const edit = 1 << 16 // more than there are segments
	n := min(len(path), len(sent))
	cost = len(path) + len(sent) - 2*n
	path, sent = path[len(path)-n:], sent[len(sent)-n:]
	for i, name := range path {
		if strings.HasPrefix(name, ":") {
			if i == 0 || !startsWithDigit(sent[i]) {
				return 0, false
			}
			continue
		}
		most := len(name)*2/5 + 1
		edits := messages.Edits(name, sent[i], most)
		if edits == most {
			return 0, false
		}
		cost += edit * edits
	}
	return cost, true
}

// startsWithDigit reports whether a segment may be an id or a month.
func startsWithDigit(segment string) bool {
	return segment != "" && segment[0] >= '0' && segment[0] <= '9'
}
