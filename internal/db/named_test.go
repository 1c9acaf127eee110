package db_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/internal/db"
)

func TestNamesBecomeNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, sql, names string }{
		{`SELECT 1`, `SELECT 1`, ``},
		{`SELECT @a::int, @b::text[], @a`, `SELECT $1::int, $2::text[], $1`, `a b`},
		{`WHERE id = @id AND account_id = @account`, `WHERE id = $2 AND account_id = $1`, `account id`},
		{`WHERE id = @id AND account_id = $1`, `WHERE id = $2 AND account_id = $1`, `account id`},
		{`SELECT '@a' || 'it''s @b', x <@y, x @> @c, ("of"->>'d')::int`,
			`SELECT '@a' || 'it''s @b', x <@y, x @> $1, ("of"->>'d')::int`, `c`},
		{`SELECT (@days::date[])[1], @day_2`, `SELECT ($1::date[])[1], $2`, `days day_2`},
	} {
		s := db.Bind(c.text)
		if s.SQL != c.sql || strings.Join(s.Names(), " ") != c.names {
			t.Errorf("%s: %s with %q", c.text, s.SQL, s.Names())
		}
	}
}

func TestValuesFollowTheNumbers(t *testing.T) {
	t.Parallel()
	s := db.Bind(`SELECT @b, @a, @b, @account`)
	if got := s.Args(db.Args{"a": 1, "b": 2}, db.Args{"account": 3}); !slices.Equal(got, []any{3, 2, 1}) {
		t.Errorf("%v", got)
	}
}

func TestAStatementRunsWithItsValues(t *testing.T) {
	t.Parallel()
	pool, values := open(t), db.Args{"a": 1, "b": 3}
	s := db.Bind(`SELECT 10 * @b::int + @a::int FROM generate_series(1, @a::int)`)
	one, err := db.OneNamed[int64](t.Context(), pool, s, values)
	many, errMany := db.ManyNamed[int64](t.Context(), pool, s, db.Args{"a": 2}, db.Args{"b": 1})
	n, errExec := db.ExecNamed(t.Context(), pool, s, values)
	if err := errors.Join(err, errMany, errExec); err != nil || one != 31 || !slices.Equal(many, []int64{12, 12}) ||
		n != 1 {
		t.Errorf("%d, %v and %d rows, %v", one, many, n, err)
	}
}

var _ = db.Named("test.wrong", `SELECT @a`)

func TestAWrongNameIsRefused(t *testing.T) {
	t.Parallel()
	s := db.Bind(`SELECT @a`)
	for want, wrong := range map[string]func(){
		"no value of @a for SELECT $1":                            func() { s.Args(db.Args{}) },
		"no parameter @b, or a second value of it, for SELECT $1": func() { s.Args(db.Args{"a": 1, "b": 2}) },
		"$2 has no name in SELECT @a, $2":                         func() { db.Bind(`SELECT @a, $2`) },
		"two statements are named test.wrong":                     func() { db.Named("test.wrong", `SELECT 2`) },
		"no parameter @a, or a second value of it, for SELECT $1": func() { s.Args(db.Args{"a": 1}, db.Args{"a": 2}) },
		"no parameter @account, or a second value of it, for ": func() {
			db.Statement{}.Args(db.Args{"account": 1})
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			wrong()
		}()
	}
}
