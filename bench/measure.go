package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// figure runs one side of a path for at least about d and returns its result, in the path's
// unit.
type figure func(ctx context.Context, d time.Duration) (sample, error)

// result is one line of the report. Ratio is the median of the ratios of the pairs, Ours and
// Floor are the medians of the sides; N is the number of pairs.
type result struct {
	Path  string  `json:"path"`
	Unit  string  `json:"unit"`
	Ours  float64 `json:"ours"`
	Floor float64 `json:"floor"`
	Ratio float64 `json:"ratio"`
	N     int     `json:"n"`
}

// effort is how much is measured.
type effort struct {
	pairs   int
	cold    bool          // without a warm-up
	each    time.Duration // one side of a pair
	items   int           // in a statement
	samples int           // for a latency
	deleted int           // rows of an entity
	sales   int           // in the table of the listed pages
	priced  int           // sales to price again
	events  int           // sent one by one
	changes int           // of the account with the changes to read
	idle    time.Duration // of rest, and of a window after it
}

var (
	full = effort{pairs: 5, each: 3 * time.Second, items: 100_000, samples: 1000, deleted: 1_000_000, sales: 1_000_000,
		priced: 200_000, events: 5008, changes: 10_000_000, idle: time.Minute}
	quick = effort{pairs: 3, each: time.Second, items: 20_000, samples: 100, deleted: 50_000, sales: 50_000,
		priced: 20_000, events: 1008, changes: 100_000, idle: 5 * time.Second}
)

// few limits the pairs of a path with sides that take long, and omits the warm-up, which would be a
// small part of them.
func (e *effort) few(pairs int) { e.pairs, e.cold = min(e.pairs, pairs), true }

// sample is the result of one side. more are the values of the further lines, by the ends of
// their names; "cpu" is the CPU time per unit in milliseconds.
type sample struct {
	value float64
	more  map[string]float64
}

// withCPU returns a sample with the CPU time of n units.
func withCPU(value float64, used time.Duration, n int) sample {
	return sample{value, map[string]float64{"cpu": used.Seconds() * 1000 / float64(n)}}
}

// of returns the value of one of the lines.
func (s sample) of(lines []path, i int) (float64, error) {
	if i == 0 {
		return s.value, nil
	}
	v, ok := s.more[strings.TrimPrefix(lines[i].name, lines[0].name+".")]
	if !ok {
		return 0, fmt.Errorf("%s was not measured", lines[i].name)
	}
	return v, nil
}

// compare runs a warm-up and the pairs. In every second pair the floor goes first, so that a
// machine that becomes slower or faster affects both sides. It returns a result for each line.
func compare(ctx context.Context, lines []path, e effort, ours, floor figure, say func(string)) ([]result, error) {
	values := make([][3][]float64, len(lines)) // of ours, of the floor, and the ratios
	sides := [2]figure{ours, floor}
	for pair := range e.pairs + 1 {
		each := e.each
		if pair == 0 {
			if e.cold {
				continue
			}
			each /= 3 // enough to warm up
		}
		var got [2]sample
		for turn := range 2 {
			side := (pair + turn) % 2
			if sides[side] == nil {
				continue // a bound
			}
			var err error
			if got[side], err = sides[side](ctx, each); err != nil {
				return nil, err
			}
		}
		if pair == 0 {
			continue // the warm-up
		}
		for i, line := range lines {
			a, err := got[0].of(lines, i)
			if err != nil {
				return nil, err
			}
			b := line.target.bound
			if b == 0 {
				if b, err = got[1].of(lines, i); err != nil {
					return nil, err
				}
			}
			for j, v := range []float64{a, b, a / b} {
				values[i][j] = append(values[i][j], v)
			}
			say(fmt.Sprintf("%s: pair %d of %d: %s against %s %s, ratio %.2f", line.name, pair, e.pairs, number(a),
				number(b), line.unit, a/b))
		}
		// It excludes other programs, so it is meaningful where the rates are too noisy.
		if a, b := got[0].more["cpu"], got[1].more["cpu"]; a > 0 && b > 0 {
			say(fmt.Sprintf("%s: CPU %s against %s ms", lines[0].name, number(a), number(b)))
		}
	}
	results := make([]result, len(lines))
	for i, line := range lines {
		v := values[i]
		results[i] = result{line.name, line.unit, rounded(median(v[0])), rounded(median(v[1])), rounded(median(v[2])),
			e.pairs}
	}
	return results, nil
}

// median of an even number of values is the mean of the middle two.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// percentile is the least value that p per cent of the values do not exceed.
func percentile[T cmp.Ordered](v []T, p float64) T {
	s := slices.Sorted(slices.Values(v))
	n := int(math.Ceil(p / 100 * float64(len(s))))
	return s[max(n, 1)-1]
}

// rounded rounds to four digits: the rest is noise.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
