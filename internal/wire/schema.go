package wire

import (
	"encoding"
	"slices"
	"time"
)

// Schema describes a value as a recording Writer or Input saw it. The OpenAPI document describes
// records by it, so that no field is written down twice.
type Schema struct {
	Type    string // of OpenAPI: string, integer, number, boolean, array or object; "" if only null was seen
	Format  string // decimal, date or date-time, or ""
	Null    bool   // null was written, or may be sent
	Numeric bool   // of an input: a text or a number
	Text    bool   // of an input: any text
	Members []Member
	Items   *Schema
	Item    string // the XML name of the elements of an array
}

// Member is a named value of an object.
type Member struct {
	Name     string
	Optional bool // some of the recorded objects lack it
	*Schema
}

// Recorded returns the schema of the object to which each of the functions writes members in a
// format. The functions write the same kind of record with different values: with every optional
// value, and without any.
func Recorded(f Format, objects ...func(*Writer)) *Schema {
	all := &Schema{}
	for i, fields := range objects {
		r := &recorder{stack: []*Schema{{Type: "object"}}}
		fields(&Writer{format: f, zone: time.UTC, buf: []byte{'{'}, recorder: r})
		if i == 0 {
			all = r.stack[0]
			continue
		}
		all.merge(r.stack[0])
	}
	return all
}

// RecordedInput returns the schema of the object with the members that assign reads.
func RecordedInput(assign func(*Input)) *Schema {
	s := &Schema{Type: "object"}
	in := newInput(&node{})
	in.recorder = s
	assign(in)
	return s
}

// merge adds the types and members of another record of the same kind.
func (s *Schema) merge(o *Schema) {
	s.Null = s.Null || o.Null
	if s.Type == "" {
		s.Type, s.Format, s.Item = o.Type, o.Format, o.Item
	}
	if s.Items == nil {
		s.Items = o.Items
	} else if o.Items != nil {
		s.Items.merge(o.Items)
	}
	if o.Type != "object" {
		return
	}
	for i, m := range s.Members {
		if o.member(m.Name) == nil {
			s.Members[i].Optional = true
		}
	}
	for _, m := range o.Members {
		if known := s.member(m.Name); known != nil {
			known.merge(m.Schema)
			continue
		}
		m.Optional = true
		s.Members = append(s.Members, m)
	}
}

// member returns the schema of a member, or nil.
func (s *Schema) member(name string) *Schema {
	i := slices.IndexFunc(s.Members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return s.Members[i].Schema
}

// recorder sees the calls of a Writer. The top of its stack is the open object or array.
type recorder struct{ stack []*Schema }

func (r *recorder) top() *Schema { return r.stack[len(r.stack)-1] }

// value adds a member to the open object, or opens an element of the open array.
func (r *recorder) value(name string, s *Schema) {
	if top := r.top(); top.Type == "array" {
		top.Item = name
	} else {
		top.Members = append(top.Members, Member{Name: name, Schema: s})
	}
	r.stack = append(r.stack, s)
}

// end closes the array or object that value opened. The elements of an array have one schema.
func (r *recorder) end() {
	s := r.top()
	r.stack = r.stack[:len(r.stack)-1]
	if top := r.top(); top.Type == "array" {
		if top.Items == nil {
			top.Items = s
			return
		}
		top.Items.merge(s)
	}
}

// read notes a member that a setter reads.
func (in *Input) read(name string, s Schema) {
	if in.recorder != nil && in.recorder.member(name) == nil {
		seen := s // s itself would be allocated for every value of every request
		in.recorder.Members = append(in.recorder.Members, Member{Name: name, Schema: &seen})
	}
}

// numeric reports whether a type reads numbers, as amounts do and dates do not.
func numeric(v encoding.TextUnmarshaler) bool { return v.UnmarshalText([]byte("1")) == nil }
