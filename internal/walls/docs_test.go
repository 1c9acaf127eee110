package walls

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the directory of the repository.
var root = filepath.Join("..", "..")

// readAll calls read with the path below the root and the text of every file with one of
// the endings.
func readAll(t *testing.T, endings []string, read func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		for _, ending := range endings {
			if strings.HasSuffix(path, ending) {
				text, err := os.ReadFile(path)
				read(strings.TrimPrefix(path, root+"/"), string(text))
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

var (
	namedTest   = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	writtenTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// Every test that a document names exists.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	written, named := map[string]bool{}, map[string]string{}
	readAll(t, []string{"_test.go"}, func(_, text string) {
		for _, m := range writtenTest.FindAllStringSubmatch(text, -1) {
			written[m[1]] = true
		}
	})
	readAll(t, []string{".md"}, func(path, text string) {
		for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
			named[m[1]] = path
		}
	})
	for test, document := range named {
		if !written[test] {
			t.Errorf("%s names %s, which does not exist", document, test)
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d tests are named", len(named))
	}
}

var (
	comment       = regexp.MustCompile(`(?m)(?://|--|^\s*#).*$`)
	citedDocument = regexp.MustCompile(`[\w./-]*\w\.md\b`)
	citedDecision = regexp.MustCompile(`\bdecision (\d{4})\b`)
)

// Everything that a comment cites is in the repository, so that its reader finds it.
func TestCommentsCiteWhatExists(t *testing.T) {
	t.Parallel()
	decisions := 0
	readAll(t, []string{".go", ".sql"}, func(path, text string) {
		lines := comment.FindAllString(text, -1)
		all := strings.NewReplacer("\n// ", " ", "\n-- ", " ").Replace(strings.Join(lines, "\n"))
		for _, cited := range citedDocument.FindAllString(all, -1) {
			if !exists(root, cited) && !exists(root, filepath.Dir(path), cited) {
				t.Errorf("%s cites %s, which does not exist", path, cited)
			}
		}
		for _, m := range citedDecision.FindAllStringSubmatch(all, -1) {
			decisions++
			if found, _ := filepath.Glob(filepath.Join(root, "docs", "decisions", m[1]+"-*.md")); len(found) != 1 {
				t.Errorf("%s cites decision %s, which does not exist", path, m[1])
			}
		}
	})
	if decisions < 5 {
		t.Errorf("only %d decisions are cited", decisions)
	}
}

var (
	shellBlock = regexp.MustCompile("(?ms)^ *```sh\\b.*?\n(.*?)^ *```")
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	inBlock    = regexp.MustCompile(`(?m)(^|\s)#.*`)
)

// Readers paste these blocks into their shell, and zsh takes a comment for arguments.
func TestBlocksToPasteHaveNoComments(t *testing.T) {
	t.Parallel()
	blocks := 0
	readAll(t, []string{".md"}, func(path, text string) {
		if path != "README.md" && !strings.HasPrefix(path, "api/docs/guides/") {
			return
		}
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			blocks++
			if found := inBlock.FindString(quoted.ReplaceAllString(block[1], "")); found != "" {
				t.Errorf("%s: %q belongs above the block", path, strings.TrimSpace(found))
			}
		}
	})
	if blocks < 50 {
		t.Errorf("only %d blocks", blocks)
	}
}
