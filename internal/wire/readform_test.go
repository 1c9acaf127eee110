package wire

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestForm(t *testing.T) {
	in, err := Form(url.Values{
		"attachment[title]":         {"old", "new"},
		"attachment[attachment]":    {""},
		"attachment[ids][]":         {"2", "1"},
		"attachment[a][b]":          {"deep"},
		"attachment[":               {"plain"},
		"[odd]":                     {"plain"},
		"[]":                        {"list"},
		"":                          {"nameless"},
		"x]":                        {"plain"},
		"attachment[more][0][note]": {"first"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"attachment", "attachment[", "[odd]", "x]", ""} {
		if !in.Has(name) {
			t.Errorf("no %q", name)
		}
	}
	root, ok := in.Root("attachment")
	inner, _ := root.Root("a")
	var title, deep, note string
	var ids []int64
	root.String("title", &title)
	root.IDs("ids", &ids)
	inner.String("b", &deep)
	for _, more := range root.Objects("more") {
		more.String("note", &note)
	}
	if !ok || title != "new" || deep != "deep" || note != "first" || !slices.Equal(ids, []int64{2, 1}) ||
		!root.Has("attachment") {
		t.Errorf("got %q, %q, %q, %v", title, deep, note, ids)
	}
	if _, err := Form(url.Values{"a[][b]": {"1"}}); err == nil || !strings.Contains(err.Error(), "[]") {
		t.Errorf("a list of objects without index: %v", err)
	}
	if in, err := Form(nil); err != nil || in.Has("") {
		t.Errorf("no values: %v", err)
	}
}
