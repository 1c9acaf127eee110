package wire

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Input is the object that a client sent. A setter assigns only a name that was sent: an absent
// name leaves dst unchanged; null clears it, and so does a blank, except for String. An invalid
// value leaves dst unchanged and adds to Messages. XML and forms carry only texts, so every setter
// reads texts too.
type Input struct {
	// Zone is the zone of times sent without an offset; nil is UTC. The Inputs that Root
	// and Objects return inherit it.
	Zone *time.Location
	// Now is the time of the request, for fields that record when they were set. It is inherited too.
	Now time.Time
	// Changes says that the document is that of a PUT: a list or an object for a text is wrong, and null is false also
	// for names that are true by default. It is inherited too.
	Changes bool
	// Strict makes Messages report names that were sent and that no setter read. It is inherited
	// too.
	Strict bool

	node    *node
	prefix  string // of the names in messages
	pointer string // of the object in the body, as in Message
	body    *body

	recorder *Schema // nil but for RecordedInput
}

// body is shared by all Inputs of a body.
type body struct {
	whole   *Input
	root    *Input // the last that Root found, else that of the whole body
	found   []Message
	aliases map[string]string // other names of attributes
}

// Message is the fault of one attribute. Attributes of an object in a list are named
// list.attribute. Pointer is the place in the body by RFC 6901, with the names of Input.
type Message struct {
	Attribute, Pointer string
	*messages.Fault
}

func newInput(n *node) *Input {
	in := &Input{node: n, body: newBody()}
	in.body.whole, in.body.root = in, in
	return in
}

func newBody() *body { return &body{aliases: map[string]string{}} }

// below returns the Input of an inner object.
func (in *Input) below(n *node, prefix, pointer string) *Input {
	one := *in
	one.node, one.prefix, one.pointer, one.recorder = n, prefix, pointer, nil
	return &one
}

// member returns the value of a name, or nil. The name is then a known one.
func (in *Input) member(name string) *node {
	if in.Strict {
		in.node.asked = append(in.node.asked, name)
	}
	return in.node.members[name]
}

// Root returns the object under the root key, or of the root element, name. If it is missing or not
// an object, ok is false and the Input is empty.
func (in *Input) Root(name string) (root *Input, ok bool) {
	n := in.member(name)
	if n == nil || n.kind != object && n.kind != element {
		return in.below(&node{}, in.prefix, in.pointer), false
	}
	in.body.root = in.below(n, in.prefix, in.pointer+pointerTo(name))
	return in.body.root, true
}

// Text returns a member that is a scalar, but not null, as a text: a parameter that some clients send in
// a body instead of the query.
func (in *Input) Text(name string) (text string, ok bool) {
	n := in.member(name)
	if n == nil || n.kind == null || n.structured() {
		return "", false
	}
	return n.scalar(), true
}

// Filters returns the members of the object name as Joined does. A name that is not an object adds to
// Messages, as do several values of a member that takes one.
func (in *Input) Filters(name string, takesOne func(member string) bool) map[string]string {
	texts := map[string]string{}
	of, ok := in.Root(name)
	if n := in.node.members[name]; !ok && n != nil && n.kind != null {
		in.wrong(name, messages.NotValid)
	}
	for _, member := range slices.Sorted(maps.Keys(of.node.members)) {
		text, sent := of.Joined(member)
		if !sent {
			continue
		}
		texts[member] = text
		if len(of.node.members[member].parts(member)) > 1 && takesOne(member) {
			of.wrong(member, messages.FilterOfOne)
		}
	}
	return texts
}

// Joined returns a member, except null, as a text. A list becomes its elements separated by commas, as in a query. A
// member that is neither a scalar nor a list of scalars adds to Messages, and so does a name with several values.
func (in *Input) Joined(name string) (text string, ok bool) {
	n := in.member(name)
	if n == nil || n.kind == null {
		return "", false
	}
	if n.twice {
		in.wrong(name, messages.ParameterTwice)
	}
	var texts []string
	for _, item := range n.parts(name) {
		if item.scalar() == "{}" {
			in.wrong(name, messages.NotValid)
		}
		texts = append(texts, item.scalar())
	}
	return strings.Join(texts, ","), true
}

// NamesWith returns the names that were sent and begin with prefix.
func (in *Input) NamesWith(prefix string) (names []string) {
	for name := range in.node.members {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// Empty reports whether nothing was sent: no body, null, or an object or element without members.
func (in *Input) Empty() bool {
	n := in.node
	return len(n.members) == 0 && (n.kind == null || n.kind == object || n.kind == element)
}

// IsNull reports whether null was sent under name, in XML nil="true". Setters of lists read a blank and an empty list
// as null, too.
func (in *Input) IsNull(name string) bool {
	n := in.node.members[name]
	return n != nil && n.kind == null
}

// Has reports whether name was sent, null included.
func (in *Input) Has(name string) bool {
	return in.member(name) != nil || in.recorder != nil
}

// Messages returns the faults that the setters found, in the order of the calls: the setters of
// this Input, and of every Input that Root and Objects made of the same body. If the body is read
// strictly, a message for each name that no setter read follows. So it is called after the last
// setter.
func (in *Input) Messages() []Message {
	if !in.Strict {
		return in.body.found
	}
	return append(slices.Clone(in.body.found), in.body.unknown()...)
}

// Require adds messages.Blank for the first of the names of an attribute, unless one of them was sent.
func (in *Input) Require(names ...string) {
	if !slices.ContainsFunc(names, in.Has) {
		in.wrong(names[0], messages.Blank)
	}
}

// Alias makes name another name of an attribute, or of a list, of the root object.
func (in *Input) Alias(name, attribute string) { in.body.aliases[attribute] = name }

// Synonym is Alias for a name that clients send instead of the attribute. If both are sent, the attribute counts,
// unless it is null or blank: some clients write all names that they know. It must run before the setters of both.
func (in *Input) Synonym(name, attribute string) {
	in.Alias(name, attribute)
	if in.blank(attribute) && in.Has(name) {
		delete(in.node.members, attribute)
	}
}

// blank reports whether null or a blank was sent under name.
func (in *Input) blank(name string) bool {
	n := in.member(name)
	return n != nil && n.scalar() == ""
}

// OtherName returns the other name of the attribute, or "". In an object of a list, the attribute
// has the other name of the list: tax_charges.amount is financial_account_taxes_attributes.amount.
func (in *Input) OtherName(attribute string) string {
	list, rest, below := strings.Cut(attribute, ".")
	name := in.body.aliases[list]
	if name != "" && below {
		name += "." + rest
	}
	return name
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointerTo returns the last step of the pointer to a member.
func pointerTo(name string) string { return "/" + pointerEscapes.Replace(name) }

// wrong adds a message, unless it is there already, or messages.Most are.
func (in *Input) wrong(name string, fault *messages.Fault) {
	in.wrongAt(name, in.pointer+pointerTo(name), fault)
}

// wrongAt is wrong for an element of a list, at its place in the body.
func (in *Input) wrongAt(name, pointer string, fault *messages.Fault) {
	if len(in.body.found) == messages.Most {
		return
	}
	attribute := in.prefix + name
	same := func(m Message) bool { return m.Attribute == attribute && m.Pointer == pointer && m.Text == fault.Text }
	if !slices.ContainsFunc(in.body.found, same) {
		in.body.found = append(in.body.found, Message{attribute, pointer, fault})
	}
}

// Documents returns the objects of a list as documents of their own: the faults of one are in its
// own Messages, with pointers into the whole body. A list of anything else is wrong; the result is
// then empty.
func (in *Input) Documents(name string) []*Input {
	all := in.Objects(name)
	for i, one := range all {
		one.prefix, one.body = "", newBody()
		one.body.whole, one.body.root = one, one
		one.node.apart = true
		all[i] = one
	}
	return all
}

// Object returns the object of a name. It is nil if the name is absent, null or blank. Anything else
// is wrong.
func (in *Input) Object(name string) *Input {
	if in.recorder != nil {
		one := in.below(&node{}, "", "")
		one.recorder = &Schema{Type: "object", Null: true}
		in.recorder.Members = append(in.recorder.Members, Member{Name: name, Schema: one.recorder})
		return one
	}
	switch n := in.member(name); {
	case n == nil:
	case n.kind == object || n.kind == element:
		return in.below(n, in.prefix+name+".", in.pointer+pointerTo(name))
	case n.scalar() != "":
		in.wrong(name, messages.NotObject)
	}
	return nil
}

// Objects returns the objects of a list in order. The result is empty if the name is absent, null
// or an empty list. A list of anything else is wrong, and so are several lists of one name.
func (in *Input) Objects(name string) []*Input {
	if in.recorder != nil {
		one := in.below(&node{}, "", "")
		one.recorder = &Schema{Type: "object"}
		in.read(name, Schema{Type: "array", Null: true, Items: one.recorder})
		return []*Input{one}
	}
	n := in.member(name)
	if n == nil {
		return nil
	}
	if n.twice {
		in.wrong(name, messages.ParameterTwice.Hinted(messages.NotObjects.Hint))
		return nil
	}
	items, ok := n.list()
	var objects []*Input
	for i, item := range items {
		ok = ok && (item.kind == object || item.kind == element)
		objects = append(objects, in.below(item, in.prefix+name+".", in.pointer+pointerTo(name)+"/"+strconv.Itoa(i)))
	}
	if !ok {
		in.wrong(name, messages.NotObjects)
		return nil
	}
	return objects
}
