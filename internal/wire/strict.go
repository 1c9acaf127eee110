package wire

import (
	"maps"
	"slices"
	"strconv"

	"bordero/internal/messages"
)

// The names that a handler asks an Input for are the attributes that it knows. Other names in a
// body would be ignored.

// unknown returns a message for each attribute that was sent and not asked for, up to messages.Most.
func (b *body) unknown() (found []Message) {
	b.unasked(b.whole.node, "", b.whole.pointer, func(name string, n *node, m Message) {
		if rootless := n == b.whole.node && n.members[name].empty(); !rootless && len(found) < messages.Most {
			m.Fault = messages.UnknownAttribute.Named(name, n.asked)
			found = append(found, m)
		}
	})
	return found
}

// empty reports whether a value is an object without members, such as a root key without attributes.
func (n *node) empty() bool {
	return (n.kind == object || n.kind == element) && len(n.members) == 0
}

// unasked calls a function with the members of an object, and of all objects within it, that were not
// asked for.
func (b *body) unasked(n *node, prefix, pointer string, add func(name string, of *node, m Message)) {
	for _, name := range slices.Sorted(maps.Keys(n.members)) {
		inner, place, within := n.members[name], pointer+pointerTo(name), prefix+name+"."
		if !slices.Contains(n.asked, name) {
			add(name, n, Message{Attribute: prefix + name, Pointer: place})
			continue
		}
		if inner == b.root.node {
			within = ""
		}
		if inner.asked != nil {
			b.unasked(inner, within, place, add)
			continue
		}
		items, _ := inner.list()
		for i, item := range items {
			if item.asked != nil && !item.apart {
				b.unasked(item, within, place+"/"+strconv.Itoa(i), add)
			}
		}
	}
}
