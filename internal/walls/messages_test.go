package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tables are files of data, whose texts are not sentences for users.
var tables = []string{
	"finance/bank.go", "finance/currency.go",
	"finance/statement/layouts.go", // the headers of banks' tables
	"internal/cli/up.go",           // the name of the demo account
}

// All texts for API users are in internal/messages. A literal with a Portuguese letter
// anywhere else is a sentence that a translation would miss; only examples of values in the OpenAPI
// document are none.
func TestSentencesAreInTheTable(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && d.Name() != "." && d.Name() != ".." ||
				slices.Contains([]string{"bench", "e2e", "testdata", "internal/messages"}, name) ||
				strings.HasSuffix(name, "test") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(tables, name) {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Example" {
					return false
				}
			}
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING &&
				strings.ContainsAny(l.Value, "ãõáéíóúâêôçÃÕÁÉÍÓÚÂÊÔÇ") {
				t.Errorf("%v: %s belongs to internal/messages", files.Position(l.Pos()), l.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
