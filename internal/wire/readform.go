package wire

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"bordero/internal/messages"
)

// Form returns the Input of form values, such as the texts of a multipart body.
// A bracket name like entity[name] is the member name of the object entity;
// entity[ids][] adds to a list; entity[items][0][name] is a list of objects.
// The error is a *SyntaxError.
func Form(values url.Values) (*Input, error) {
	f := newForm(bounds{most: maxValues})
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if err := f.add(name, value); err != nil {
				return nil, syntaxError(messages.Form, 1, 1, err.Error())
			}
		}
	}
	return newInput(f.root), nil
}

type form struct {
	root   *node
	bounds bounds
}

func newForm(limit bounds) form { return form{root: &node{kind: object}, bounds: limit} }

func readForm(body []byte, limit bounds) (*node, int, error) {
	f := newForm(limit)
	offset := 0
	for pair := range strings.SplitSeq(string(body), "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if nameErr != nil || valueErr != nil {
			return nil, offset, errPercent
		}
		if err := f.add(name, value); err != nil {
			return nil, offset, err
		}
		offset += len(pair) + 1
	}
	return f.root, 0, nil
}

// add stores a value under its name. Of contradictory values such as a=1 and a[b]=2, the
// last wins, except in lists.
func (f *form) add(name, value string) error {
	name, isItem := strings.CutSuffix(name, "[]")
	parent := f.root
	path := split(name)
	for depth, part := range path {
		if part == "" && len(path) > 1 {
			return errBrackets
		}
		if err := f.bounds.add(depth + 1); err != nil {
			return err
		}
		v := parent.members[part]
		switch {
		case depth < len(path)-1: // an inner part of the name
			if v == nil || v.kind != object {
				v = &node{kind: object}
				parent.setMarked(part, v)
			}
			parent = v
		case isItem:
			if v == nil || v.kind != list {
				v = &node{kind: list}
				parent.setMarked(part, v)
			}
			v.items = append(v.items, &node{kind: text, text: value})
		default:
			parent.setMarked(part, &node{kind: text, text: value})
		}
	}
	return nil
}

// split returns the parts of a bracket name: a, b and c of a[b][c]. A malformed one is a
// plain name.
func split(name string) []string {
	first, rest, ok := strings.Cut(name, "[")
	rest, closed := strings.CutSuffix(rest, "]")
	if !ok || !closed || first == "" {
		return []string{name}
	}
	return append([]string{first}, strings.Split(rest, "][")...)
}
