package api

import (
	"maps"
	"slices"
	"strings"

	"bordero/internal/wire"
	"bordero/storage/reports"
)

// readBody reads the body of a GET, in which some clients send the parameters, so that parameter finds them. Without a
// body it returns nil.
func (c *call) readBody() (*wire.Input, error) {
	if c.Request.ContentLength == 0 {
		return nil, nil
	}
	in, err := c.input()
	if err != nil {
		return nil, err
	}
	in = withoutHash(in)
	names := c.described().Parameters
	if c.narrowsByClassifier() {
		names = slices.Concat(names, in.NamesWith(reports.ClassifierKey))
	}
	c.inBody = map[string]string{}
	for _, name := range names {
		if text, sent := in.Joined(name); sent {
			c.inBody[name] = text
		}
	}
	return in, nil
}

// readParameters reads the parameters of a GET without filters, for parameter.
func (c *call) readParameters() error {
	c.bare = true
	if err := c.readableQuery(); err != nil {
		return err
	}
	_, err := c.readBody()
	return err
}

// bodyFaults returns the faults of the body that readBody read.
func (c *call) bodyFaults() error {
	if c.document == nil {
		return nil
	}
	return checked(c.document, nil)
}

// parameter returns a parameter of the query, which has precedence, or of the body; empty if neither has it.
func (c *call) parameter(name string) string {
	text, _ := c.getParameter(name)
	return text
}

// getParameter is parameter, and reports whether it was sent.
func (c *call) getParameter(name string) (text string, sent bool) {
	if text, sent = c.GetQuery(name); !sent {
		text, sent = c.inBody[name]
	}
	return text, sent
}

// sentParameters returns the names of the parameters in the query and in the body, sorted.
func (c *call) sentParameters() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(c.Request.URL.Query())), maps.Keys(c.inBody))
	slices.Sort(names)
	return slices.Compact(names)
}

// narrowsByClassifier reports whether the route has parameters classifier:ID. The OpenAPI document cannot list their
// names.
func (c *call) narrowsByClassifier() bool {
	return strings.HasSuffix(c.FullPath(), incomeStatementPath)
}
