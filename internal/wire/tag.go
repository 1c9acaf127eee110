package wire

import (
	"strings"
	"sync/atomic"
)

// valueType is the type attribute of a value in XML.
type valueType int

const (
	stringType valueType = iota
	integerType
	decimalType
	booleanType
	dateType
	datetimeType
	arrayType
	objectType
	numberType // a decimal that JSON writes as a number
	valueTypes // how many there are
)

var typeAttributes = [valueTypes]string{
	"", ` type="integer"`, ` type="decimal"`, ` type="boolean"`, ` type="date"`, ` type="datetime"`, ` type="array"`,
	"", ` type="decimal"`,
}

// schema returns the schema of a value.
func (t valueType) schema() *Schema {
	switch t {
	case integerType:
		return &Schema{Type: "integer", Format: "int64"}
	case decimalType:
		return &Schema{Type: "string", Format: "decimal"}
	case booleanType:
		return &Schema{Type: "boolean"}
	case dateType:
		return &Schema{Type: "string", Format: "date"}
	case datetimeType:
		return &Schema{Type: "string", Format: "date-time"}
	case arrayType:
		return &Schema{Type: "array"}
	case objectType:
		return &Schema{Type: "object"}
	case numberType:
		return &Schema{Type: "number"}
	}
	return &Schema{Type: "string"}
}

// tag is the start and end tag of the XML elements of one name and type. Tags are built once and
// then copied: building them for each value took half of the time of a list.
type tag struct {
	name  string
	t     valueType
	start string // <created-at type="datetime">
	end   string
	null  string // <created-at type="datetime" nil="true"/>
	next  *tag   // in the same bucket
}

// tags is a hash table that only grows, so that readers need no lock. It stays small
// because it has constant names alone.
var tags [1024]atomic.Pointer[tag]

func tagOf(name string, t valueType) *tag {
	n := len(name)
	bucket := &tags[uint(n<<5^int(name[n/2])^int(name[n-1])<<2^int(t)<<7)%uint(len(tags))]
	first := bucket.Load()
	for tag := first; tag != nil; tag = tag.next {
		if tag.name == name && tag.t == t {
			return tag
		}
	}
	tag := newTag(name, t, first)
	bucket.CompareAndSwap(first, tag) // on a lost race, the tag is built again next time
	return tag
}

func newTag(name string, t valueType, next *tag) *tag {
	kebab := name[:1] + strings.ReplaceAll(name[1:], "_", "-") // _links retains its underscore
	start, end := "<"+kebab+typeAttributes[t], "</"+kebab+">"
	all := start + ">" + end + start + ` nil="true"/>` // adjacent in memory, as they are used
	startEnd := len(start) + 1
	endEnd := startEnd + len(end)
	return &tag{name, t, all[:startEnd], all[startEnd:endEnd], all[endEnd:], next}
}
