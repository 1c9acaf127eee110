package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// target limits a ratio: at least least, at most most. aim is a further goal. within limits our
// own figure, whatever the floor. bound takes the place of a floor and is the most that ours may be.
type target struct{ least, most, aim, within, bound float64 }

func (t target) met(r result) bool {
	return r.Ratio >= t.least && (t.most == 0 || r.Ratio <= t.most) && (t.within == 0 || r.Ours <= t.within) &&
		(t.bound == 0 || r.Ratio <= 1)
}

func (t target) String() string {
	switch {
	case t.within > 0:
		return fmt.Sprintf("ours ≤ %g", t.within)
	case t.bound > 0:
		return "≤ 1"
	case t.most > 0:
		return fmt.Sprintf("≤ %g", t.most)
	case t.aim > 0:
		return fmt.Sprintf("≥ %g (aim %g)", t.least, t.aim)
	}
	return fmt.Sprintf("≥ %g", t.least)
}

// verdict returns the target of the result's path, and whether the result meets it.
func verdict(r result) (target, string) {
	t := paths[slices.IndexFunc(paths, func(p path) bool { return p.name == r.Path })].target
	if t.met(r) {
		return t, "pass"
	}
	return t, "MISS"
}

// printJSON prints a line for each measured path at once, for programs.
func printJSON(out io.Writer) (report func(result), end func()) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return func(r result) { _ = e.Encode(r) }, func() {}
}

// printTable prints a table at the end, for people.
func printTable(out io.Writer) (report func(result), end func()) {
	var all []result
	return func(r result) { all = append(all, r) }, func() {
		fmt.Fprintf(out, "%-24s %12s %12s  %-10s %7s  %s\n", "path", "ours", "floor", "unit", "ratio", "target")
		for _, r := range all {
			target, verdict := verdict(r)
			fmt.Fprintf(out, "%-24s %12s %12s  %-10s %7.2f  %-16s %s\n",
				r.Path, number(r.Ours), number(r.Floor), r.Unit, r.Ratio, target, verdict)
		}
	}
}

// number formats a figure with three digits, or with all digits before the point in groups of
// three.
func number(v float64) string {
	if math.Abs(v) < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
