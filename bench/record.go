package main

import (
	"fmt"
	"os"
	"strings"
)

// The rows of a document's table are between these.
const (
	recordHead = "| path | ours | floor | unit | ratio | target | | pairs |\n|---|--:|--:|---|--:|---|---|--:|\n"
	recordEnd  = "\n<!-- end of the figures -->"
)

// recordIn writes each result into the table of a document as soon as it is measured. It replaces
// the path's earlier row and leaves the others.
func recordIn(document string, report func(result)) func(result) {
	return func(r result) {
		report(r)
		if err := record(document, r); err != nil {
			progress("%s: %v", document, err)
		}
	}
}

func record(document string, r result) error {
	content, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok1 := strings.Cut(string(content), recordHead)
	table, after, ok2 := strings.Cut(rest, recordEnd)
	if !ok1 || !ok2 {
		return fmt.Errorf("no table: it begins with\n%sand ends with%s", recordHead, recordEnd)
	}
	rows := map[string]string{r.Path: row(r)}
	for line := range strings.Lines(table + "\n") {
		if name := strings.Split(line, "`"); len(name) > 2 && rows[name[1]] == "" {
			rows[name[1]] = line
		}
	}
	var all strings.Builder
	for _, p := range paths {
		all.WriteString(rows[p.name])
	}
	return os.WriteFile(document, []byte(before+recordHead+strings.TrimSuffix(all.String(), "\n")+recordEnd+after),
		0o644)
}

// row returns a path's line of the table.
func row(r result) string {
	target, verdict := verdict(r)
	return fmt.Sprintf("| `%s` | %s | %s | %s | %.2f | %s | %s | %d |\n", r.Path, number(r.Ours), number(r.Floor),
		r.Unit, r.Ratio, target, verdict, r.N)
}
