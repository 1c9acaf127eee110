package wire

import (
	"iter"
	"slices"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Input is what a client sent. Its setters assign only what was sent. An absent name leaves
// dst unchanged; null clears it, and so does a blank, except for String. An invalid value
// leaves dst unchanged and adds to Messages. XML and forms carry only texts, so every
// setter reads texts too.
type Input struct {
	// Zone is the zone of times sent without an offset; nil is UTC. The Inputs that Root
	// and Objects return inherit it.
	Zone *time.Location
	// Now is the time of the request, for fields that record when they were set. It is inherited too.
	Now time.Time

	node   *node
	prefix string     // of the names in messages
	found  *[]message // shared by all Inputs of a body

	recorder *Schema // nil but for RecordedInput
}

type message struct{ attribute, text string }

func newInput(n *node) *Input { return &Input{node: n, found: new([]message)} }

// below returns the Input of an inner object.
func (in *Input) below(n *node, prefix string) *Input {
	return &Input{Zone: in.Zone, Now: in.Now, node: n, prefix: prefix, found: in.found}
}

// Root returns the object under the root key, or of the root element, name. If there is
// none or it is not an object, ok is false and the Input is empty.
func (in *Input) Root(name string) (root *Input, ok bool) {
	n := in.node.members[name]
	if n == nil || n.kind != object && n.kind != element {
		return in.below(&node{}, in.prefix), false
	}
	return in.below(n, in.prefix), true
}

// Texts returns the members that are scalars, except null, as texts: the parameters that
// some clients send in a body instead of the query.
func (in *Input) Texts() map[string]string {
	texts := map[string]string{}
	for name, n := range in.node.members {
		if n.kind == text || n.kind == literal || n.kind == element && len(n.items) == 0 {
			texts[name] = n.scalar()
		}
	}
	return texts
}

// Filters returns the members of the object name, except null, as texts. A list becomes its
// elements separated by commas, as in a query. A member that is neither a scalar nor a list
// of scalars adds to Messages, and so does a name that is not an object.
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

// Empty reports whether nothing was sent: no body, null, or an object or element without members.
func (in *Input) Empty() bool {
	n := in.node
	return len(n.members) == 0 && (n.kind == null || n.kind == object || n.kind == element)
}

// Has reports whether name was sent, null included.
func (in *Input) Has(name string) bool {
	return in.node.members[name] != nil || in.recorder != nil
}

// Messages yields what the setters of this Input, and of all that Root and Objects made of
// the same body, found wrong: attribute and text in the order of the calls. The attributes
// of an object in a list are named list.attribute.
func (in *Input) Messages() iter.Seq2[string, string] {
	return func(yield func(attribute, text string) bool) {
		for _, m := range *in.found {
			if !yield(m.attribute, m.text) {
				return
			}
		}
	}
}

// wrong adds a message, unless it is there already.
func (in *Input) wrong(name, text string) {
	m := message{in.prefix + name, text}
	if !slices.Contains(*in.found, m) {
		*in.found = append(*in.found, m)
	}
}

// Objects returns the objects of a list in order. It returns none if the name is absent,
// null or an empty list. A list of anything else is wrong.
func (in *Input) Objects(name string) []*Input {
	if in.recorder != nil {
		one := in.below(&node{}, "")
		one.recorder = &Schema{Type: "object"}
		in.read(name, Schema{Type: "array", Null: true, Items: one.recorder})
		return []*Input{one}
	}
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
