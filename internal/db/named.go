package db

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Statement is SQL whose parameters have names. sqlx.Named would bind them anew for each execution, each
// occurrence to a number of its own, and takes a cast (::) for a name.
type Statement struct {
	SQL   string // with $1, $2, …, as PostgreSQL receives it
	name  string // empty unless registered
	names []string
}

// Args are the values of a statement's parameters, by name.
type Args map[string]any

var registered = map[string]Statement{}

// Named binds a text and registers the statement under a name, for Statements. It is for package
// variables: it panics at a name that is taken.
func Named(name, text string) Statement {
	if _, taken := registered[name]; taken {
		panic("two statements are named " + name)
	}
	s := Bind(text)
	s.name = name
	registered[name] = s
	return s
}

// Statements returns a copy of the statements that are registered, by name.
func Statements() map[string]Statement { return maps.Clone(registered) }

// Bind replaces the parameters @name of a text by numbers, in the order in which the names appear;
// @account is always $1. A fragment may write $1 for it, so that statements without names can share the
// fragment. Bind panics at another number. The names that are given are the first, in their order, so that
// two parts of a statement that are bound apart agree.
func Bind(text string, first ...string) Statement {
	s := Statement{names: slices.Clone(first)}
	number := func(name string) string {
		i := slices.Index(s.names, name)
		if i < 0 {
			i, s.names = len(s.names), append(s.names, name)
		}
		return "$" + strconv.Itoa(i+1)
	}
	replaceParameters(text, func(p string) string {
		if p == "@account" || p == "$1" {
			number("account")
		}
		return p
	})
	s.SQL = replaceParameters(text, func(p string) string {
		switch {
		case p[0] == '@':
			return number(p[1:])
		case p != "$1":
			panic(fmt.Sprintf("%s has no name in %s", p, text))
		}
		return p
	})
	return s
}

// replaceParameters replaces each @name and $number of a text. It scans by hand: a regular expression
// took 30 ms for all statements, and each process binds them when it starts.
func replaceParameters(text string, replace func(string) string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "'<@$")
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		n, isParameter := token(text)
		if isParameter {
			b.WriteString(replace(text[:n]))
		} else {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
}

// token returns the length of the token that begins with ', <, @ or $, and whether it is a parameter. A quoted
// text and the operator <@ are tokens, so that nothing in them is a parameter.
func token(text string) (n int, isParameter bool) {
	length := func(of string) int { return len(text) - len(strings.TrimLeft(text[1:], of)) }
	switch {
	case text[0] == '\'':
		return 1 + strings.IndexByte(text[1:], '\'') + 1, false
	case strings.HasPrefix(text, "<@"):
		return 2, false
	case text[0] == '@':
		n = length("abcdefghijklmnopqrstuvwxyz0123456789_")
	case text[0] == '$':
		n = length("0123456789")
	default:
		return 1, false
	}
	return n, n > 1
}

// Names returns the names of $1, $2, ….
func (s Statement) Names() []string { return slices.Clone(s.names) }

// Args returns the values in the order of the statement's numbers. It panics unless there is one value for
// each name and for nothing else: the names are the program's, so a test that runs the statement finds it.
func (s Statement) Args(values ...Args) []any {
	args, given := make([]any, len(s.names)), make([]bool, len(s.names))
	for _, some := range values {
		for name, value := range some {
			i := slices.Index(s.names, name)
			if i < 0 || given[i] {
				panic(fmt.Sprintf("no parameter @%s, or a second value of it, for %s", name, s.SQL))
			}
			args[i], given[i] = value, true
		}
	}
	if i := slices.Index(given, false); i >= 0 {
		panic(fmt.Sprintf("no value of @%s for %s", s.names[i], s.SQL))
	}
	return args
}
