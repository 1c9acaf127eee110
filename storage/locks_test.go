package storage_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The modes of row locks, from the weakest to the strongest.
const (
	noLock = iota
	share
	lock
	lockForDelete
)

var (
	lockName = regexp.MustCompile(`^([Ss]hare|[Ll]ock)[A-Z]\w*$`)
	lockMode = regexp.MustCompile(`FOR (KEY SHARE|NO KEY UPDATE|UPDATE)`)
	modes    = map[string]int{"FOR KEY SHARE": share, "FOR NO KEY UPDATE": lock, "FOR UPDATE": lockForDelete}
)

// namedMode is the mode that the name of a function promises.
func namedMode(name string) int {
	switch {
	case !lockName.MatchString(name):
		return noLock
	case strings.HasPrefix(strings.ToLower(name), "share"):
		return share
	case strings.HasSuffix(name, "ForDelete"):
		return lockForDelete
	default:
		return lock
	}
}

// A function that locks rows is named by the strongest mode of its SQL, or of the
// functions that it calls where it has none (docs/locking.md).
func TestLocksAreNamedByTheirMode(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var functions []*ast.FuncDecl
	statements := map[string]string{} // package-level SQL by name
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if namedMode(d.Name.Name) != noLock {
					functions = append(functions, d)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
						for i, name := range v.Names {
							statements[name.Name] = literals(v.Values[i])
						}
					}
				}
			}
		}
	}
	if len(functions) < 35 {
		t.Errorf("only %d functions lock", len(functions))
	}
	for _, f := range functions {
		sql, called := literals(f.Body), noLock
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				sql += statements[n.Name]
			case *ast.SelectorExpr:
				called = max(called, namedMode(n.Sel.Name))
			}
			return true
		})
		found := noLock
		for _, m := range lockMode.FindAllString(sql, -1) {
			found = max(found, modes[m])
		}
		if found == noLock {
			found = called
		}
		if want := namedMode(f.Name.Name); found != want {
			t.Errorf("%s: its name promises mode %d, its SQL has %d (1 KEY SHARE, 2 NO KEY UPDATE, 3 UPDATE)",
				f.Name.Name, want, found)
		}
	}
}

// literals are the strings below a node.
func literals(n ast.Node) string {
	var all strings.Builder
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			all.WriteString(l.Value)
		}
		return true
	})
	return all.String()
}
