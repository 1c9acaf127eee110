package db

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx/reflectx"
)

// Columns are columns that several statements write from the fields of a T that have their names.
// A new one is named once, and its value cannot be another's.
type Columns[T any] struct {
	names  []string
	fields [][]int
}

// ColumnsOf returns the columns of a list of names with commas. It panics at a name for which T
// has no field.
func ColumnsOf[T any](list string) Columns[T] {
	var c Columns[T]
	for name := range strings.SplitSeq(list, ",") {
		c.names = append(c.names, strings.TrimSpace(name))
	}
	c.fields = reflectx.NewMapperFunc("db", column).TraversalsByName(reflect.TypeFor[T](), c.names)
	for i, field := range c.fields {
		if len(field) == 0 {
			panic(fmt.Sprintf("%v has no field for the column %s", reflect.TypeFor[T](), c.names[i]))
		}
	}
	return c
}

// List returns the names, each after a prefix such as "s.".
func (c Columns[T]) List(prefix string) string {
	return c.each(func(name string) string { return prefix + name })
}

// Parameters returns the parameters of the values, which have the columns' names: "@name, @amount".
func (c Columns[T]) Parameters() string { return c.List("@") }

// Assignments returns the list for SET: "name = @name, …".
func (c Columns[T]) Assignments() string {
	return c.each(func(name string) string { return name + " = @" + name })
}

func (c Columns[T]) each(text func(name string) string) string {
	texts := make([]string, len(c.names))
	for i, name := range c.names {
		texts[i] = text(name)
	}
	return strings.Join(texts, ", ")
}

// Args returns the values of t by the names of the columns.
func (c Columns[T]) Args(t *T) Args {
	args := Args{}
	for i, value := range c.values(t) {
		args[c.names[i]] = value
	}
	return args
}

func (c Columns[T]) values(t *T) []any {
	values := make([]any, len(c.fields))
	record := reflect.ValueOf(t).Elem()
	for i, field := range c.fields {
		values[i] = record.FieldByIndex(field).Interface()
	}
	return values
}

// JSON returns the records as an array of objects by column, for json_populate_recordset: one
// parameter for any number of rows. A column that an object lacks is NULL. A value that the driver
// refuses is an error.
func (c Columns[T]) JSON(records []T) ([]byte, error) {
	rows := []byte{'['}
	for i := range records {
		if i > 0 {
			rows = append(rows, ',')
		}
		rows = append(rows, '{')
		for k, value := range c.values(&records[i]) {
			converted, err := driver.DefaultParameterConverter.ConvertValue(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.names[k], err)
			}
			if converted == nil {
				continue
			}
			text, err := json.Marshal(converted)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.names[k], err)
			}
			if rows[len(rows)-1] != '{' {
				rows = append(rows, ',')
			}
			rows = append(strconv.AppendQuote(rows, c.names[k]), ':')
			rows = append(rows, text...)
		}
		rows = append(rows, '}')
	}
	return append(rows, ']'), nil
}
