package wire

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The schema of a record has what is written in any way, and says what some ways lack.
func TestRecorded(t *testing.T) {
	t.Parallel()
	one := int64(1)
	show := func(n *int64, lines int) func(*Writer) {
		return func(w *Writer) {
			w.IntPtr("n", n)
			w.Objects("lines", "line", lines, func(i int) {
				w.Bool("last", i == 1)
				if i == 0 {
					w.Null("text")
				} else {
					w.String("text", "")
				}
			})
			w.Object("of", func() { Date(w, "day", day{}) })
			w.ObjectIf(n != nil, "if", func() { w.Bool("last", true) })
			Number(w, "sum", cents(0))
			if w.XML() {
				w.Time("at", time.Time{})
			}
			if n != nil {
				Decimal(w, "amount", cents(0))
			}
		}
	}
	member := func(name string, s Schema) Member { return Member{Name: name, Schema: &s} }
	want := &Schema{Type: "object", Members: []Member{
		member("n", Schema{Type: "integer", Format: "int64", Null: true}),
		member("lines", Schema{Type: "array", Item: "line", Items: &Schema{Type: "object", Members: []Member{
			member("last", Schema{Type: "boolean"}),
			member("text", Schema{Type: "string", Null: true}),
		}}}),
		member("of", Schema{Type: "object", Members: []Member{member("day", Schema{Type: "string", Format: "date"})}}),
		member("if", Schema{Type: "object", Null: true, Members: []Member{member("last", Schema{Type: "boolean"})}}),
		member("sum", Schema{Type: "number"}),
		member("at", Schema{Type: "string", Format: "date-time"}),
		{Name: "amount", Optional: true, Schema: &Schema{Type: "string", Format: "decimal"}},
	}}
	for _, objects := range [][]func(*Writer){{show(&one, 2), show(nil, 0)}, {show(nil, 2), show(&one, 0)}} {
		if d := cmp.Diff(want, Recorded(XML, objects...)); d != "" {
			t.Error(d)
		}
	}
	if s := Recorded(JSON, show(&one, 2)); s.member("at") != nil || s.Members[0].Null {
		t.Errorf("%+v", s)
	}
}

// What a function reads is recorded once, whatever it is sent.
func TestRecordedInput(t *testing.T) {
	t.Parallel()
	got := RecordedInput(func(in *Input) {
		var text string
		var n int64
		var ids []int64
		var events []string
		var at *time.Time
		in.String("name", &text)
		in.String("name", &text)
		in.Time("at", &at)
		in.IDs("ids", &ids)
		in.Strings("events", &events)
		if in.Has("lines") {
			for _, line := range in.Objects("lines") {
				line.Int("n", &n)
			}
		}
		in.Object("match").Int("n", &n)
	})
	want := &Schema{Type: "object", Members: []Member{
		{Name: "name", Schema: &Schema{Type: "string", Text: true}},
		{Name: "at", Schema: &Schema{Type: "string", Null: true}},
		{Name: "ids", Schema: &Schema{Type: "array", Null: true, Items: &Schema{Type: "string", Numeric: true}}},
		{Name: "events", Schema: &Schema{Type: "array", Null: true, Items: &Schema{Type: "string", Text: true}}},
		{Name: "lines", Schema: &Schema{Type: "array", Null: true, Items: &Schema{Type: "object", Members: []Member{
			{Name: "n", Schema: &Schema{Type: "integer", Format: "int64"}},
		}}}},
		{Name: "match", Schema: &Schema{Type: "object", Null: true, Members: []Member{
			{Name: "n", Schema: &Schema{Type: "integer", Format: "int64"}},
		}}},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
