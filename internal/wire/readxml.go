package wire

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
)

type xmlReader struct {
	*xml.Decoder
	bounds bounds
	begun  bool // no XML declaration may follow
}

func readXML(body []byte, limit bounds) (*node, int, error) {
	r := xmlReader{Decoder: xml.NewDecoder(bytes.NewReader(body)), bounds: limit}
	r.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "us-ascii") || strings.EqualFold(charset, "utf8") { // as some write UTF-8
			return input, nil
		}
		return nil, errNotUTF8
	}
	n, err := r.document()
	return n, int(r.InputOffset()), err
}

// document reads the root element. It is the one member of the document or, if it is named
// hash, the document itself.
func (r *xmlReader) document() (root *node, err error) {
	for {
		t, err := r.next()
		if err == io.EOF && root != nil {
			return root, nil
		}
		if err == io.EOF {
			return nil, errNoRoot
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return nil, errOutside
			}
		case xml.StartElement:
			if root != nil {
				return nil, errTrailing
			}
			n, err := r.element(t, 1)
			if err != nil {
				return nil, err
			}
			root = n
			if name := snake(t.Name); name != "hash" {
				root = &node{kind: object, members: map[string]*node{name: n}}
			}
		}
	}
}

func (r *xmlReader) element(start xml.StartElement, depth int) (*node, error) {
	if err := r.bounds.add(depth); err != nil {
		return nil, err
	}
	n := &node{kind: element}
	var content []byte
	for {
		t, err := r.next()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.CharData:
			content = append(content, t...)
		case xml.StartElement:
			child, err := r.element(t, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, child)
			n.setMarked(snake(t.Name), child)
		case xml.EndElement:
			n.close(string(content), start.Attr)
			return n, nil
		}
	}
}

// close sets the kind and content of an element at its end tag.
func (n *node) close(content string, attributes []xml.Attr) {
	if len(n.items) == 0 {
		n.text = content
		if strings.TrimSpace(content) != "" {
			n.kind = text
		}
	}
	for _, a := range attributes {
		switch {
		case a.Name.Local == "nil" && (a.Value == "true" || a.Value == "1"):
			*n = node{}
		case a.Name.Local == "type" && a.Value == "array" && n.kind == element:
			n.kind = list
		}
	}
}

// next returns the next start tag, end tag or text. It refuses constructs that our documents never
// need and an attacker may use.
func (r *xmlReader) next() (xml.Token, error) {
	for {
		t, err := r.Token()
		if err != nil {
			return nil, err
		}
		begun := r.begun
		r.begun = true
		switch t := t.(type) {
		case xml.Directive:
			return nil, errDirective
		case xml.ProcInst:
			if t.Target != "xml" || begun {
				return nil, errProcInst
			}
		case xml.Comment:
		default:
			return t, nil
		}
	}
}

// snake returns the name as in JSON. Prefixes of namespaces are left out, but the parameter classifier:ID has none.
func snake(name xml.Name) string {
	const notPrefix = "classifier"
	if name.Space == notPrefix {
		return notPrefix + ":" + name.Local
	}
	return strings.ReplaceAll(name.Local, "-", "_")
}
