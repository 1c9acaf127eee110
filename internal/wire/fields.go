package wire

import (
	"encoding"
	"iter"
	"strconv"
	"time"
)

// Int writes an integer.
func (w *Writer) Int(name string, v int64) {
	end := w.start(name, integerType)
	w.buf = strconv.AppendInt(w.buf, v, 10)
	w.end(end)
}

// IntPtr writes an integer; nil is null.
func (w *Writer) IntPtr(name string, v *int64) {
	if v == nil {
		w.null(name, integerType)
		return
	}
	w.Int(name, *v)
}

// IntArray writes a list of integers.
func (w *Writer) IntArray(name, item string, ids []int64) {
	w.Array(name, item, len(ids), func(i int) { w.Int(item, ids[i]) })
}

// NullArray writes null instead of a list.
func (w *Writer) NullArray(name string) { w.null(name, arrayType) }

// String writes a text. Any text gives a valid document: characters that the format cannot
// represent become U+FFFD.
func (w *Writer) String(name, v string) {
	end := w.start(name, stringType)
	w.json('"')
	w.text(v)
	w.json('"')
	w.end(end)
}

// StringPtr writes a text; nil is null.
func (w *Writer) StringPtr(name string, v *string) {
	if v == nil {
		w.null(name, stringType)
		return
	}
	w.String(name, *v)
}

// StringArray writes a list of texts; nil is null.
func (w *Writer) StringArray(name, item string, texts []string) {
	if texts == nil {
		w.null(name, arrayType)
		return
	}
	w.Array(name, item, len(texts), func(i int) { w.String(item, texts[i]) })
}

// Bool writes a boolean.
func (w *Writer) Bool(name string, v bool) {
	end := w.start(name, booleanType)
	w.buf = strconv.AppendBool(w.buf, v)
	w.end(end)
}

// Null writes null; in XML without a type, as for a text.
func (w *Writer) Null(name string) { w.null(name, stringType) }

// Time writes a time in the writer's zone as ISO 8601 in whole seconds, with a numeric
// offset, or with Z if the zone is UTC.
func (w *Writer) Time(name string, t time.Time) {
	end := w.start(name, datetimeType)
	w.json('"')
	w.buf = t.In(w.zone).AppendFormat(w.buf, time.RFC3339)
	if n := len(w.buf) - 1; w.buf[n] == 'Z' && w.zone != time.UTC {
		w.buf = append(w.buf[:n], "+00:00"...)
	}
	w.json('"')
	w.end(end)
}

// TimePtr writes a time as Time does; nil is null.
func (w *Writer) TimePtr(name string, t *time.Time) {
	if t == nil {
		w.null(name, datetimeType)
		return
	}
	w.Time(name, *t)
}

// The values below have any type that appends its own text, which is written unescaped. A
// type that fails to is our own fault and panics. They are functions because a method
// cannot have a type parameter, and an interface argument would cost an allocation per
// field.

// Decimal writes a decimal; in JSON as a string.
func Decimal[T encoding.TextAppender](w *Writer, name string, v T) {
	end := w.start(name, decimalType)
	w.json('"')
	w.append(v.AppendText(w.buf))
	w.json('"')
	w.end(end)
}

// DecimalPtr writes a decimal as Decimal does; nil is null.
func DecimalPtr[T encoding.TextAppender](w *Writer, name string, v *T) {
	if v == nil {
		w.null(name, decimalType)
		return
	}
	Decimal(w, name, *v)
}

// Number writes a decimal; in JSON as a number.
func Number[T encoding.TextAppender](w *Writer, name string, v T) {
	end := w.start(name, numberType)
	w.append(v.AppendText(w.buf))
	w.end(end)
}

// Date writes a day.
func Date[T encoding.TextAppender](w *Writer, name string, v T) {
	end := w.start(name, dateType)
	w.json('"')
	w.append(v.AppendText(w.buf))
	w.json('"')
	w.end(end)
}

// DatePtr writes a day; nil is null.
func DatePtr[T encoding.TextAppender](w *Writer, name string, v *T) {
	if v == nil {
		w.null(name, dateType)
		return
	}
	Date(w, name, *v)
}

// Error writes the document of an error other than a 422. more, if given, writes members
// beside the message.
func (w *Writer) Error(message string, more ...func()) {
	w.document("errors", func() {
		w.String("error", message)
		for _, fields := range more {
			fields()
		}
	})
}

// Errors writes the document of a 422: the messages of each attribute, with the attributes
// in the order of their first message. messages yields attribute and text.
func (w *Writer) Errors(messages iter.Seq2[string, string]) {
	w.document("errors", func() {
		if w.format == XML {
			for attribute, text := range messages {
				w.String("error", attribute+" "+text)
			}
			return
		}
		var attributes []string
		texts := map[string][]string{}
		for attribute, text := range messages {
			if texts[attribute] == nil {
				attributes = append(attributes, attribute)
			}
			texts[attribute] = append(texts[attribute], text)
		}
		for _, attribute := range attributes {
			// The attribute may be a name that the client sent, so it is escaped.
			w.comma()
			w.json('"')
			w.text(attribute)
			w.buf = append(w.buf, `":`...)
			w.elements("error", len(texts[attribute]), func(i int) { w.String("error", texts[attribute][i]) })
		}
	})
}

// append stores the results of AppendText.
func (w *Writer) append(b []byte, err error) {
	if err != nil {
		panic(err)
	}
	w.buf = b
}
