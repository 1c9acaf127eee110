package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// figure runs one side of a path for at least about d and returns its result, in the path's
// unit.
type figure func(ctx context.Context, d time.Duration) (sample, error)

// bound is the floor of a path that has no floor to run: a limit for our figure.
func bound(v float64) figure {
	return func(context.Context, time.Duration) (sample, error) { return sample{value: v}, nil }
}

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
	sales   int           // in the table whose pages are listed
	priced  int           // sales to price again
	events  int           // sent one by one
	idle    time.Duration // of rest, and of a window after it
}

var (
	full  = effort{pairs: 5, each: 3 * time.Second, items: 100_000, samples: 1000, deleted: 1_000_000, sales: 1_000_000, priced: 200_000, events: 5008, idle: time.Minute}
	quick = effort{pairs: 3, each: time.Second, items: 20_000, samples: 100, deleted: 50_000, sales: 50_000, priced: 20_000, events: 1008, idle: 5 * time.Second}
)

// few limits the pairs of a path whose sides take long, and omits the warm-up, which would be a
// small part of them.
func (e *effort) few(pairs int) { e.pairs, e.cold = min(e.pairs, pairs), true }

// compare runs a warm-up and the pairs. In every second pair the floor goes first, so that a
// machine that becomes slower or faster affects both sides.
func compare(ctx context.Context, p path, e effort, ours, floor figure, say func(string)) (result, error) {
	r := result{Path: p.name, Unit: p.unit, N: e.pairs}
	var both [2][]float64
	var ratios []float64
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
			v, err := sides[side](ctx, each)
			if err != nil {
				return r, err
			}
			got[side] = v
		}
		if pair == 0 {
			continue // the warm-up
		}
		for side, v := range got {
			both[side] = append(both[side], v.value)
		}
		ratio := got[0].value / got[1].value
		ratios = append(ratios, ratio)
		say(fmt.Sprintf("pair %d of %d: %s against %s %s, ratio %.2f%s",
			pair, e.pairs, number(got[0].value), number(got[1].value), p.unit, ratio, cpuRatio(got[0], got[1])))
	}
	r.Ours, r.Floor, r.Ratio = rounded(median(both[0])), rounded(median(both[1])), rounded(median(ratios))
	return r, nil
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
