package walls

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest   = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	writtenTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// A document that names a test stands and falls with it.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	written, named := map[string]bool{}, map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		tests := strings.HasSuffix(path, "_test.go")
		if !tests && !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if tests {
			for _, m := range writtenTest.FindAllSubmatch(text, -1) {
				written[string(m[1])] = true
			}
			return nil
		}
		for _, m := range namedTest.FindAllSubmatch(text, -1) {
			named[string(m[1])] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for test, document := range named {
		if !written[test] {
			t.Errorf("%s names %s, which does not exist", document, test)
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d tests are named", len(named))
	}
}
