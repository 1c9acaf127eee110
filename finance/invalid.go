package finance

import (
	"iter"
	"strings"
)

// Base is the attribute of a message that is about the record as a whole.
const Base = "base"

// Invalid says what is wrong with a record: messages under attribute names, in
// the order in which they were found, the first maxMessages of them. It is the
// error of every Validate, and a 422 on the wire (OpenAPI: Errors).
type Invalid struct {
	Messages []Message
}

// maxMessages bounds the answer, and the time it takes to look for a message that is
// there already, for a request with thousands of mistakes.
const maxMessages = 100

// Message is one thing wrong with one attribute.
type Message struct {
	Attribute, Text string
	From            []string // other attributes that it follows from: what could not be read of them says more
}

// Add notes one thing wrong, and which other attributes it follows from. The same
// message twice is kept once, and none after maxMessages.
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

// Has tells whether one of the first n messages is about the attribute.
func (i *Invalid) Has(attribute string, n int) bool {
	for _, m := range i.Messages[:n] {
		if m.Attribute == attribute {
			return true
		}
	}
	return false
}

// All yields attribute and text of every message, in order.
func (i *Invalid) All() iter.Seq2[string, string] {
	return func(yield func(attribute, text string) bool) {
		for _, m := range i.Messages {
			if !yield(m.Attribute, m.Text) {
				return
			}
		}
	}
}

// Err returns i where something is wrong, else nil.
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

// Refuse is an Invalid of one message.
func Refuse(attribute, text string) error {
	return &Invalid{Messages: []Message{{Attribute: attribute, Text: text}}}
}
