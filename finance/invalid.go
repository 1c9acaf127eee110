package finance

import (
	"iter"
	"strings"
)

// Base is the attribute of a message about the record as a whole.
const Base = "base"

// Invalid is the error of every Validate: messages by attribute, in the order in which they were
// added, up to maxMessages. The API answers it with 422 (OpenAPI: Errors).
type Invalid struct {
	Messages []Message
}

// maxMessages bounds the answer, and the cost of Add's search for duplicates, for a request with
// thousands of mistakes.
const maxMessages = 100

// Message is one problem with one attribute.
type Message struct {
	Attribute, Text string
	From            []string // attributes that may be the cause; if one was unreadable, the API omits this message
}

// Add adds a message and the attributes that may have caused it. It ignores a duplicate, and
// every message after the first maxMessages.
func (i *Invalid) Add(attribute, text string, from ...string) {
	if len(i.Messages) == maxMessages {
		return
	}
	for _, m := range i.Messages {
		if m.Attribute == attribute && m.Text == text {
			return
		}
	}
	i.Messages = append(i.Messages, Message{attribute, text, from})
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
func Refuse(attribute, text string) error {
	return &Invalid{Messages: []Message{{Attribute: attribute, Text: text}}}
}
