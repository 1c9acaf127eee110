package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bordero/finance/statement"
)

// statementEndings are the endings of the names of statements in a folder. A file of another name, such as a .ret or
// .txt, is uploaded if its content is a statement: a folder may also have the returns of collections. A file that is
// named itself is uploaded whatever its name.
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
				f.Status, f.Output = recognised(f.File)
			}
			all = append(all, f)
		}
	}
	return all
}

// recognised returns the final status of a file that is no statement by its content, and the reason.
func recognised(name string) (status, output string) {
	const other = "neither its name nor its content is that of a statement"
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // reading a pipe would wait for its writer
		return statusSkipped, other
	}
	file, err := os.Open(name)
	if err != nil {
		return failed, err.Error()
	}
	defer file.Close()
	head := make([]byte, statement.DetectSize)
	n, err := io.ReadFull(file, head)
	switch {
	case err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF):
		return failed, err.Error()
	case statement.Detect(head[:n]) == "":
		return statusSkipped, other
	}
	return "", ""
}

// printSkipped names the skipped files in one line on the standard error.
func printSkipped(all []importedFile) {
	const most = 5
	var names []string
	for _, f := range all {
		if f.Status == statusSkipped {
			names = append(names, filepath.Base(f.File))
		}
	}
	n := len(names)
	if n == 0 {
		return
	}
	if n > most {
		names = append(names[:most], fmt.Sprintf("and %d more", n-most))
	}
	fmt.Fprintf(os.Stderr, "skipped as no statements: %d (%s)\n", n, strings.Join(names, ", "))
}

// hasFolder reports whether one of the names is a folder.
func hasFolder(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
}
