package cursor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

type walk struct {
	Path    string
	Filters map[string]string
}

var people = walk{"/people", map[string]string{"name": "a", "ids": "1,2"}}

func TestACursorIsReadAsItWasWritten(t *testing.T) {
	for _, place := range [][]string{{"1"}, {"9223372036854775807"}, {"2026-03-04", "1"}, {"", "1"}, {"joão 🎂", "1"},
		{"a\xffb"}, {strings.Repeat("a", 4000), "1"}} {
		text := Write(place, people)
		if got, ok := Read(text, walk{"/people", map[string]string{"ids": "1,2", "name": "a"}}); !ok ||
			!slices.Equal(got, place) {
			t.Errorf("%q is %q, %v", place, got, ok)
		}
		if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("%q is to be encoded in a URL", text)
		}
	}
}

func TestAnyOtherCursorIsRefused(t *testing.T) {
	place := []string{"ana", "12"}
	text := Write(place, people)
	for _, other := range []any{
		walk{"/people/", people.Filters}, walk{"/people", nil}, walk{"/people", map[string]string{"name": "a"}},
		walk{"/people", map[string]string{"name": "a,ids=1,2"}},
		walk{"/people", map[string]string{"name": "b", "ids": "1,2"}}, nil,
	} {
		if _, ok := Read(text, other); ok {
			t.Errorf("the cursor is one of %v too", other)
		}
	}
	for range 2000 {
		changed := []byte(text)
		switch at := rand.IntN(len(changed)); rand.IntN(3) {
		case 0:
			changed[at] = "AZaz09-_"[rand.IntN(8)]
		case 1:
			changed = slices.Delete(changed, at, at+1)
		case 2:
			changed = slices.Insert(changed, at, "A=\n \x00+/"[rand.IntN(7)])
		}
		if _, ok := Read(string(changed), people); ok && string(changed) != text {
			t.Errorf("%q was read as %q", changed, text)
		}
	}
	for _, none := range []string{"", "A", "a cursor", "AAAAAAAAAAA", strings.Repeat("A", most+1)} {
		if place, ok := Read(none, people); ok {
			t.Errorf("%.20q was read as %q", none, place)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "AAAAAAAAAAAA", Write([]string{"1"}, people), Write([]string{"ana", "1"}, people),
		Write([]string{""}, nil)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if place, ok := Read(text, people); ok && Write(place, people) != text {
			t.Errorf("%q was read as %q", text, place)
		}
		place := strings.Split(text, "\x00")
		if got, ok := Read(Write(place, people), people); len(text) < most/2 && text != "" &&
			(!ok || !slices.Equal(got, place)) {
			t.Errorf("%q is %q, %v", place, got, ok)
		}
	})
}
