package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
	"unsafe"

	"bordero/internal/messages"
)

// SyntaxError is the error of Read for a malformed body (400).
type SyntaxError struct {
	Line, Column int // of the body, from 1; the column counts characters
	*messages.Fault
}

func (e *SyntaxError) Unwrap() error { return e.Fault }

func syntaxError(what string, line, column int, reason string) *SyntaxError {
	fault := messages.Malformed.With(what, line, column)
	if reason != "" {
		fault = messages.MalformedWhy.With(what, line, column, reason)
	}
	return &SyntaxError{line, column, fault}
}

// Read decodes a request body by its content type: JSON, XML or a URL-encoded form. A blank
// body is an Input without members, whatever its content type. The error is a *SyntaxError
// or messages.BodyOfType (415). The caller must limit the size.
func Read(contentType string, body []byte) (*Input, error) { return ReadBatch(contentType, body, 1) }

// ReadBatch is Read for a body that may have as many values as that many documents.
func ReadBatch(contentType string, body []byte, documents int) (*Input, error) {
	limit := bounds{most: documents * maxValues}
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if len(bytes.TrimSpace(body)) == 0 {
		return newInput(&node{}), nil
	}
	switch language := languageOf(contentType); language {
	case inJSON:
		return decode(language, body, limit, readJSON)
	case inXML:
		return decode(language, body, limit, readXML)
	case messages.Form:
		return decode(language, body, limit, readForm)
	}
	return nil, messages.BodyOfType
}

// The languages of bodies beside messages.Form, as messages name them.
const inJSON, inXML = "JSON", "XML"

// languageOf returns the language of a content type; "" for one that we do not read.
func languageOf(contentType string) string {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch {
	case mediaType == "application/json", mediaType == "text/json", strings.HasSuffix(mediaType, "+json"):
		return inJSON
	case mediaType == "application/xml", mediaType == "text/xml", strings.HasSuffix(mediaType, "+xml"):
		return inXML
	case mediaType == "application/x-www-form-urlencoded":
		return messages.Form
	}
	return ""
}

// decode runs one of the decoders, which return the offset where they stopped.
func decode(what string, body []byte, limit bounds, read func([]byte, bounds) (*node, int, error)) (*Input, error) {
	n, offset, err := (*node)(nil), validPrefix(body), error(errNotUTF8)
	if offset == len(body) {
		n, offset, err = read(body, limit)
	}
	if err == nil {
		return newInput(n), nil
	}
	return nil, syntaxError(what, 1+bytes.Count(body[:offset], []byte("\n")),
		1+utf8.RuneCount(body[bytes.LastIndexByte(body[:offset], '\n')+1:offset]), reasonOf(err))
}

// reasonOf returns why a body could not be read, for the user; "" if only a decoder's English
// text is known.
func reasonOf(err error) string {
	if reason := refusal(""); errors.As(err, &reason) {
		return string(reason)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "unexpected EOF") {
		return messages.EndedEarly
	}
	for _, e := range expectations {
		if strings.Contains(err.Error(), e.part) {
			return e.reason
		}
	}
	return ""
}

// expectations are parts of the errors of encoding/json and encoding/xml, with the reason that the
// user reads instead; the first that fits counts.
var expectations = []struct{ part, reason string }{
	{"looking for beginning of object key string", messages.NameExpected},
	{"looking for beginning of value", messages.ValueExpected},
	{"after object key:value pair", messages.CommaOrBraceExpected},
	{"after object key", messages.ColonExpected},
	{"after array element", messages.CommaOrBracketExpected},
	{"in string", messages.BadString},
	{"hexadecimal character escape", messages.BadString},
	{"numeric literal", messages.BadNumber},
	{"in literal", messages.ValueExpected},
	{"invalid character entity", messages.AmpersandBare},
	{"invalid character", messages.NameExpected}, // after {, which encoding/json does not say
	{"closed by", messages.ElementsCrossed},
	{"element name after <", messages.AngleBare},
	{"attribute value", messages.AttributeUnquoted},
	{"attribute name without =", messages.AttributeUnquoted},
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
type bounds struct{ values, most int }

func (b *bounds) add(depth int) error {
	b.values++
	switch {
	case depth > maxDepth:
		return errTooDeep
	case b.values > b.most:
		return errTooMany
	}
	return nil
}

const (
	// nodeSize is the memory of one value, in bytes: the value and the pointer to it.
	nodeSize = int64(unsafe.Sizeof(node{}) + unsafe.Sizeof(&node{}))
	// objectSize is that of an object of few members, with its map.
	objectSize = nodeSize + 256
)

// Weight returns an estimate of the memory, in bytes, of the Input that ReadBatch makes of a body. The marks that
// separate values are counted wherever they are, so it is rarely too low.
func Weight(contentType string, body []byte) int64 {
	count := func(mark string) int64 { return int64(bytes.Count(body, []byte(mark))) }
	weight := int64(len(body)) + nodeSize
	switch languageOf(contentType) {
	case inJSON:
		weight += (count(",")+count("["))*nodeSize + count("{")*objectSize
	case inXML:
		weight += (count("<") + count("=")) * nodeSize // attributes are values until their element has ended
	case messages.Form:
		weight += count("&")*nodeSize + objectsOf(body)*objectSize
	}
	return weight
}

// objectsOf returns how many objects the names of a form make, if the names of each object follow each other.
func objectsOf(form []byte) (objects int64) {
	var before []byte
	for pair := range bytes.SplitSeq(form, []byte("&")) {
		same := 0
		for same < min(len(pair), len(before)) && pair[same] == before[same] {
			same++
		}
		for _, bracket := range []string{"[", "%5B", "%5b"} {
			objects += int64(bytes.Count(pair[same:], []byte(bracket)))
		}
		before = pair
	}
	return objects
}
