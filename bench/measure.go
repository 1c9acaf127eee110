package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// figure runs one side for at least about d and returns its result, in the unit of the line.
type figure func(ctx context.Context, d time.Duration) sample

// sample is the result of one side. more are the values of the further lines, by the ends of their names.
type sample struct {
	value float64
	more  map[string]float64
}

// result is what the report says of a line: the medians of both sides, and of the ratios of the pairs.
type result struct {
	ours, floor, ratio float64
	pairs              int
}

// effort is how much is measured.
type effort struct {
	pairs   int
	cold    bool          // without a warm-up
	each    time.Duration // one side of a pair
	items   int           // in a statement
	samples int           // for a latency
	deleted int           // rows of an entity
	sales   int           // to search in
	summed  int           // transactions, or accounts, of a report
	priced  int           // sales to price again
	events  int           // sent one by one
	idle    time.Duration // of rest, and of a window after it
	hold    time.Duration // of a snapshot
	books   int           // sales, and transactions, of each tenant of a load
	step    time.Duration // of a load, at one rate
	rate    float64       // of a load, the first
	more    float64       // factor from a rate to the next
}

var (
	full = effort{pairs: 5, each: 3 * time.Second, items: 100_000, samples: 1000, deleted: 1_000_000, sales: 1_000_000,
		summed: 1_000_000, priced: 200_000, events: 5008, idle: time.Minute, hold: 10 * time.Minute,
		books: 20_000, step: 10 * time.Second, rate: 25, more: 1.4}
	quick = effort{pairs: 3, each: time.Second, items: 20_000, samples: 100, deleted: 50_000, sales: 50_000,
		summed: 50_000, priced: 20_000, events: 1008, idle: 5 * time.Second, hold: 5 * time.Second,
		books: 2000, step: 3 * time.Second, rate: 25, more: 2}
)

// few limits the pairs of a measurement with sides that take long, and omits the warm-up, which would be
// a small part of them.
func (e *effort) few(pairs int) { e.pairs, e.cold = min(e.pairs, pairs), true }

// compare runs a warm-up and the pairs. In every second pair the floor goes first, so that a
// machine that becomes slower or faster affects both sides. It returns a result for each line.
func compare(ctx context.Context, lines []line, e effort, ours, floor figure) []result {
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
			if side := (pair + turn) % 2; sides[side] != nil {
				got[side] = sides[side](ctx, each)
			}
		}
		if pair == 0 {
			continue // the warm-up
		}
		for i, l := range lines {
			a, b := got[0].of(lines, i), cmp.Or(l.target.bound, got[1].of(lines, i))
			for j, v := range []float64{a, b, a / b} {
				values[i][j] = append(values[i][j], v)
			}
			progress("%s: pair %d of %d: %s against %s %s, ratio %.2f", l.name, pair, e.pairs, number(a), number(b),
				l.unit, a/b)
		}
	}
	results := make([]result, len(lines))
	for i, v := range values {
		results[i] = result{percentile(v[0], 50), percentile(v[1], 50), percentile(v[2], 50), e.pairs}
	}
	return results
}

// of returns the value of one of the lines.
func (s sample) of(lines []line, i int) float64 {
	if i == 0 {
		return s.value
	}
	return s.more[strings.TrimPrefix(lines[i].name, lines[0].name+".")]
}

// repeated runs do, with n units each time, until d has passed, and measures the units per second of
// the time that do returns.
func repeated(n int, do func(context.Context) time.Duration) figure {
	return func(ctx context.Context, d time.Duration) sample {
		var took time.Duration
		done := 0
		for done == 0 || took < d {
			took += do(ctx)
			done += n
		}
		return sample{value: float64(done) / took.Seconds()}
	}
}

// timed returns how long do took.
func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// latency measures the median, in milliseconds, of effort's number of samples, and the 99th percentile.
// The intervals between them are random.
func (h *harness) latency(one func(context.Context) time.Duration) figure {
	return func(ctx context.Context, _ time.Duration) sample {
		waits := make([]time.Duration, h.samples)
		for i := range waits {
			time.Sleep(time.Duration(rand.N(20)) * time.Millisecond)
			waits[i] = one(ctx)
		}
		return sample{milliseconds(percentile(waits, 50)), map[string]float64{
			"p99": milliseconds(percentile(waits, 99))}}
	}
}

// moment is when something was seen that a sample waits for.
type moment struct {
	at time.Time
	id int64 // of the record, where there are several
}

// await receives a moment within a minute.
func await(from <-chan moment, what string) moment {
	select {
	case m := <-from:
		return m
	case <-time.After(time.Minute):
		check(fmt.Errorf("%s did not come within a minute", what))
		return moment{}
	}
}

// percentile is the least value that p per cent of the values do not exceed.
func percentile[T cmp.Ordered](v []T, p float64) T {
	s := slices.Sorted(slices.Values(v))
	n := int(math.Ceil(p / 100 * float64(len(s))))
	return s[max(n, 1)-1]
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// failure is the panic that ends a measurement.
type failure struct{ error }

// check ends the measurement if err is not nil. Like must, it is for the goroutine that try has started.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns a value, or ends the measurement.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// try returns the error that ended do.
func try(do func()) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.error
		default:
			panic(f)
		}
	}()
	do()
	return nil
}

// together runs do n times at once.
func together(n int, do func()) {
	var all sync.WaitGroup
	failed := make([]error, n)
	for i := range failed {
		all.Go(func() { failed[i] = try(do) })
	}
	all.Wait()
	check(errors.Join(failed...))
}

// inBackground tries do in a goroutine until stop is called, which returns the error that ended it before.
func inBackground(ctx context.Context, do func(context.Context)) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := try(func() { do(ctx) })
		if ctx.Err() != nil {
			err = nil
		}
		ended <- err
	}()
	return func() error { cancel(); return <-ended }
}
