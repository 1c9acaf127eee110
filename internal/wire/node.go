package wire

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// node is one value of a body, whatever the format. The zero node is null.
type node struct {
	kind    kind
	text    string
	items   []*node          // of a list; the children of an element
	members map[string]*node // of an object or element; the last of a name wins (but see twice)

	asked []string // of an object that is read strictly: the names that it was asked for
	apart bool     // it is a document of its own (Documents)
	twice bool     // of a form or XML: it replaced another value of its name, which a list would lack
}

type kind uint8

const (
	null    kind = iota
	text         // a string, and every scalar of XML and forms
	literal      // a number, true or false of JSON, as it was sent
	list
	object
	element // of XML: read as an object or as a list; without children, blank
)

// structured reports whether the value is a list or an object, and so has no text.
func (n *node) structured() bool { return n.kind == list || n.kind == object || len(n.items) > 0 }

// scalar returns a scalar's text without outer blanks, "" for null. Anything else gives a
// text that no type can parse, so that each type reports its own expectation.
func (n *node) scalar() string {
	if n.structured() {
		return "{}"
	}
	return strings.TrimSpace(n.text)
}

// list returns the elements of a list. Blank and null are an empty list. An object whose
// names are all numbers is a list too: forms write lists so.
func (n *node) list() (items []*node, ok bool) {
	switch n.kind {
	case list, element:
		return n.items, true
	case object:
		for name := range n.members {
			if strings.Trim(name, "0123456789") != "" {
				return nil, false
			}
		}
		names := slices.SortedFunc(maps.Keys(n.members), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
		})
		for _, name := range names {
			items = append(items, n.members[name])
		}
		return items, len(items) > 0
	}
	return nil, n.scalar() == ""
}

// itemNames are usual names of elements of XML lists, such as those of serializers.
var itemNames = []string{"id", "item", "type", "value", "int", "long", "string"}

// isUntypedList reports whether an element is a list without type="array": its children have one name. A single
// child has the beginning or the singular of the list's name, or a usual one: <ids><id>1</id></ids> is a list,
// <amount><gte>1</gte></amount> an object.
func (n *node) isUntypedList(name string) bool {
	if n.kind != element || len(n.members) != 1 {
		return false
	}
	for child := range n.members {
		stem, plural := strings.CutSuffix(name, "ies")
		return len(n.items) > 1 || strings.HasPrefix(name, child) || plural && child == stem+"y" ||
			slices.Contains(itemNames, child)
	}
	return false
}

// parts returns the elements of a list with this name, else the value itself.
func (n *node) parts(name string) []*node {
	if n.kind == list || n.isUntypedList(name) {
		return n.items
	}
	return []*node{n}
}

// set adds or replaces a member.
func (n *node) set(name string, v *node) {
	if n.members == nil {
		n.members = map[string]*node{}
	}
	n.members[name] = v
}

// setMarked is set for forms and XML, in which clients send a list by repeating its name: it marks a value that
// replaces another.
func (n *node) setMarked(name string, v *node) {
	if old := n.members[name]; old != nil {
		lost := old.structured() || old.scalar() != "" && old.scalar() != v.scalar()
		v.twice = old.twice || lost
	}
	n.set(name, v)
}
