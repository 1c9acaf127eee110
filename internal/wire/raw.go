package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// JSON writes a value that is encoded as JSON: as it is or, in XML, as the Writer's other methods
// would write it, with elements of an array named item. It must be valid, or nil for null. Its names may come
// from a client: in XML, an underscore replaces each character that a name cannot have.
func (w *Writer) JSON(name string, value json.RawMessage) {
	value = bytes.TrimSpace(value)
	switch {
	case w.recorder != nil:
		w.recorder.value(name, &Schema{Type: "object", Null: value == nil})
		w.recorder.end()
	case len(value) == 0, string(value) == "null":
		w.Null(name)
	case w.format == JSON, w.format == cells && (value[0] == '{' || value[0] == '['):
		end := w.start(name, objectType)
		w.buf = append(w.buf, value...)
		w.end(end)
	default:
		w.tree(name, value)
	}
}

// tree writes a stored value in XML, or a scalar of a sheet.
func (w *Writer) tree(name string, value json.RawMessage) {
	switch value[0] {
	case '{':
		members := json.NewDecoder(bytes.NewReader(value))
		_, _ = members.Token()
		w.Object(name, func() {
			for members.More() {
				key, _ := members.Token()
				var v json.RawMessage
				_ = members.Decode(&v)
				outer := w.raw
				w.raw = true
				w.JSON(key.(string), v)
				w.raw = outer
			}
		})
	case '[':
		var all []json.RawMessage
		_ = json.Unmarshal(value, &all)
		w.Array(name, "item", len(all), func(i int) { w.JSON("item", all[i]) })
	case '"':
		var s string
		_ = json.Unmarshal(value, &s)
		w.String(name, s)
	case 't', 'f':
		w.Bool(name, value[0] == 't')
	default:
		t := integerType
		if strings.ContainsAny(string(value), ".eE") {
			t = numberType
		}
		end := w.start(name, t)
		w.buf = append(w.buf, value...)
		w.end(end)
	}
}

// elementName returns an XML name for any text: "e mail" is e_mail, "1st" is _1st, "" is _.
func elementName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			return '_'
		}
		return r
	}, text)
	if name == "" || !unicode.IsLetter(rune(name[0])) && name[0] != '_' {
		return "_" + name
	}
	return name
}
