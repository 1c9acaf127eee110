package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"bordero/internal/messages"
)

// ErrUnsupported is the error of Read for a body in an unknown format (415).
var ErrUnsupported = errors.New("wire: unsupported content type")

// SyntaxError is the error of Read for a malformed body (400).
type SyntaxError struct {
	Line    int    // of the body, from 1
	Message string // for the API's user; names the line
}

func (e *SyntaxError) Error() string { return e.Message }

// Read decodes a request body by its content type: JSON, XML or a URL-encoded form. A blank
// body is an Input without members, whatever its content type. The error is a *SyntaxError
// or ErrUnsupported. The caller must limit the size.
func Read(contentType string, body []byte) (*Input, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if len(bytes.TrimSpace(body)) == 0 {
		return newInput(&node{}), nil
	}
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch {
	case mediaType == "application/json", mediaType == "text/json", strings.HasSuffix(mediaType, "+json"):
		return decode("JSON", body, readJSON)
	case mediaType == "application/xml", mediaType == "text/xml", strings.HasSuffix(mediaType, "+xml"):
		return decode("XML", body, readXML)
	case mediaType == "application/x-www-form-urlencoded":
		return decode(messages.Form, body, readForm)
	}
	return nil, ErrUnsupported
}

// decode runs one of the decoders, which return the offset where they stopped.
func decode(what string, body []byte, read func([]byte) (*node, int, error)) (*Input, error) {
	n, offset, err := (*node)(nil), validPrefix(body), error(errNotUTF8)
	if offset == len(body) {
		n, offset, err = read(body)
	}
	if err == nil {
		return newInput(n), nil
	}
	line := 1 + bytes.Count(body[:offset], []byte("\n"))
	message := fmt.Sprintf(messages.Malformedf, what, line)
	if reason := refusal(""); errors.As(err, &reason) {
		message = fmt.Sprintf(messages.MalformedWhyf, what, line, reason)
	}
	return nil, &SyntaxError{Line: line, Message: message}
}

// validPrefix returns the number of bytes before the first that is not UTF-8.
func validPrefix(body []byte) int {
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(body)
}

// refusal is an error that we, not a decoder of the standard library, found in a body. Its
// text is shown to the user; theirs are English.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	errTooDeep   refusal = messages.TooDeep
	errTooMany   refusal = messages.TooManyValues
	errTrailing  refusal = messages.Trailing
	errNotUTF8   refusal = messages.NotUTF8
	errDirective refusal = messages.Directive
	errProcInst  refusal = messages.ProcInst
	errOutside   refusal = messages.OutsideRoot
	errNoRoot    refusal = messages.NoRootElement
	errBrackets  refusal = messages.Brackets
	errPercent   refusal = messages.PercentSign
)

// Limits of one document, far above what our documents need.
const (
	maxDepth  = 64
	maxValues = 100_000
)

// bounds counts the values of a document while it is read.
type bounds struct{ values int }

func (b *bounds) add(depth int) error {
	b.values++
	switch {
	case depth > maxDepth:
		return errTooDeep
	case b.values > maxValues:
		return errTooMany
	}
	return nil
}
