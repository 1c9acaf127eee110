package wire

import (
	"iter"
	"slices"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Input is what a client sent. Its setters assign only what was sent: a name that
// is absent leaves dst alone; null, and a blank for anything but String, clears
// it; what cannot be read leaves it alone and is noted in Messages. XML and forms
// carry texts only, so every setter reads texts too.
type Input struct {
	// Zone is that of moments sent without an offset; nil is UTC. Root and
	// Objects hand it on to what they return.
	Zone *time.Location

	node   *node
	prefix string     // of the names in messages
	found  *[]message // one for all the Inputs of a body
}

type message struct{ attribute, text string }

func newInput(n *node) *Input { return &Input{node: n, found: new([]message)} }

// below returns the Input of an inner object.
func (in *Input) below(n *node, prefix string) *Input {
	return &Input{Zone: in.Zone, node: n, prefix: prefix, found: in.found}
}

// Root returns the object under the root key, or of the root element, name. ok
// is false when there is none or it is no object; the Input is then an empty one.
func (in *Input) Root(name string) (root *Input, ok bool) {
	n := in.node.members[name]
	if n == nil || n.kind != object && n.kind != element {
		return in.below(&node{}, in.prefix), false
	}
	return in.below(n, in.prefix), true
}

// Texts returns the members that are scalars, null apart, each as its text: the
// parameters that some clients send in a body and not in the query.
func (in *Input) Texts() map[string]string {
	texts := map[string]string{}
	for name, n := range in.node.members {
		if n.kind == text || n.kind == literal || n.kind == element && len(n.items) == 0 {
			texts[name] = n.scalar()
		}
	}
	return texts
}

// Filters returns the members of the object name, null apart, each as its text; that of
// a list is its elements with commas between, as a query has it. What is neither a
// scalar nor a list of them is noted, and so is a name that is no object.
func (in *Input) Filters(name string) map[string]string {
	texts := map[string]string{}
	of, ok := in.Root(name)
	if n := in.node.members[name]; !ok && n != nil && n.kind != null {
		in.wrong(name, messages.NotValid)
	}
	for member, n := range of.node.members {
		items, isList := []*node{n}, n.kind == list
		if isList {
			items = n.items
		}
		var parts []string
		for _, item := range items {
			if item.kind != null && item.scalar() == "{}" {
				of.wrong(member, messages.NotValid)
			}
			parts = append(parts, item.scalar())
		}
		if n.kind != null {
			texts[member] = strings.Join(parts, ",")
		}
	}
	return texts
}

// Has tells whether name was sent, be it as null.
func (in *Input) Has(name string) bool { return in.node.members[name] != nil }

// Messages yields what the setters found wrong, of this Input and all that Root
// and Objects made of one body, as attribute and text in the order of the calls.
// Attributes of an object in a list are called list.attribute.
func (in *Input) Messages() iter.Seq2[string, string] {
	return func(yield func(attribute, text string) bool) {
		for _, m := range *in.found {
			if !yield(m.attribute, m.text) {
				return
			}
		}
	}
}

// wrong notes a message once.
func (in *Input) wrong(name, text string) {
	m := message{in.prefix + name, text}
	if !slices.Contains(*in.found, m) {
		*in.found = append(*in.found, m)
	}
}

// Objects returns the objects of a list, in order; none when the name is absent,
// null or an empty list. A list of anything else is wrong.
func (in *Input) Objects(name string) []*Input {
	n := in.node.members[name]
	if n == nil {
		return nil
	}
	items, ok := n.list()
	var objects []*Input
	for _, item := range items {
		ok = ok && (item.kind == object || item.kind == element)
		objects = append(objects, in.below(item, in.prefix+name+"."))
	}
	if !ok {
		in.wrong(name, messages.NotValid)
		return nil
	}
	return objects
}
