package statement

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tableFiles returns complete files with tables: of this package, of the corpus and, where they are, of the doors.
func tableFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for name, c := range tables {
		files[name] = []byte(c.file)
	}
	for _, folder := range []string{filepath.Join(corpus, "csv"), filepath.Join(doors, "files")} {
		found, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if Detect(file) == CSV {
				files[filepath.Base(name)] = file
			}
		}
	}
	if len(files) < 20 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// kept writes what a cut must not change of an item.
func kept(it Item) string {
	outcome, amount, err := Classify(it, "", day(2026, 11, 26))
	return fmt.Sprint(it.Day, amount, it.FITID, it.Document, it.Account, outcome, err)
}

// A complete file is read without its last line end, too, and with each kind of line end.
func TestTablesWithoutTheLastLineEnd(t *testing.T) {
	t.Parallel()
	for name, file := range tableFiles(t) {
		whole, err := readAll(newReader(bytes.NewReader(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(file))
		for _, end := range []string{"\n", "\r\n", "\r"} {
			for _, last := range []string{"", end, end + end, end + "\x1A"} {
				text := strings.ReplaceAll(strings.TrimRight(lines, "\n"), "\n", end) + last
				items, err := readAll(newReader(strings.NewReader(text)))
				if err != nil || !slices.EqualFunc(whole, items, func(a, b Item) bool { return kept(a) == kept(b) }) {
					t.Errorf("%s with %q, %q at the end: %d of %d items, error %v", name, end, last, len(items),
						len(whole), err)
				}
			}
		}
	}
}

// A table that is cut inside a row is refused, or its items are the first ones of the whole file.
func TestCutTables(t *testing.T) {
	t.Parallel()
	cuts, refused := 0, 0
	for name, file := range tableFiles(t) {
		if lines := bytes.SplitAfter(file, []byte("\n")); len(lines) > 40 { // for speed
			file = bytes.Join(slices.Concat(lines[:20], lines[len(lines)-10:]), nil)
		}
		whole, err := readAll(newReader(bytes.NewReader(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, cut := range cutsOfTable(file, whole) {
			cuts++
			items, err := readAll(newReader(bytes.NewReader(file[:cut])))
			if err != nil {
				refused++
				if !errors.As(err, new(*Error)) {
					t.Errorf("%s, cut behind %d bytes: %v", name, cut, err)
				}
				continue
			}
			for i, it := range items {
				if name == "binary floats" { // a decimal less may be another cent
					continue
				}
				if i >= len(whole) || kept(it) != kept(whole[i]) {
					t.Errorf("%s, cut behind %q: item %d is %s, and %s in the whole file", name,
						file[max(0, cut-30):cut], i, kept(it), kept(whole[min(i, len(whole)-1)]))
				}
			}
		}
	}
	t.Logf("%d cuts, %d refused", cuts, refused)
}

// cutsOfTable returns every place in the rows of the first and the last item, and some in two others.
func cutsOfTable(file []byte, items []Item) (cuts []int) {
	n := len(items)
	if n == 0 {
		return nil
	}
	every := map[int]int{items[min(1, n-1)].Line: 4, items[n/2].Line: 4}
	every[items[0].Line], every[items[n-1].Line] = 1, 1
	line := 1
	for i, c := range file {
		if step := every[line]; step > 0 && i%step == 0 {
			cuts = append(cuts, i)
		}
		if c == '\n' || c == '\r' && (i+1 == len(file) || file[i+1] != '\n') {
			line++
		}
	}
	return cuts
}

// Cut files of JSON, CNAB 240 and XLSX are refused, or their items are the first ones of the whole file.
func TestCutFilesOfOtherFormats(t *testing.T) {
	t.Parallel()
	cuts, refused := map[string]int{}, map[string]int{}
	for _, row := range manifest(t) {
		format := row["format"]
		file := corpusFile(t, row)
		whole, err := readAll(newReader(bytes.NewReader(file)))
		if err != nil || format != "JSON" && format != "CNAB 240" && format != "XLSX" {
			continue
		}
		for cut := 1; cut < len(file); cut += 1 + len(file)/150 {
			cuts[format]++
			items, err := readAll(newReader(bytes.NewReader(file[:cut])))
			if err != nil {
				refused[format]++
				if !errors.As(err, new(*Error)) {
					t.Errorf("%s, cut behind %d bytes: %v", row["file"], cut, err)
				}
				continue
			}
			for i, it := range items {
				if i >= len(whole) || kept(it) != kept(whole[i]) {
					t.Errorf("%s, cut behind %q: item %d is %s", row["file"], file[max(0, cut-30):cut], i, kept(it))
				}
			}
		}
	}
	t.Logf("%v cuts, %v refused", cuts, refused)
	for _, format := range []string{"JSON", "CNAB 240", "XLSX"} {
		if cuts[format] < 50 {
			t.Errorf("%s: %d cuts", format, cuts[format])
		}
	}
}
