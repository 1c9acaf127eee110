package statement

import (
	"io"

	"bordero/internal/messages"
)

// jsonFile reads a file of JSON: one array of items, pages of them ({"results": […]} or {"data": […]}), or items one
// behind the other, as in JSON lines. The members of an item tell its dialect.
type jsonFile struct {
	*pass
	jsonText
	place jsonPlace
	first bool // no item has begun in the array

	line0  int // where the item begins
	fields [jsonFields]jsonValue
	owner  string // the account's id in the items so far
	desc   []byte
}

type jsonPlace int

const (
	betweenValues jsonPlace = iota
	inArray
	inArrayOfPage
	inPage
)

// jsonValue is the value of a member. The zero value is that of a missing member, or of null.
type jsonValue struct {
	kind byte   // its first character: '"', '{', '[', 't', 'f', '0' of a number, 'n'; 0 if it is missing
	text []byte // of a string or a number
	more bool   // the string is longer than text
	line int
}

func newJSON(text io.Reader, p *pass) *jsonFile {
	return &jsonFile{pass: p, jsonText: newJSONText(text)}
}

// next returns the next item, without texts in the survey; its errors are those of Reader.Next.
func (j *jsonFile) next() (Item, error) {
	for {
		switch j.place {
		case betweenValues:
			c, err := j.peek()
			if err != nil {
				return Item{}, err
			}
			switch c {
			case '[':
				j.pos++
				j.place, j.first, j.says = inArray, true, true
			case '{':
				item, ended, err := j.object(true)
				if ended || err != nil {
					return item, err
				}
			default:
				return Item{}, j.unexpected("{, [")
			}
		case inPage:
			if ended, err := j.members(nil, true, false, 1); err != nil {
				return Item{}, err
			} else if ended {
				j.place = betweenValues
			}
		default:
			more, err := j.more(j.first, ']')
			if err != nil {
				return Item{}, err
			}
			if !more {
				j.place = map[jsonPlace]jsonPlace{inArray: betweenValues, inArrayOfPage: inPage}[j.place]
				continue
			}
			j.first = false
			if c, err := j.peek(); err != nil {
				return Item{}, j.ended(err, "]")
			} else if c != '{' {
				return Item{}, j.unexpected("{")
			}
			item, _, err := j.object(false)
			return item, err
		}
	}
}

// object reads an object that is an item, or a page if it is no element of an array: then it stops inside the array
// of the page, and ended is false.
func (j *jsonFile) object(top bool) (item Item, ended bool, err error) {
	for i := range j.fields {
		j.fields[i] = jsonValue{text: j.fields[i].text[:0]}
	}
	j.line0 = j.jsonText.line
	j.pos++
	if ended, err = j.members(itemMembers, top, true, 1); err != nil || !ended {
		return Item{}, false, err
	}
	j.says = true
	item, err = j.finish()
	j.items++
	return item, true, err
}

// members reads the members of an object up to its end, or up to the array of a page.
func (j *jsonFile) members(known jsonMembers, top, first bool, depth int) (ended bool, err error) {
	for ; ; first = false {
		more, err := j.more(first, '}')
		if err != nil || !more {
			return err == nil, err
		}
		name, err := j.name()
		if err != nil {
			return false, err
		}
		m := known[string(name)]
		if isPage := top && (string(name) == "results" || string(name) == "data"); isPage {
			if c, err := j.peek(); err == nil && c == '[' {
				j.pos++
				j.place, j.first, j.says = inArrayOfPage, true, true
				return false, nil
			}
		}
		if m == nil {
			err = j.skip(depth)
		} else {
			err = j.value(m, depth)
		}
		if err != nil {
			return false, err
		}
	}
}

// value reads the value of a member of an item.
func (j *jsonFile) value(m *jsonMember, depth int) error {
	c, err := j.peek()
	if err != nil {
		return j.ended(err, "}")
	}
	if m.members != nil && c == '{' {
		if m.field != noField {
			j.fields[m.field].kind = c
		}
		j.pos++
		_, err := j.members(m.members, false, true, depth+1)
		return err
	}
	if m.field == noField {
		return j.skip(depth)
	}
	v := &j.fields[m.field]
	if v.kind != 0 {
		return j.fault(messages.JSONTwicef, m.field)
	}
	v.kind, v.line = c, j.jsonText.line
	switch {
	case c == '"':
		v.text, v.more, err = j.text(v.text, maxValue)
		return err
	case c == '-' || '0' <= c && c <= '9':
		v.kind = '0'
		v.text, err = j.number(v.text)
		return err
	case c == 'n':
		v.kind = 0
	}
	return j.skip(depth)
}
