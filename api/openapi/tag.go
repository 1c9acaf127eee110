package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
)

// OfTag returns the part of a document in JSON that has the operations of one tag, and the components that they refer
// to, directly or through others. The tag is named by the slug of its chapter. A page that draws a part is usable many
// times sooner than one that draws the whole document.
func OfTag(document []byte, tag string) []byte {
	var part []property
	var reach json.RawMessage // what refers to components
	for _, p := range properties(document) {
		switch p.name {
		case "paths", "webhooks":
			p.value = joined(slices.DeleteFunc(properties(p.value), func(item property) bool {
				return slug(tagOf(item.value)) != tag
			}))
			reach = append(reach, p.value...)
		case "tags":
			p.value = onlyTag(p.value, tag)
		}
		part = append(part, p)
	}
	i := slices.IndexFunc(part, func(p property) bool { return p.name == "components" })
	part[i].value = reached(part[i].value, reach)
	return joined(part)
}

// tagOf returns the first tag of the first operation of a path.
func tagOf(item json.RawMessage) string {
	for _, p := range properties(item) {
		var operation struct{ Tags []string }
		if json.Unmarshal(p.value, &operation) == nil && len(operation.Tags) > 0 { // not the parameters
			return operation.Tags[0]
		}
	}
	return ""
}

// onlyTag returns the list of tags with one alone.
func onlyTag(list json.RawMessage, tag string) json.RawMessage {
	var tags, only []json.RawMessage
	mustDecode(list, &tags)
	for _, t := range tags {
		var named struct{ Name string }
		if mustDecode(t, &named); slug(named.Name) == tag {
			only = append(only, t)
		}
	}
	out, err := json.Marshal(only)
	if err != nil {
		panic(err)
	}
	return out
}

// reference matches a reference to a component: its kind and its name.
var reference = regexp.MustCompile(`"\$ref":\s*"#/components/(\w+)/([^"]+)"`)

// reached returns the components that a text refers to, directly or through other components, and the security schemes,
// which are named without a reference.
func reached(components, text json.RawMessage) json.RawMessage {
	kinds := properties(components)
	byName := map[[2]string]json.RawMessage{}
	for _, kind := range kinds {
		for _, c := range properties(kind.value) {
			byName[[2]string{kind.name, c.name}] = c.value
		}
	}
	found := map[[2]string]bool{}
	for queue := []json.RawMessage{text}; len(queue) > 0; queue = queue[1:] {
		for _, r := range reference.FindAllSubmatch(queue[0], -1) {
			name := [2]string{string(r[1]), string(r[2])}
			if !found[name] {
				found[name] = true
				queue = append(queue, byName[name])
			}
		}
	}
	for i, kind := range kinds {
		kinds[i].value = joined(slices.DeleteFunc(properties(kind.value), func(c property) bool {
			return kind.name != "securitySchemes" && !found[[2]string{kind.name, c.name}]
		}))
	}
	return joined(kinds)
}

// property is a member of an object in JSON. Readers show the members in their order, which a map would lose.
type property struct {
	name  string
	value json.RawMessage
}

func properties(o json.RawMessage) (all []property) {
	d := json.NewDecoder(bytes.NewReader(o))
	if _, err := d.Token(); err != nil {
		panic(err) // the documents are our own
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			panic(err)
		}
		p := property{name: name.(string)}
		if err := d.Decode(&p.value); err != nil {
			panic(err)
		}
		all = append(all, p)
	}
	return all
}

// joined writes an object. Without members it is {}.
func joined(all []property) json.RawMessage {
	b := []byte{'{'}
	for i, p := range all {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			panic(err)
		}
		b = append(append(append(b, name...), ':'), p.value...)
	}
	return append(b, '}')
}

func mustDecode(text json.RawMessage, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		panic(err) // the documents are our own
	}
}
