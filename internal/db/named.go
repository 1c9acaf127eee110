package db

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// byText finds the names of registered statements, in the forms in which they are sent.
var byText = sync.OnceValue(func() map[string]string {
	names := make(map[string]string, 3*len(registered))
	for name, s := range registered {
		names[s.SQL], names[CachePlan(s.SQL)], names[PlanEach+s.SQL] = name, name, name
	}
	return names
})

// nameOf returns the name under which a statement is registered, or "".
func nameOf(query string) string { return byText()[query] }

// Bind replaces the parameters @name of a text by numbers, in the order in which the names appear;
// @account is always $1. A fragment may write $1 for it, so that statements without names can share the
// fragment. Bind panics at another number.
func Bind(text string) Statement {
	var s Statement
	number := func(name string) string {
		i := slices.Index(s.names, name)
		if i < 0 {
			i, s.names = len(s.names), append(s.names, name)
		}
		return "$" + strconv.Itoa(i+1)
	}
	for p, isParameter := range parts(text) {
		if isParameter && (p == "@account" || p == "$1") {
			number("account")
			break
		}
	}
	var sql strings.Builder
	sql.Grow(len(text))
	for p, isParameter := range parts(text) {
		switch {
		case isParameter && p[0] == '@':
			sql.WriteString(number(p[1:]))
		case isParameter && p != "$1":
			panic(fmt.Sprintf("%s has no name in %s", p, text))
		default:
			sql.WriteString(p)
		}
	}
	s.SQL = sql.String()
	return s
}

// parts yields the parts of a text, and whether each is a parameter: @name or $number. It scans by hand: a
// regular expression took 30 ms for all statements, and each process binds them when it starts.
func parts(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for rest := text; rest != ""; {
			n, isParameter := strings.IndexAny(rest, "'<@$"), false
			switch {
			case n < 0:
				n = len(rest)
			case n == 0:
				n, isParameter = token(rest)
			}
			if !yield(rest[:n], isParameter) {
				return
			}
			rest = rest[n:]
		}
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

// OneNamed is One for a statement and its values. It panics like Args.
func OneNamed[T any](ctx context.Context, q Queryer, s Statement, values ...Args) (T, error) {
	return One[T](ctx, q, s.SQL, s.Args(values...)...)
}

// ManyNamed is Many for a statement and its values. It panics like Args.
func ManyNamed[T any](ctx context.Context, q Queryer, s Statement, values ...Args) ([]T, error) {
	return Many[T](ctx, q, s.SQL, s.Args(values...)...)
}

// ExecNamed is Exec for a statement and its values. It panics like Args.
func ExecNamed(ctx context.Context, q Queryer, s Statement, values ...Args) (int64, error) {
	return Exec(ctx, q, s.SQL, s.Args(values...)...)
}
