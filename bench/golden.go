package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// golden is a statement of the product, as PostgreSQL receives it: the last one of a file of
// storage/testdata/sql. Of a list it reads the page after a place, or records by their ids. The floors run
// these statements, so that a column or a filter changes nothing here.
type golden struct {
	sql   string
	names []string // of the parameters
	once  sync.Once
	row   reflect.Type // see rows
}

var (
	goldens   sync.Map // the ones that were read, by name
	parameter = regexp.MustCompile(`(?m)^-- \$\d+ = (.*)\n`)
)

// readGolden reads the file of a statement. The bench runs at the root of the module.
func readGolden(name string) *golden {
	if known, ok := goldens.Load(name); ok {
		return known.(*golden)
	}
	content := must(os.ReadFile(filepath.Join("storage", "testdata", "sql", name+".sql")))
	all := strings.Split(string(content), ";\n\n")
	last := all[len(all)-1]
	g := &golden{sql: strings.TrimRight(parameter.ReplaceAllString(last, ""), ";\n")}
	for _, p := range parameter.FindAllStringSubmatch(last, -1) {
		g.names = append(g.names, p[1])
	}
	goldens.Store(name, g)
	return g
}

// named runs the statement with the values of its parameters, by name, and reads the rows. Parameters
// without a value are NULL.
func (g *golden) named(ctx context.Context, q querier, values map[string]any) []any {
	args := make([]any, len(g.names))
	for name, value := range values {
		i := slices.Index(g.names, name)
		if i < 0 {
			check(fmt.Errorf("no parameter %s for %s", name, g.sql))
		}
		args[i] = value
	}
	return g.rows(ctx, q, args...)
}

// emit runs a statement of events.
func (g *golden) emit(ctx context.Context, q querier, account, entity int64, values map[string]any) {
	maps.Copy(values, map[string]any{"account": account, "entity": entity, "notifies": true, "kind": "bare",
		"queue": "bare"})
	g.named(ctx, q, values)
}

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// rows runs the statement and reads its rows: each into a struct with a field for each column, of the
// type of the column, as an ordinary program would declare it. encoding/json writes it with the names of
// the columns, which are those of the product's documents.
func (g *golden) rows(ctx context.Context, q querier, args ...any) []any {
	rows := must(q.QueryContext(ctx, g.sql, args...))
	defer rows.Close()
	g.once.Do(func() { g.row = rowType(must(rows.ColumnTypes())) })
	all := []any{}
	fields := make([]any, g.row.NumField())
	for rows.Next() {
		row := reflect.New(g.row)
		for i := range fields {
			fields[i] = row.Elem().Field(i).Addr().Interface()
		}
		check(rows.Scan(fields...))
		all = append(all, row.Interface())
	}
	check(rows.Err())
	return all
}

// rowType returns the struct of a row.
func rowType(columns []*sql.ColumnType) reflect.Type {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		of, ok := fieldTypes[c.DatabaseTypeName()]
		if !ok {
			of = reflect.TypeFor[*string]()
		}
		fields[i] = reflect.StructField{Name: fmt.Sprint("C", i), Type: of,
			Tag: reflect.StructTag(`json:"` + c.Name() + `"`)}
	}
	return reflect.StructOf(fields)
}

// fieldTypes are the types of columns that are not read as text.
var fieldTypes = map[string]reflect.Type{
	"INT4": reflect.TypeFor[*int64](), "INT8": reflect.TypeFor[*int64](), "BOOL": reflect.TypeFor[*bool](),
	"DATE": reflect.TypeFor[*day](), "TIMESTAMPTZ": reflect.TypeFor[*time.Time](),
	"JSON": reflect.TypeFor[*json.RawMessage](),
}

// day is a date, without a time.
type day time.Time

// Scan reads a day as the driver returns it.
func (d *day) Scan(src any) error {
	t, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("day from %T", src)
	}
	*d = day(t)
	return nil
}

// MarshalJSON writes the day alone.
func (d day) MarshalJSON() ([]byte, error) { return []byte(time.Time(d).Format(`"2006-01-02"`)), nil }

// inTx runs do in a transaction.
func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx)) {
	tx := must(db.BeginTx(ctx, nil))
	defer tx.Rollback() // no-op after a commit
	do(tx)
	check(tx.Commit())
}
