package db

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Statement is SQL whose parameters have names. sqlx.Named would bind them anew for each execution, each
// occurrence to a number of its own, and takes a cast (::) for a name.
type Statement struct {
	SQL   string // with $1, $2, …, as PostgreSQL receives it
	names []string
}

// Args are the values of a statement's parameters, by name.
type Args map[string]any

var (
	registered = map[string]Statement{}
	parameter  = regexp.MustCompile(`'[^']*'|<@|@[a-z0-9_]+|\$\d+`) // and texts and an operator, which are none
)

// Named binds a text and registers the statement under a name, for Statements. It is for package
// variables: it panics at a name that is taken.
func Named(name, text string) Statement {
	if _, taken := registered[name]; taken {
		panic("two statements are named " + name)
	}
	s := Bind(text)
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
	found := parameter.FindAllString(text, -1)
	if slices.Contains(found, "@account") || slices.Contains(found, "$1") {
		number("account")
	}
	s.SQL = parameter.ReplaceAllStringFunc(text, func(p string) string {
		switch {
		case p[0] == '@':
			return number(p[1:])
		case p[0] == '$' && p != "$1":
			panic(fmt.Sprintf("%s has no name in %s", p, text))
		}
		return p
	})
	return s
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
