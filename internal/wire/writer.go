package wire

import (
	"sync"
	"time"
)

// Writer writes one document into one buffer. The same calls give JSON and XML. Names are
// constants in snake_case, trusted and never empty, but for those in the value of JSON. XML writes them in
// kebab-case, except for a leading underscore.
type Writer struct {
	buf    []byte
	format Format
	zone   *time.Location
	item   string // while an array is open: the XML name of its elements
	raw    bool   // in the value of JSON, names may be anything
	shared struct {
		by       any // nil: nothing is
		from, to int // in buf
	}

	allows  func(more int) bool // the argument of Limit; nil without a limit
	counted int                 // bytes that it was told of
	cut     bool                // elements were left out

	recorder *recorder // nil but for Recorded
	sheet    *Sheet    // nil but for the Writer of a Sheet
}

const xmlHeader = `<?xml version="1.0" encoding="UTF-8"?>`

// A buffer that a large list has grown beyond this is not reused for small answers.
const largestPooled = 4 << 20

var writers = sync.Pool{New: func() any { return &Writer{buf: make([]byte, 0, 4<<10)} }}

// NewWriter returns a writer of one document, with times in zone; nil is UTC. Free releases
// it.
func NewWriter(f Format, zone *time.Location) *Writer {
	if zone == nil {
		zone = time.UTC
	}
	w := writers.Get().(*Writer)
	w.buf, w.format, w.zone, w.item, w.shared.by = w.buf[:0], f, zone, "", nil
	w.allows, w.counted, w.cut = nil, 0, false
	if f == XML {
		w.buf = append(w.buf, xmlHeader...)
	}
	return w
}

// Free releases the writer's memory for reuse. Neither w nor the result of Bytes may be
// used afterwards. A writer that is not freed is not a leak.
func (w *Writer) Free() {
	if cap(w.buf) <= largestPooled {
		writers.Put(w)
	}
}

// Bytes returns the document. It is valid until Free.
func (w *Writer) Bytes() []byte { return w.buf }

// Limit bounds the memory of a document. Before each element of an array it calls allows with the number of
// bytes that were written since the last call. Once that returns false no further element is written, and Cut
// reports that the document is not whole.
func (w *Writer) Limit(allows func(more int) bool) { w.allows = allows }

// fits reports whether one more element may be written.
func (w *Writer) fits() bool {
	if w.allows == nil || w.cut {
		return !w.cut
	}
	w.cut = !w.allows(len(w.buf) - w.counted)
	w.counted = len(w.buf)
	return !w.cut
}

// Cut reports whether elements were left out, so that the document may not be sent.
func (w *Writer) Cut() bool { return w.cut }

// Format returns the format of the document.
func (w *Writer) Format() Format { return w.format }

// XML reports whether the format is XML, for the few fields that differ.
func (w *Writer) XML() bool { return w.format == XML }

// Object writes an object with the members that fields writes. It is the member name or, as
// the first call, the document under the root key name (in XML, the root element).
func (w *Writer) Object(name string, fields func()) {
	if len(w.buf) == 0 {
		w.members(func() { w.Object(name, fields) })
		return
	}
	end := w.start(name, objectType)
	w.members(fields)
	w.end(end)
}

// ObjectIf writes the member name: an object, or null unless there. A recording Writer sees both.
func (w *Writer) ObjectIf(there bool, name string, fields func()) {
	if !there && w.recorder == nil {
		w.null(name, objectType)
		return
	}
	w.Object(name, fields)
	if w.recorder != nil {
		w.recorder.top().member(name).Null = true
	}
}

// Document writes a document without a root key. XML needs a root element, which is called
// hash.
func (w *Writer) Document(fields func()) { w.document("hash", fields) }

func (w *Writer) document(root string, fields func()) {
	if w.format == XML {
		w.Object(root, fields)
		return
	}
	w.members(fields)
}

// Array writes a list of n elements. element writes the i-th by one call of any other method, which
// ignores the name it gets: JSON elements have no name, and XML elements are named item.
func (w *Writer) Array(name, item string, n int, element func(i int)) {
	end := w.start(name, arrayType)
	w.elements(item, n, element)
	w.end(end)
}

// Objects writes a list of n objects without root keys; fields writes the
// members of the i-th.
func (w *Writer) Objects(name, item string, n int, fields func(i int)) {
	w.Array(name, item, n, func(i int) {
		w.Object(item, func() { fields(i) })
	})
}

// List writes a list of n objects, in JSON each under the key root. It is the member plural
// or, as the first call, the document.
func (w *Writer) List(root, plural string, n int, fields func(i int)) {
	if w.format == XML {
		w.Objects(plural, root, n, fields)
		return
	}
	record := func(i int) {
		w.comma()
		w.members(func() {
			w.Object(root, func() { fields(i) })
		})
	}
	if len(w.buf) == 0 {
		w.elements(root, n, record)
		return
	}
	w.Array(plural, root, n, record)
}

// Shared writes the members that write writes. A call with the key of the call before it repeats
// their text: many records refer to the same ones.
func (w *Writer) Shared(key any, write func()) {
	last := &w.shared
	switch {
	case w.recorder != nil, w.format == cells:
		write()
	case last.by == key:
		if w.format == JSON {
			w.comma()
		}
		w.buf = append(w.buf, w.buf[last.from:last.to]...)
	default:
		from := len(w.buf)
		write()
		if from < len(w.buf) && w.buf[from] == ',' {
			from++
		}
		last.by, last.from, last.to = key, from, len(w.buf)
	}
}

// members writes the braces of JSON around fields.
func (w *Writer) members(fields func()) {
	item := w.item
	w.item = ""
	w.json('{')
	fields()
	w.json('}')
	w.item = item
}

// elements writes the brackets of JSON around n elements.
func (w *Writer) elements(item string, n int, element func(i int)) {
	outer := w.item
	w.item = item
	w.json('[')
	for i := range n {
		if !w.fits() {
			break
		}
		element(i)
	}
	w.json(']')
	w.item = outer
}

// start writes the prefix of a value: comma and key in JSON, the start tag in XML. It returns the
// suffix, which end writes after the value.
func (w *Writer) start(name string, t valueType) (end string) {
	if w.recorder != nil {
		w.recorder.value(name, t.schema())
	}
	if w.sheet != nil && w.sheet.open(name, t) {
		return ""
	}
	if w.format == XML {
		tag := w.tag(name, t)
		w.buf = append(w.buf, tag.start...)
		return tag.end
	}
	w.comma()
	if w.item == "" {
		b := append(w.buf, '"')
		b = append(b, name...)
		w.buf = append(b, '"', ':')
	}
	return ""
}

// end writes the suffix that start returned.
func (w *Writer) end(tag string) {
	if w.recorder != nil {
		w.recorder.end()
	}
	if w.sheet != nil {
		w.sheet.close()
	}
	if w.format == XML {
		w.buf = append(w.buf, tag...)
	}
}

// null writes a member, or element, that has no value.
func (w *Writer) null(name string, t valueType) {
	if w.recorder != nil {
		s := t.schema()
		s.Null = true
		w.recorder.value(name, s)
		w.recorder.end()
		return
	}
	if w.format == XML {
		w.buf = append(w.buf, w.tag(name, t).null...)
		return
	}
	if w.format == cells {
		w.sheet.skip(name)
		return
	}
	end := w.start(name, t)
	w.buf = append(w.buf, "null"...)
	w.end(end)
}

func (w *Writer) tag(name string, t valueType) *tag {
	if w.item != "" {
		name = w.item
	}
	if w.raw {
		return newTag(elementName(name), t, nil)
	}
	return tagOf(name, t)
}

// comma separates a JSON value from the one before it.
func (w *Writer) comma() {
	if last := w.buf[len(w.buf)-1]; last != '{' && last != '[' {
		w.buf = append(w.buf, ',')
	}
}

// json writes a byte if the format is JSON.
func (w *Writer) json(c byte) {
	if w.format == JSON {
		w.buf = append(w.buf, c)
	}
}
