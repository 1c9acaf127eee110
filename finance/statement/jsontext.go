package statement

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"bordero/internal/messages"
)

const (
	maxDepth  = 64  // of objects and arrays in each other
	maxDigits = 100 // of a number, with its marks
	maxMember = 64  // bytes of the name of a member; longer ones are none of an item
)

// jsonText reads the tokens of JSON, in memory that does not grow with the text. Its errors are an *Error about the
// item at hand, or the reader's.
type jsonText struct {
	r        io.Reader
	buf      []byte
	pos, end int
	err      error // of r, behind the buffered bytes
	line     int
	items    int64 // ended so far
	token    []byte
}

func newJSONText(text io.Reader) jsonText {
	return jsonText{r: text, buf: make([]byte, windowSize), line: 1}
}

// fill reports whether there is another byte; if not, err says why.
func (t *jsonText) fill() bool {
	for t.pos == t.end && t.err == nil {
		var n int
		n, t.err = t.r.Read(t.buf)
		t.pos, t.end = 0, n
	}
	return t.pos < t.end
}

// peek skips blanks and returns the next byte; it is an io.EOF without one.
func (t *jsonText) peek() (byte, error) {
	for t.fill() {
		switch c := t.buf[t.pos]; c {
		case '\n':
			t.line++
			t.pos++
		case ' ', '\t', '\r':
			t.pos++
		default:
			return c, nil
		}
	}
	return 0, t.err
}

// ended makes an error of the end of the text, which lacks something.
func (t *jsonText) ended(err error, missing string) error {
	if err == io.EOF {
		return &Error{Message: messages.CutFile(missing, t.items)}
	}
	return err
}

// fault is an error about the item at hand.
func (t *jsonText) fault(format string, args ...any) error {
	return &Error{t.line, fmt.Sprintf(messages.ItemFaultf, t.items+1, fmt.Sprintf(format, args...))}
}

// expect skips blanks and consumes a byte.
func (t *jsonText) expect(c byte) error {
	found, err := t.peek()
	switch {
	case err != nil:
		return t.ended(err, string(c))
	case found != c:
		return t.unexpected(string(c))
	}
	t.pos++
	return nil
}

// unexpected is the error of the next byte, which is none of those that are wanted.
func (t *jsonText) unexpected(wanted string) error {
	return t.fault(messages.JSONSyntaxf, rune(t.buf[t.pos]), wanted)
}

// more consumes the comma before a further element of an object or array, or its end. first is set if it has no
// element yet.
func (t *jsonText) more(first bool, end byte) (more bool, err error) {
	c, err := t.peek()
	switch {
	case err != nil:
		return false, t.ended(err, string(end))
	case c == end:
		t.pos++
		return false, nil
	case first:
		return true, nil
	}
	if c != ',' {
		return false, t.unexpected(", " + string(end))
	}
	t.pos++
	if c, err = t.peek(); err == nil && c == end {
		return false, t.unexpected(messages.JSONNext)
	}
	return true, nil
}

// name consumes the name of a member and its colon. It is valid until the next token.
func (t *jsonText) name() ([]byte, error) {
	c, err := t.peek()
	if err != nil {
		return nil, t.ended(err, "}")
	}
	if c != '"' {
		return nil, t.unexpected(`"`)
	}
	var long bool
	if t.token, long, err = t.text(t.token[:0], maxMember); err != nil {
		return nil, err
	}
	if long {
		t.token = t.token[:0]
	}
	return t.token, t.expect(':')
}

// text consumes a string, appends its first bytes to dst, as many as there is room for, and reports whether it is
// longer.
func (t *jsonText) text(dst []byte, room int) (_ []byte, long bool, err error) {
	t.pos++
	room += len(dst)
	var high rune // the first half of a surrogate pair
	for t.fill() {
		window := t.buf[t.pos:t.end]
		n := 0
		for n < len(window) && window[n] != '"' && window[n] != '\\' && window[n] >= ' ' {
			n++
		}
		if n > 0 {
			if high != 0 {
				dst, high = utf8.AppendRune(dst, utf8.RuneError), 0
			}
			if len(dst)+n > room {
				dst, long = append(dst, window[:max(0, room-len(dst))]...), true
			} else {
				dst = append(dst, window[:n]...)
			}
			t.pos += n
			continue
		}
		if window[0] < ' ' {
			return nil, false, t.unexpected(`"`)
		}
		t.pos++
		if window[0] == '"' {
			if high != 0 {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
			return dst, long || len(dst) > room, nil
		}
		c, err := t.escaped()
		if err != nil {
			return nil, false, err
		}
		if high != 0 {
			if pair := utf16.DecodeRune(high, c); pair != utf8.RuneError {
				c = pair
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
			high = 0
		}
		switch {
		case 0xD800 <= c && c < 0xDC00:
			high = c
		case len(dst) < room:
			dst = utf8.AppendRune(dst, c) // a lone half of a pair becomes U+FFFD
		default:
			long = true
		}
	}
	return nil, false, t.ended(t.err, `"`)
}

// escaped consumes the escape behind a backslash. It returns the halves of a surrogate pair one by one.
func (t *jsonText) escaped() (rune, error) {
	if !t.fill() {
		return 0, t.ended(t.err, `"`)
	}
	const plain, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := t.buf[t.pos]
	for i := range len(plain) {
		if c == plain[i] {
			t.pos++
			return rune(means[i]), nil
		}
	}
	if c != 'u' {
		return 0, t.unexpected(messages.JSONEscape)
	}
	t.pos++
	var r rune
	for range 4 {
		if !t.fill() {
			return 0, t.ended(t.err, `"`)
		}
		digit := t.buf[t.pos]
		switch {
		case '0' <= digit && digit <= '9':
			r = r<<4 | rune(digit-'0')
		case 'a' <= digit|0x20 && digit|0x20 <= 'f':
			r = r<<4 | rune(digit|0x20-'a'+10)
		default:
			return 0, t.unexpected(messages.JSONHex)
		}
		t.pos++
	}
	return r, nil
}

// number consumes a number and appends it to dst as it is written.
func (t *jsonText) number(dst []byte) ([]byte, error) {
	start := len(dst)
	for t.fill() {
		c := t.buf[t.pos]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c|0x20 != 'e' {
			break
		}
		if len(dst)-start == maxDigits {
			return nil, t.fault(messages.JSONDigitsf, maxDigits)
		}
		dst = append(dst, c)
		t.pos++
	}
	if !isJSONNumber(dst[start:]) {
		return nil, t.fault(messages.JSONNumberf, dst[start:])
	}
	if t.err != nil && t.pos == t.end { // it may go on behind the end of a file that is cut off
		return nil, t.ended(t.err, "}")
	}
	return dst, nil
}

// literal consumes true, false or null.
func (t *jsonText) literal(word string) error {
	for i := range len(word) {
		if !t.fill() {
			return t.ended(t.err, word)
		}
		if t.buf[t.pos] != word[i] {
			return t.unexpected(word)
		}
		t.pos++
	}
	return nil
}

// skip consumes a value inside depth others.
func (t *jsonText) skip(depth int) error {
	c, err := t.peek()
	switch {
	case err != nil:
		return t.ended(err, "}")
	case depth > maxDepth:
		return t.fault(messages.JSONDeepf, maxDepth)
	}
	switch c {
	case '"':
		t.token, _, err = t.text(t.token[:0], 0)
		return err
	case '{', '[':
		end := c + 2 // in ASCII
		t.pos++
		for first := true; ; first = false {
			more, err := t.more(first, end)
			if err != nil || !more {
				return err
			}
			if end == '}' {
				if _, err := t.name(); err != nil {
					return err
				}
			}
			if err := t.skip(depth + 1); err != nil {
				return err
			}
		}
	case 't':
		return t.literal("true")
	case 'f':
		return t.literal("false")
	case 'n':
		return t.literal("null")
	}
	if c != '-' && (c < '0' || c > '9') {
		return t.unexpected(messages.JSONValue)
	}
	t.token, err = t.number(t.token[:0])
	return err
}

// isJSONNumber reports whether a text is a number by the grammar of JSON.
func isJSONNumber(text []byte) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	n := leading(text)
	if n == 0 || n > 1 && text[0] == '0' {
		return false
	}
	text = text[n:]
	if len(text) > 0 && text[0] == '.' {
		if n = leading(text[1:]); n == 0 {
			return false
		}
		text = text[1+n:]
	}
	if len(text) > 0 && text[0]|0x20 == 'e' {
		text = text[1:]
		if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
			text = text[1:]
		}
		n = leading(text)
		return n > 0 && n == len(text)
	}
	return len(text) == 0
}

// isJSON reports whether head begins a file of JSON with items: an array of objects or a page, if they are empty, or
// an object with an amount.
func isJSON(head []byte) bool {
	t := newJSONText(bytes.NewReader(head))
	c, err := t.peek()
	if err != nil || c != '[' && c != '{' {
		return false
	}
	t.pos++
	if c == '[' {
		if more, err := t.more(true, ']'); !more || err != nil {
			return err == nil || t.err != nil // cut off
		}
		if t.buf[t.pos] != '{' {
			return false
		}
		t.pos++
	}
	for first := true; ; first = false {
		more, err := t.more(first, '}')
		if err != nil || !more {
			return err != nil && t.err != nil // cut off
		}
		name, err := t.name()
		if err != nil {
			return t.err != nil
		}
		switch known := string(name); known {
		case "amount", "transactionAmount":
			return true
		case "results", "data":
			if next, err := t.peek(); c == '{' && err == nil && next == '[' {
				return true
			}
		}
		if err := t.skip(1); err != nil {
			return t.err != nil
		}
	}
}
