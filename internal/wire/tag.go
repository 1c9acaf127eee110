package wire

import (
	"strings"
	"sync/atomic"
)

// valueType is what XML says in the type attribute of a value.
type valueType int

const (
	stringType valueType = iota
	integerType
	decimalType
	booleanType
	dateType
	datetimeType
	arrayType
	valueTypes // how many there are
)

var typeAttributes = [valueTypes]string{
	"", ` type="integer"`, ` type="decimal"`, ` type="boolean"`, ` type="date"`, ` type="datetime"`, ` type="array"`,
}

// tag is what XML writes around the values of one name. Tags are made once and
// copied from then on: put together anew for each value they are half of the
// time that a list takes.
type tag struct {
	name  string
	start [valueTypes]string // <created-at type="datetime">
	null  [valueTypes]string // <created-at type="datetime" nil="true"/>
	end   string
	next  *tag // in the same bucket
}

// tags is a hash table that only grows, so that readers need no lock. It stays
// small because names are constants.
var tags [1024]atomic.Pointer[tag]

func tagOf(name string) *tag {
	n := len(name)
	bucket := &tags[uint(n<<5^int(name[n/2])^int(name[n-1])<<2)%uint(len(tags))]
	first := bucket.Load()
	for t := first; t != nil; t = t.next {
		if t.name == name {
			return t
		}
	}
	t := newTag(name, first)
	bucket.CompareAndSwap(first, t) // who loses a race makes it again next time
	return t
}

func newTag(name string, next *tag) *tag {
	kebab := name[:1] + strings.ReplaceAll(name[1:], "_", "-") // _links keeps its first
	t := &tag{name: name, end: "</" + kebab + ">", next: next}
	for i, attribute := range typeAttributes {
		t.start[i] = "<" + kebab + attribute + ">"
		t.null[i] = "<" + kebab + attribute + ` nil="true"/>`
	}
	return t
}
