package finance

import (
	"strconv"
	"testing"

	"bordero/internal/messages"
)

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	var invalid Invalid
	for n := range 1000 {
		invalid.Add("a", &messages.Fault{Text: strconv.Itoa(n / 2)}) // each twice
	}
	if n := len(invalid.Messages); n != 100 || invalid.Messages[0].Text != "0" || invalid.Messages[99].Text != "99" {
		t.Errorf("%d messages: %v", n, invalid.Messages)
	}
}
