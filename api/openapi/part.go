package openapi

import (
	"iter"
	"strings"

	"github.com/goccy/go-yaml"
)

// part is a part of a document. A missing part is empty: it has no text, no members and no items.
type part struct {
	value any
	root  yaml.MapSlice
}

// ref returns the name of the component that the part refers to, or "".
func (p part) ref() string {
	m, _ := p.value.(yaml.MapSlice)
	path, _ := at(m, "$ref").(string)
	return path[strings.LastIndex(path, "/")+1:]
}

// at returns the part at a path of keys. References are followed.
func (p part) at(keys ...string) part {
	for _, key := range keys {
		m, _ := p.resolved().value.(yaml.MapSlice)
		p.value = at(m, key)
	}
	return p
}

func (p part) resolved() part {
	m, _ := p.value.(yaml.MapSlice)
	path, ok := at(m, "$ref").(string)
	if !ok {
		return p
	}
	return part{p.root, p.root}.at(strings.Split(strings.TrimPrefix(path, "#/"), "/")...)
}

func (p part) missing() bool { return p.value == nil }

func (p part) text() string {
	text, _ := p.value.(string)
	return strings.TrimSpace(text)
}

// members iterates over the members of an object, in their order.
func (p part) members() iter.Seq2[string, part] {
	m, _ := p.resolved().value.(yaml.MapSlice)
	return func(yield func(string, part) bool) {
		for _, item := range m {
			if !yield(item.Key.(string), part{item.Value, p.root}) {
				return
			}
		}
	}
}

// items returns the elements of a list.
func (p part) items() (list []part) {
	all, _ := p.value.([]any)
	for _, value := range all {
		list = append(list, part{value, p.root})
	}
	return list
}
