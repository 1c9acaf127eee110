package walls

import (
	"fmt"
	"go/scanner"
	"go/token"
	"iter"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// plain bounds how often 10,000 words of comments have some words. A comment that names its records
// needs few of them: "the payables of a hidden card" for "what goes with it".
var plain = []struct {
	word *regexp.Regexp
	most int
}{
	{regexp.MustCompile(`(?i)\bwhat\b`), 15},
	{regexp.MustCompile(`(?i)\b(who|whom|whose)\b`), 8},
	{regexp.MustCompile(`(?i)\bthose\b`), 10},
	{regexp.MustCompile(`(?i)\bnone\b`), 8},
}

var (
	generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	structTag = regexp.MustCompile("`[a-z]+:\".*\"`$") // it cannot be broken
	directive = regexp.MustCompile(`^//[a-z]+:`)
)

// maxColumns is the width of a line, with four columns for a tab.
const maxColumns = 120

func TestCommentsUsePlainWords(t *testing.T) {
	t.Parallel()
	words, places := 0, make([][]string, len(plain))
	readCode(t, func(path, text string) {
		for line, comment := range commentsOf(text) {
			words += len(strings.Fields(comment))
			for i, p := range plain {
				for range p.word.FindAllString(comment, -1) {
					places[i] = append(places[i], fmt.Sprintf("%s:%d", path, line))
				}
			}
		}
	})
	if words < 30_000 {
		t.Errorf("only %d words were read", words)
	}
	for i, p := range plain {
		if n := len(places[i]); n*10_000 > p.most*words {
			t.Errorf("%d of %d words match %v; at most %d of 10,000 may. Name the thing instead:\n%s",
				n, words, p.word, p.most, strings.Join(places[i], "\n"))
		}
	}
}

func TestLinesFitTheScreen(t *testing.T) {
	t.Parallel()
	read := 0
	readAll(t, []string{".go"}, func(path, text string) {
		if generated.MatchString(text) {
			return
		}
		for i, line := range strings.Split(text, "\n") {
			read++
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns > maxColumns && !structTag.MatchString(line) {
				t.Errorf("%s:%d has %d columns; at most %d fit", path, i+1, columns, maxColumns)
			}
		}
	})
	if read < 100_000 {
		t.Errorf("only %d lines were read", read)
	}
}

// fence begins or ends a block of code.
var fence = regexp.MustCompile("^ *```+[^`]*$")

// unbroken begins a line of Markdown that cannot be broken: of a table, a picture, a quotation or HTML.
var unbroken = regexp.MustCompile(`^ *(\||!\[|>|<)`)

func TestTextsFitTheScreen(t *testing.T) {
	t.Parallel()
	read := 0
	readAll(t, []string{".md"}, func(path, text string) {
		inBlock := false
		for i, line := range strings.Split(text, "\n") {
			if fence.MatchString(line) {
				inBlock = !inBlock
			}
			read++
			if n := utf8.RuneCountInString(line); n > maxColumns && !inBlock && !unbroken.MatchString(line) {
				t.Errorf("%s:%d has %d columns; at most %d fit", path, i+1, n, maxColumns)
			}
		}
	})
	if read < 5000 {
		t.Errorf("only %d lines were read", read)
	}
}

// readCode calls read with the path and the text of every file of Go that is neither a test nor
// generated.
func readCode(t *testing.T, read func(path, text string)) {
	t.Helper()
	readAll(t, []string{".go"}, func(path, text string) {
		if !strings.HasSuffix(path, "_test.go") && !generated.MatchString(text) {
			read(path, text)
		}
	})
}

// commentsOf yields the comments of a file by their lines, without directives such as //go:embed.
func commentsOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		file := token.NewFileSet().AddFile("", -1, len(text))
		var s scanner.Scanner
		s.Init(file, []byte(text), nil, scanner.ScanComments)
		for {
			pos, tok, comment := s.Scan()
			if tok == token.EOF {
				return
			}
			if tok == token.COMMENT && !directive.MatchString(comment) && !yield(file.Line(pos), comment) {
				return
			}
		}
	}
}
