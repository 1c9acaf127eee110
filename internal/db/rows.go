package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// ErrNotFound is the error of One for no row.
var ErrNotFound = errors.New("not found")

// Queryer is a pool, one connection of it, or a transaction.
type Queryer = sqlx.ExtContext

// One reads one row into a T: a value, or a struct with a field for each column (UpdatedAt for
// updated_at). No row is ErrNotFound. Like the errors of Many, Rows, Exec and Copy, its errors name
// the statement, but not its parameters.
func One[T any](ctx context.Context, q Queryer, query string, args ...any) (v T, err error) {
	defer name(&err, query)
	defer spend(ctx, 1, query)()
	release, err := takePlace(ctx, q)
	if err != nil {
		return v, err
	}
	defer release()
	rows, err := q.QueryxContext(ctx, query, args...)
	if err != nil {
		return v, err
	}
	defer rows.Close()
	read, err := reader[T](rows)
	if err != nil {
		return v, err
	}
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return v, err
		}
		return v, ErrNotFound
	}
	if err := read(&v); err != nil {
		return v, err
	}
	return v, rows.Close() // returns an error that came after the row
}

// Many reads all rows into a slice of T, as One does; no row is an empty slice.
func Many[T any](ctx context.Context, q Queryer, query string, args ...any) (all []T, err error) {
	defer name(&err, query)
	return many[T](ctx, q, query, args, nil, func() {})
}

// ManyWith is Many for rows with one column more, the last, which it returns apart.
func ManyWith[T, C any](ctx context.Context, q Queryer, query string, args ...any) (all []T, column []C, err error) {
	defer name(&err, query)
	var value C
	all, err = many[T](ctx, q, query, args, []any{&value}, func() { column = append(column, value) })
	return all, column, err
}

// many reads all rows. It scans the last columns into rest, and calls read after each row.
func many[T any](ctx context.Context, q Queryer, query string, args, rest []any, read func()) ([]T, error) {
	defer spend(ctx, 1, query)()
	release, err := takePlace(ctx, q)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, held, end := counted[T](ctx)
	defer end()
	rows, err := q.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	scan, err := reader[T](rows, rest...)
	if err != nil {
		return nil, err
	}
	all := []T{}
	for rows.Next() {
		all = append(all, *new(T))
		if err := scan(&all[len(all)-1]); err != nil {
			return nil, err
		}
		read()
		if err := held(); err != nil {
			end() // or closing the rows would read the rest of them
			return nil, err
		}
	}
	return all, rows.Err()
}

// Each reads the rows one at a time, as Many does, and calls do with each, which is overwritten by the next. An
// error of do ends the query and is returned unchanged.
func Each[T any](ctx context.Context, q Queryer, query string, do func(*T) error, args ...any) error {
	defer spend(ctx, 1, query)()
	release, err := takePlace(ctx, q)
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	rows, err := q.QueryxContext(ctx, query, args...)
	if err != nil {
		cancel()
		name(&err, query)
		return err
	}
	defer rows.Close()
	defer cancel() // first, or closing the rows would read the rest of them
	scan, err := reader[T](rows)
	if err != nil {
		return err
	}
	for rows.Next() {
		var v T
		if err := scan(&v); err != nil {
			return err
		}
		if err := do(&v); err != nil {
			return err
		}
	}
	err = rows.Err()
	name(&err, query)
	return err
}

// Rows runs a query and returns the rows, which the caller scans and closes. It takes no place of
// an account's places (WithPlaces).
func Rows(ctx context.Context, q Queryer, query string, args ...any) (rows *sqlx.Rows, err error) {
	defer name(&err, query)
	defer spend(ctx, 1, query)()
	return q.QueryxContext(ctx, query, args...)
}

// reader returns a function that scans the current row into a T: into the fields named by
// the columns, or into T itself if it is a single value. The last columns are scanned into rest. It
// finds the fields once per query; sqlx's own Select does so for each row, which took a fifth of the
// time of a long list.
func reader[T any](rows *sqlx.Rows, rest ...any) (func(*T) error, error) {
	t := reflect.TypeFor[T]()
	if _, scans := any(new(T)).(sql.Scanner); scans || t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		into := append([]any{nil}, rest...)
		return func(v *T) error {
			into[0] = v
			return rows.Scan(into...)
		}, nil
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	columns = columns[:max(len(columns)-len(rest), 0)]
	fields := rows.Mapper.TraversalsByName(t, columns)
	for i, field := range fields {
		if len(field) == 0 {
			return nil, fmt.Errorf("%v has no field for the column %s", t, columns[i])
		}
	}
	into := append(make([]any, len(fields)), rest...)
	return func(v *T) error {
		record := reflect.ValueOf(v).Elem()
		for i, field := range fields {
			into[i] = record.FieldByIndex(field).Addr().Interface()
		}
		return rows.Scan(into...)
	}, nil
}

// Exec runs a statement and returns how many rows it affected.
func Exec(ctx context.Context, q Queryer, query string, args ...any) (n int64, err error) {
	defer name(&err, query)
	defer spend(ctx, 1, query)()
	release, err := takePlace(ctx, q)
	if err != nil {
		return 0, err
	}
	defer release()
	r, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Copy adds the rows that fill passes to add to a table, by COPY. An error of fill ends it and is
// returned unchanged. ctx must not end before the transaction: database/sql would roll back in the
// middle of the COPY, and lib/pq would read the connection from two goroutines.
func Copy(ctx context.Context, tx *sqlx.Tx, table string, columns []string, fill func(add func(...any) error) error) (
	err error) {
	query := "COPY " + table + " (" + strings.Join(columns, ", ") + ") FROM STDIN"
	into, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return fmt.Errorf("%s: %w", operation(query), err)
	}
	defer into.Close() // a no-op after the Close below; a ROLLBACK during a COPY would be a race
	err = fill(func(row ...any) error {
		_, err := into.ExecContext(ctx, row...)
		name(&err, query)
		return err
	})
	if err != nil {
		return err
	}
	err = into.Close()
	name(&err, query)
	return err
}

// name adds the statement to its error: "UPDATE sales: …".
func name(err *error, query string) {
	if *err != nil && !errors.Is(*err, ErrNotFound) {
		*err = fmt.Errorf("%s: %w", operation(query), *err)
	}
}

// operation returns the first word of a statement and the first table that it names.
func operation(query string) string {
	words := strings.Fields(comment.ReplaceAllString(query, ""))
	if len(words) == 0 {
		return "no statement"
	}
	verb := strings.ToUpper(words[0])
	if m := table.FindStringSubmatch(query); m != nil {
		return verb + " " + m[1]
	}
	return verb
}

var (
	comment = regexp.MustCompile(`/\*.*?\*/`)
	table   = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE|COPY|ANALYZE)\s+([a-z_]+)`)
)
