package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/mattn/go-isatty"
)

// printJSON prints one line for scripts.
func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// table prints rows under the names of their columns. On a terminal the columns are aligned and end
// prints the rows; elsewhere row prints them at once, separated by tabs.
type table struct {
	out io.Writer
	err error // of the first write that failed
}

func newTable(columns ...string) *table {
	t := &table{out: os.Stdout}
	if isatty.IsTerminal(os.Stdout.Fd()) {
		t.out = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	}
	t.row(columns...)
	return t
}

// row prints a row. A tab, line break or other control character in a cell becomes a blank.
func (t *table) row(cells ...string) {
	if t.err != nil {
		return
	}
	clean := each(cells, func(cell string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, cell)
	})
	_, t.err = fmt.Fprintln(t.out, strings.Join(clean, "\t"))
}

// end prints the remaining rows and returns the first error.
func (t *table) end() error {
	if aligned, ok := t.out.(*tabwriter.Writer); ok && t.err == nil {
		t.err = aligned.Flush()
	}
	return t.err
}

// listing describes the output of a command that lists records of one kind.
type listing[T any] struct {
	json    bool // print each record as a line of JSON
	columns []string
	row     func(T) []string
	none    string // printed on the standard error if there are no records
}

func (l listing[T]) print(all []T) error {
	if l.json {
		for _, one := range all {
			if err := printJSON(one); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(os.Stderr, l.none)
		return err
	}
	t := newTable(l.columns...)
	for _, one := range all {
		t.row(l.row(one)...)
	}
	return t.end()
}

// each applies to to every element.
func each[A, B any](all []A, to func(A) B) []B {
	made := make([]B, len(all))
	for i, a := range all {
		made[i] = to(a)
	}
	return made
}
