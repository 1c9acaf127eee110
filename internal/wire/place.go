package wire

import (
	"slices"
	"strconv"
	"strings"
)

// Pointer returns the pointer into the body (RFC 6901) to a place below the root object, and
// whether a value was sent there. A place has names and indices with slashes between them, as in
// tax_charges/1/tax_id. After "=", its end is the text of an element, as in attachment_id_list/=17.
//
// The pointer uses the names of the body. For an association it is that of the id (/person_id for
// person), for an attribute with another name that of the name that was sent. For a place in a list
// that was sent in another form it is the pointer of the list.
func (in *Input) Pointer(place string) (pointer string, sent bool) {
	return in.locate(in.body.root.node, in.body.root.pointer, place)
}

// locate returns the pointer to a place below n, which has a pointer itself.
func (in *Input) locate(n *node, pointer, place string) (string, bool) {
	step, rest, more := strings.Cut(place, "/")
	index, err := strconv.Atoi(step)
	text, byText := strings.CutPrefix(place, "=")
	if byText {
		more = false // the text may have slashes
	}
	var inner *node
	switch {
	case byText || err == nil:
		items, isList := n.list()
		if byText {
			index = slices.IndexFunc(items, func(item *node) bool { return item.scalar() == text })
		}
		if !isList || index < 0 || index >= len(items) {
			return pointer, true
		}
		inner, pointer = items[index], pointer+"/"+strconv.Itoa(index)
	case n.kind == list: // the place of an attribute of all of its objects
		return pointer, true
	default:
		name := step
		for _, other := range []string{step, step + "_id", in.body.aliases[step]} {
			if inner = n.members[other]; other != "" && inner != nil {
				name = other
				break
			}
		}
		if pointer += pointerTo(name); n.members[name] == nil {
			return pointer, false
		}
	}
	if !more {
		return pointer, true
	}
	return in.locate(inner, pointer, rest)
}
