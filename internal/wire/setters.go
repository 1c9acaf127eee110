package wire

import (
	"encoding"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/internal/messages"
)

// String assigns a text as it was sent: a number, true and false of JSON are their text as it is
// written. A list or an object is "", as blank as null: {"name":{}} is a missing name. It is wrong
// where it would remove a text: one that is stored, or that dst has already. A text that PostgreSQL
// cannot store is wrong, too.
func (in *Input) String(name string, dst *string) {
	in.read(name, Schema{Type: "string", Text: true})
	if s, ok := in.text(name, *dst != ""); ok {
		*dst = s
	}
}

// StringPtr assigns a text as String does; blank is nil.
func (in *Input) StringPtr(name string, dst **string) {
	in.read(name, Schema{Type: "string", Null: true, Text: true})
	s, ok := in.text(name, *dst != nil)
	switch {
	case !ok:
	case strings.TrimSpace(s) == "":
		*dst = nil
	default:
		*dst = &s
	}
}

// text returns the text to assign, which replaces another one or not; ok is false without a text.
func (in *Input) text(name string, replaces bool) (s string, ok bool) {
	n := in.member(name)
	switch {
	case n == nil:
		return "", false
	case n.structured():
		if replaces || in.Changes {
			in.wrong(name, messages.StructureForText)
			return "", false
		}
		return "", true
	case !storable(n.text):
		in.wrong(name, messages.NotText)
		return "", false
	}
	return n.text, true
}

// storable reports whether PostgreSQL can store a text.
func storable(s string) bool { return !strings.ContainsRune(s, 0) && utf8.ValidString(s) }

// scalar returns the text that was sent, "" for values that clear.
func (in *Input) scalar(name string) (s string, ok bool) {
	n := in.member(name)
	if n == nil {
		return "", false
	}
	return n.scalar(), true
}

// Int assigns an integer: a number or a text such as 12, 12.0 or 1.2e1. Blank and null are
// 0.
func (in *Input) Int(name string, dst *int64) {
	in.read(name, Schema{Type: "integer", Format: "int64"})
	p := dst
	in.IntPtr(name, &p)
	*dst = orZero(p)
}

// IntPtr assigns an integer as Int does; blank and null are nil.
func (in *Input) IntPtr(name string, dst **int64) {
	in.read(name, Schema{Type: "integer", Format: "int64", Null: true})
	s, ok := in.scalar(name)
	if !ok {
		return
	}
	if s == "" {
		*dst = nil
		return
	}
	v, problem := integer(s)
	if problem != nil {
		in.wrong(name, problem)
		return
	}
	*dst = &v
}

// Bool assigns true or false, also as the number or text 1 or 0 and as the text
// true or false. Blank and null are false.
func (in *Input) Bool(name string, dst *bool) { in.BoolOr(name, dst, false) }

// BoolOr assigns as Bool does, but blank and null are the value unset.
func (in *Input) BoolOr(name string, dst *bool, unset bool) {
	in.read(name, Schema{Type: "boolean", Null: true})
	s, ok := in.scalar(name)
	switch {
	case !ok:
	case s == "":
		*dst = unset
	case s == "true", s == "1":
		*dst = true
	case s == "false", s == "0":
		*dst = false
	default:
		in.wrong(name, messages.NotBoolean)
	}
}

// Layouts of a time after RFC 3339: without seconds or offset, and a bare day.
var layouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// Time assigns a time in RFC 3339. It may have a blank instead of the T, and lack the
// seconds, the offset (it is then in Zone) or the whole time of day. Blank and null are
// nil.
func (in *Input) Time(name string, dst **time.Time) {
	in.read(name, Schema{Type: "string", Null: true})
	s, ok := in.scalar(name)
	if !ok {
		return
	}
	if s == "" {
		*dst = nil
		return
	}
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	s = strings.Replace(s, " ", "T", 1)
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, s, zone)
		first, last := min(t.UTC().Year(), t.In(zone).Year()), max(t.UTC().Year(), t.In(zone).Year())
		if err == nil && first >= 1 && last <= 9999 { // as it is stored, and as it is written
			t = t.UTC().Truncate(time.Microsecond) // PostgreSQL refuses offsets of 16 hours, and would round up
			*dst = &t
			return
		}
	}
	in.wrong(name, messages.NotDate)
}

// IDs assigns a list of integers: a list of values that Int reads, or one text of them separated by
// commas. It drops blanks and repetitions; an empty list is nil. Each element that is no integer is
// wrong.
func (in *Input) IDs(name string, dst *[]int64) {
	in.read(name, Schema{Type: "array", Null: true, Items: &Schema{Type: "string", Numeric: true}})
	elements, ok := in.elements(name)
	if !ok {
		return
	}
	var ids []int64
	known := map[int64]bool{}
	for _, e := range elements {
		id, problem := integer(e.text)
		if problem != nil {
			in.wrongAt(name, e.pointer, problem)
			ok = false
			continue
		}
		if !known[id] {
			known[id] = true
			ids = append(ids, id)
		}
	}
	if ok {
		*dst = ids
	}
}

// Strings assigns a list of texts, or one text of them separated by commas. It drops outer blanks,
// blank texts and repetitions; an empty list is nil. A list of nothing but blanks is wrong. So is
// an element that is a list or an object, or that PostgreSQL cannot store.
func (in *Input) Strings(name string, dst *[]string) {
	in.read(name, Schema{Type: "array", Null: true, Items: &Schema{Type: "string", Text: true}})
	elements, ok := in.elements(name)
	if !ok {
		return
	}
	var all []string
	known := map[string]bool{}
	for _, e := range elements {
		switch {
		case e.structured:
			in.wrongAt(name, e.pointer, messages.StructureForText)
			ok = false
		case !storable(e.text):
			in.wrongAt(name, e.pointer, messages.NotText)
			ok = false
		case !known[e.text]:
			known[e.text] = true
			all = append(all, e.text)
		}
	}
	if items, isList := in.node.members[name].list(); isList && len(items) > 0 && len(elements) == 0 {
		in.wrong(name, messages.Blank)
		ok = false
	}
	if ok {
		*dst = all
	}
}

// listElement is an element of a list that was sent, and its place in the body.
type listElement struct {
	text       string
	structured bool // it is a list or an object, and has no text
	pointer    string
}

// elements returns the elements of a list, or of one text of them separated by commas, without
// blanks. A list that was sent in several members of one name is wrong: only the last is left.
func (in *Input) elements(name string) (elements []listElement, ok bool) {
	n := in.member(name)
	if n == nil {
		return nil, false
	}
	if n.twice {
		in.wrong(name, messages.ListTwice.With(name, name))
		return nil, false
	}
	pointer := in.pointer + pointerTo(name)
	items, isList := n.list()
	if !isList && n.structured() {
		return []listElement{{n.scalar(), true, pointer}}, true
	}
	for i, item := range items {
		elements = append(elements, listElement{item.scalar(), item.structured(), pointer + "/" + strconv.Itoa(i)})
	}
	if !isList {
		for text := range strings.SplitSeq(n.scalar(), ",") {
			elements = append(elements, listElement{strings.TrimSpace(text), false, pointer})
		}
	}
	return slices.DeleteFunc(elements, func(e listElement) bool { return e.text == "" }), true
}

// scalar is a pointer to a type that parses its own text, such as amounts and dates.
type scalar[T any] interface {
	*T
	encoding.TextUnmarshaler
}

// DecodeInto assigns the value that the type of dst parses from the text. For a JSON number that
// text is the literal. The parser's error is a messages.Fault. Blank and null are the zero value.
func DecodeInto[T any, P scalar[T]](in *Input, name string, dst *T) {
	if in.recorder != nil {
		in.read(name, Schema{Type: "string", Numeric: numeric(P(new(T)))})
	}
	p := dst
	DecodeIntoPtr[T, P](in, name, &p)
	*dst = orZero(p)
}

// DecodeIntoPtr assigns as DecodeInto does; blank and null are nil.
func DecodeIntoPtr[T any, P scalar[T]](in *Input, name string, dst **T) {
	if in.recorder != nil {
		in.read(name, Schema{Type: "string", Null: true, Numeric: numeric(P(new(T)))})
	}
	s, ok := in.scalar(name)
	if !ok {
		return
	}
	if s == "" {
		*dst = nil
		return
	}
	v := new(T)
	if err := P(v).UnmarshalText([]byte(s)); err != nil {
		in.wrong(name, messages.FaultOf(err))
		return
	}
	*dst = v
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// integer parses a decimal that is whole: 12, 12.0, 1.2e1. Anything else is
// a problem.
func integer(s string) (v int64, problem *messages.Fault) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point := whole+fraction, len(whole)
	if scientific {
		shift, err := strconv.Atoi(exponent)
		if err != nil || digits == "" || !isDigit(digits[len(digits)-1]) {
			return 0, messages.NotInteger
		}
		if shift > 19 {
			return 0, messages.NotInRange
		}
		point += max(shift, -len(digits)) // below that it is no integer, and the sum could overflow
	}
	if missing := point - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	if point < 1 || strings.Trim(digits[point:], "0") != "" {
		return 0, messages.NotInteger
	}
	v, err := strconv.ParseInt(digits[:point], 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, messages.NotInRange
	case err != nil:
		return 0, messages.NotInteger
	}
	return v, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
