// The command concurrent finds the tests of the packages in the given directories that start goroutines: by a go
// statement or a WaitGroup in their own body, or in a function of the same package that they call. It prints a pattern
// for go test -run, then the directories with such tests. In a package that starts hardly any goroutine itself, only
// these tests can show a race.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	var names, dirs []string
	for _, dir := range os.Args[1:] {
		found, err := concurrent(dir)
		if err != nil {
			log.Fatal(err)
		}
		if names = append(names, found...); len(found) > 0 {
			dirs = append(dirs, dir)
		}
	}
	if len(names) == 0 {
		log.Fatalf("no test of %v starts a goroutine", os.Args[1:])
	}
	slices.Sort(names)
	fmt.Printf("^(%s)$\n%s\n", strings.Join(slices.Compact(names), "|"), strings.Join(dirs, "\n"))
}

// concurrent returns the names of the tests in a directory that start goroutines.
func concurrent(dir string) (tests []string, err error) {
	functions, err := testFunctions(dir)
	if err != nil {
		return nil, err
	}
	starters := map[string]bool{} // functions whose body starts a goroutine
	for _, f := range functions {
		if calls(f, nil) {
			starters[f.Name.Name] = true
		}
	}
	for _, f := range functions {
		if f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" && calls(f, starters) {
			tests = append(tests, f.Name.Name)
		}
	}
	return tests, nil
}

// testFunctions returns the functions and methods of the _test.go files in a directory.
func testFunctions(dir string) (functions []*ast.FuncDecl, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions = append(functions, f)
			}
		}
	}
	return functions, nil
}

// calls reports whether a function has a go statement, or calls a function or method that is
// named Go or among starters.
func calls(f *ast.FuncDecl, starters map[string]bool) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.SelectorExpr:
				found = found || called.Sel.Name == "Go" || starters[called.Sel.Name]
			case *ast.Ident:
				found = found || starters[called.Name]
			}
		}
		return !found
	})
	return found
}
