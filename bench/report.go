package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// target is the least that a ratio may be, or the most: without either, our figure may be at most the floor's. bound
// takes the place of a floor.
type target struct{ least, most, bound float64 }

func (t target) String() string {
	if t.least == 0 {
		return fmt.Sprintf("≤ %g", cmp.Or(t.most, 1))
	}
	return fmt.Sprintf("≥ %g", t.least)
}

// verdict says whether a ratio, as it is printed, meets the target.
func (t target) verdict(ratio float64) string {
	ratio = math.Round(ratio*100) / 100
	if ratio < t.least || t.least == 0 && ratio > cmp.Or(t.most, 1) {
		return "MISS"
	}
	return "pass"
}

// printTable prints a line of a table for each result.
func printTable(out io.Writer) func(line, result) {
	const format = "%-30s %12s %12s  %-12s %7s  %-16s %s\n"
	fmt.Fprintf(out, format, "name", "ours", "floor", "unit", "ratio", "target", "")
	return func(l line, r result) {
		fmt.Fprintf(out, format, l.name, number(r.ours), number(r.floor), l.unit, fmt.Sprintf("%.2f", r.ratio),
			l.target, l.target.verdict(r.ratio))
	}
}

// number formats a figure with three digits, or, from 100 on, with four and its zeros, in groups of
// three. The rest is noise.
func number(v float64) string {
	if math.Abs(v) < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// The rows of a document's table are between these.
const (
	recordHead = "| path | ours | floor | unit | ratio | target | | pairs |\n|---|--:|--:|---|--:|---|---|--:|\n"
	recordEnd  = "\n<!-- end of the figures -->"
)

// record writes a result into the table of a document. It replaces the earlier row of the line and
// leaves the others.
func record(document string, l line, r result) error {
	content, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok1 := strings.Cut(string(content), recordHead)
	table, after, ok2 := strings.Cut(rest, recordEnd)
	if !ok1 || !ok2 {
		return fmt.Errorf("no table: it begins with\n%sand ends with%s", recordHead, recordEnd)
	}
	rows := map[string]string{l.name: fmt.Sprintf("| `%s` | %s | %s | %s | %.2f | %s | %s | %d |\n", l.name,
		number(r.ours), number(r.floor), l.unit, r.ratio, l.target, l.target.verdict(r.ratio), r.pairs)}
	for row := range strings.Lines(table + "\n") {
		if name := strings.Split(row, "`"); len(name) > 2 && rows[name[1]] == "" {
			rows[name[1]] = row
		}
	}
	var all strings.Builder
	for _, m := range measurements {
		for _, of := range m.lines {
			all.WriteString(rows[of.name])
		}
	}
	return os.WriteFile(document, []byte(before+recordHead+strings.TrimSuffix(all.String(), "\n")+recordEnd+after),
		0o644)
}
