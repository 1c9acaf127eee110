package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// statementEndings are the endings of the names of statements in a folder. A file that is named itself is uploaded
// whatever its name: its content decides.
var statementEndings = []string{".ofx", ".ofc", ".qif", ".csv", ".xlsx", ".json", ".jsonl", ".ndjson"}

// listed returns the files of an import, in order: the named ones, and in place of a folder its files, sorted by name.
// Files that will not be uploaded have their final status. The folder's folders and hidden files are not listed.
func listed(names []string) (all []importedFile) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			all = append(all, importedFile{File: name})
			continue
		}
		entries, err := os.ReadDir(name) // sorted
		if err != nil {
			all = append(all, importedFile{File: name, Status: failed, Output: err.Error()})
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			f := importedFile{File: filepath.Join(name, e.Name())}
			switch {
			case e.IsDir():
				f.Status, f.Output = statusSkipped, "a folder in a folder"
			case !slices.Contains(statementEndings, strings.ToLower(filepath.Ext(e.Name()))):
				f.Status, f.Output = statusSkipped, "its name does not end in "+strings.Join(statementEndings, ", ")
			}
			all = append(all, f)
		}
	}
	return all
}

// hasFolder reports whether one of the names is a folder.
func hasFolder(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
}
