package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"bordero/api"
)

func TestPathsAreThoseOfRoutes(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	for _, r := range api.Routes() {
		served[numbered.path(r)] = true
	}
	for name, path := range spelled {
		if !served[path] {
			t.Errorf("paths.%s spells %s, which is no route", name, path)
		}
	}
	// any of the others
	all := slices.DeleteFunc(exported(t, "../internal/paths/paths.go"), func(name string) bool {
		return name == "Record"
	})
	equal(t, slices.Sorted(maps.Keys(spelled)), all)
}

// exported lists the functions that a file exports.
func exported(t *testing.T, name string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
			names = append(names, f.Name.Name)
		}
	}
	slices.Sort(names)
	return names
}
