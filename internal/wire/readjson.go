package wire

import (
	"bytes"
	"encoding/json"
	"io"
)

type jsonReader struct {
	*json.Decoder
	bounds bounds
}

func readJSON(body []byte, limit bounds) (*node, int, error) {
	r := jsonReader{json.NewDecoder(bytes.NewReader(body)), limit}
	r.UseNumber()
	n, err := r.value(1)
	if err == nil {
		if _, end := r.Token(); end != io.EOF {
			err = errTrailing
		}
	}
	if err == nil {
		return n, 0, nil
	}
	// The decoder is behind the last token that it could read.
	offset := int(r.InputOffset())
	rest := bytes.TrimLeft(body[offset:], " \t\r\n,:")
	return nil, len(body) - len(rest), err
}

func (r *jsonReader) value(depth int) (*node, error) {
	t, err := r.Token()
	if err != nil {
		return nil, err
	}
	if err := r.bounds.add(depth); err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case string:
		return &node{kind: text, text: t}, nil
	case json.Number:
		return &node{kind: literal, text: t.String()}, nil
	case bool:
		if t {
			return &node{kind: literal, text: "true"}, nil
		}
		return &node{kind: literal, text: "false"}, nil
	case json.Delim:
		if t == '[' {
			return r.list(depth)
		}
		return r.object(depth)
	}
	return &node{}, nil
}

func (r *jsonReader) list(depth int) (*node, error) {
	n := &node{kind: list}
	for r.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, v)
	}
	_, err := r.Token() // the closing bracket
	return n, err
}

func (r *jsonReader) object(depth int) (*node, error) {
	n := &node{kind: object}
	for r.More() {
		t, err := r.Token()
		if err != nil {
			return nil, err
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.set(t.(string), v) // Token allows no other name
	}
	_, err := r.Token() // the closing brace
	return n, err
}
