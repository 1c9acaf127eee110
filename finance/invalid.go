package finance

import (
	"errors"
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
	From []string // attributes that may be the cause; if one was unreadable or has an earlier message, the API omits this one
}

// Add adds a message and the attributes that may have caused it. It ignores a duplicate, and
// every message after the first messages.Most.
func (i *Invalid) Add(attribute string, fault *messages.Fault, from ...string) {
	if i.Full() {
		return
	}
	for _, m := range i.Messages {
		if m.Attribute == attribute && m.Text == fault.Text {
			return
		}
	}
	i.Messages = append(i.Messages, Message{attribute, fault, from})
}

// Full reports whether Add ignores further messages.
func (i *Invalid) Full() bool { return len(i.Messages) == messages.Most }

// Join adds the messages of an Invalid about attributes that have none yet, nor have their items,
// so that one answer has all faults. It returns any other error.
func (i *Invalid) Join(err error) error {
	var other *Invalid
	if !errors.As(err, &other) {
		return err
	}
	n := len(i.Messages)
	for _, m := range other.Messages {
		items := func(known Message) bool { return strings.HasPrefix(known.Attribute, m.Attribute+".") }
		if m.Attribute == Base || !i.Has(m.Attribute, n) && !slices.ContainsFunc(i.Messages[:n], items) {
			i.Add(m.Attribute, m.Fault, m.From...)
		}
	}
	return nil
}

// Within adds the messages of an Invalid about an item of a list: due_date of new_accounts becomes
// new_accounts.due_date. It returns any other error.
func (i *Invalid) Within(list string, err error) error {
	var other *Invalid
	if !errors.As(err, &other) {
		return err
	}
	for _, m := range other.Messages {
		i.Add(list+"."+m.Attribute, m.Fault)
	}
	return nil
}

// Has reports whether one of the first n messages is about the attribute.
func (i *Invalid) Has(attribute string, n int) bool {
	for _, m := range i.Messages[:n] {
		if m.Attribute == attribute {
			return true
		}
	}
	return false
}

// All yields the attribute and text of every message, in order.
func (i *Invalid) All() iter.Seq2[string, string] {
	return func(yield func(attribute, text string) bool) {
		for _, m := range i.Messages {
			if !yield(m.Attribute, m.Text) {
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
	texts := make([]string, len(i.Messages))
	for k, m := range i.Messages {
		texts[k] = m.Attribute + " " + m.Text
	}
	return strings.Join(texts, "; ")
}

// Refuse returns an *Invalid with one message.
func Refuse(attribute string, fault *messages.Fault) error {
	return &Invalid{Messages: []Message{{Attribute: attribute, Fault: fault}}}
}
