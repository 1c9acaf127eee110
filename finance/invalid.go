package finance

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"bordero/internal/messages"
)

// Base is the attribute of a message about the record as a whole.
const Base = "base"

// Invalid is the error of every Validate: messages by attribute, in the order in which they were
// added, up to messages.Most. The API answers it with 422 (OpenAPI: Errors).
type Invalid struct {
	Messages []Message
}

// Message is one problem with one attribute.
type Message struct {
	Attribute string
	*messages.Fault
	From []string // possible causes; the API omits this message if one of them was unreadable or has an earlier message

	// Place is where the problem is, if the attribute is a list or in one: names and indices below the
	// record, as in tax_charges/1/tax_id. The element 17 of a list of ids is =17. With a slash before it,
	// a place is a pointer into the whole request (RFC 6901).
	Place string
	// Named is the name that Each has put into the text. Texts that name one thing each become one
	// text with a list of the names where places are not shown.
	Named    string
	Each     *messages.Fault
	RecordID int64 // the record that has a taken value; 0 without one
}

// Add adds a message and the attributes that may have caused it. It ignores a duplicate, and
// every message after the first messages.Most.
func (i *Invalid) Add(attribute string, fault *messages.Fault, from ...string) {
	i.Append(Message{Attribute: attribute, Fault: fault, From: from})
}

// AddAt is Add for a place in a list.
func (i *Invalid) AddAt(place, attribute string, fault *messages.Fault) {
	i.Append(Message{Attribute: attribute, Fault: fault, Place: place})
}

// AddNamed is AddAt for a fault that names one thing. each is the template of the text.
func (i *Invalid) AddNamed(place, attribute string, each *messages.Fault, named string) {
	i.Append(Message{Attribute: attribute, Fault: each.With(named), Place: place, Named: named, Each: each})
}

// Append is Add for a message.
func (i *Invalid) Append(m Message) {
	same := func(known Message) bool {
		return known.Attribute == m.Attribute && known.Place == m.Place && known.Text == m.Text
	}
	if !i.Full() && !slices.ContainsFunc(i.Messages, same) {
		i.Messages = append(i.Messages, m)
	}
}

// Full reports whether Add ignores further messages.
func (i *Invalid) Full() bool { return len(i.Messages) == messages.Most }

// Join adds the messages of an Invalid, so that one answer has all faults. It skips attributes that
// have a message already, themselves or in their items, and places that have one. It returns any
// other error.
func (i *Invalid) Join(err error) error {
	var other *Invalid
	if !errors.As(err, &other) {
		return err
	}
	n := len(i.Messages)
	for _, m := range other.Messages {
		known := func(known Message) bool {
			if m.Place != "" && known.Place != "" {
				return known.Place == m.Place
			}
			return known.Attribute == m.Attribute || strings.HasPrefix(known.Attribute, m.Attribute+".")
		}
		if m.Attribute == Base || !slices.ContainsFunc(i.Messages[:n], known) {
			i.Append(m)
		}
	}
	return nil
}

// Within adds the messages of an Invalid about an inner object: category of new_account becomes
// new_account.category. It returns any other error.
func (i *Invalid) Within(object string, err error) error { return i.within(object, object, err) }

// WithinItem adds the messages of an Invalid about an item of a list: due_date of new_accounts becomes
// new_accounts.due_date, at its place in the item. It returns any other error.
func (i *Invalid) WithinItem(list string, item int, err error) error {
	return i.within(list, fmt.Sprintf("%s/%d", list, item), err)
}

func (i *Invalid) within(object, place string, err error) error {
	var other *Invalid
	if !errors.As(err, &other) {
		return err
	}
	for _, m := range other.Messages {
		m.Place = place + "/" + cmp.Or(m.Place, PlaceOf(m.Attribute))
		m.Attribute, m.From = object+"."+m.Attribute, nil
		i.Append(m)
	}
	return nil
}

// PlaceOf returns the place of an attribute, which for an inner one is in its object.
func PlaceOf(attribute string) string { return strings.ReplaceAll(attribute, ".", "/") }

// Has reports whether one of the first n messages is about the attribute.
func (i *Invalid) Has(attribute string, n int) bool {
	for _, m := range i.Messages[:n] {
		if m.Attribute == attribute {
			return true
		}
	}
	return false
}

// All yields the attributes and texts of the messages, in order, without their places. A text that
// an attribute has at several places comes once; texts that name one thing each become one text.
func (i *Invalid) All() iter.Seq2[string, string] {
	type line struct{ attribute, text string }
	var lines []line
	for _, m := range i.Messages {
		text := m.Text
		if m.Each != nil {
			var named []string
			for _, other := range i.Messages {
				if other.Attribute == m.Attribute && other.Each == m.Each {
					named = append(named, other.Named)
				}
			}
			text = m.Each.With(strings.Join(named, ", ")).Text
		}
		if l := (line{m.Attribute, text}); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return func(yield func(attribute, text string) bool) {
		for _, l := range lines {
			if !yield(l.attribute, l.text) {
				return
			}
		}
	}
}

// Err returns i if it has messages, else nil.
func (i *Invalid) Err() error {
	if len(i.Messages) == 0 {
		return nil
	}
	return i
}

func (i *Invalid) Error() string {
	var texts []string
	for attribute, text := range i.All() {
		texts = append(texts, attribute+" "+text)
	}
	return strings.Join(texts, "; ")
}

// Refuse returns an *Invalid with one message.
func Refuse(attribute string, fault *messages.Fault) error {
	return &Invalid{Messages: []Message{{Attribute: attribute, Fault: fault}}}
}
