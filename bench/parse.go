package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/finance/statement/statementtest"
)

// parse reads a statement as the worker does, up to the values that are stored of each item.
func parse(file io.ReadSeeker, n int, each func(i int)) error {
	r := statement.NewReader(file)
	today := finance.DateOf(time.Now())
	read := 0
	for ; ; read++ {
		item, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if _, _, err := statement.Classify(item, "", today); err != nil {
			return err
		}
		if each != nil {
			each(read)
		}
	}
	if read != n {
		return fmt.Errorf("%d items of %d", read, n)
	}
	return nil
}

// oneCore limits the program to one core until the lease ends.
func (h *harness) oneCore() {
	before := runtime.GOMAXPROCS(1)
	h.atEnd(func() { runtime.GOMAXPROCS(before) })
}

// perSecond parses the file repeatedly for d of this process's CPU time. Other programs thus do
// not count, but the garbage collector does.
func perSecond(file []byte, n int) figure {
	return func(_ context.Context, d time.Duration) (sample, error) {
		began := ownTime()
		runs := 0
		for ; runs == 0 || ownTime()-began < d; runs++ {
			if err := parse(bytes.NewReader(file), n, nil); err != nil {
				return sample{}, err
			}
		}
		return sample{value: float64(n*runs) / (ownTime() - began).Seconds()}, nil
	}
}

// ownTime returns the user and system time of this process.
func ownTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // never fails
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measureParse compares the reader with a bound of items per second for the format.
func measureParse(write statementtest.Write, floor float64) measurement {
	return func(_ context.Context, h *harness) (ours, bare figure, err error) {
		h.oneCore()
		return perSecond(statementtest.Bytes(write, h.items), h.items), bound(floor), nil
	}
}

// measureParseHeap reads a file ten times as long, which is generated while it is read, so that
// only the reader's data is in memory. It samples the heap throughout.
func measureParseHeap(write statementtest.Write) measurement {
	return func(_ context.Context, h *harness) (ours, floor figure, err error) {
		n := 10 * h.items
		peak := func(context.Context, time.Duration) (sample, error) {
			file := statementtest.Replay(write, n, statementtest.PerDay(2500))
			defer file.Close() // never fails
			runtime.GC()       // frees the garbage of other paths
			var most uint64
			err := parse(file, n, func(i int) {
				if i%10_000 == 0 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
				}
			})
			return sample{value: float64(most) / (1 << 20)}, err
		}
		return peak, bound(64), nil
	}
}

// measureParseLinear compares the cost of an item in files of 100,000 and a million, the higher
// of the two, with that in a file of 10,000.
func measureParseLinear(write statementtest.Write) measurement {
	return func(_ context.Context, h *harness) (ours, floor figure, err error) {
		h.oneCore()
		cost := func(n int) figure {
			rate := perSecond(statementtest.Bytes(write, n, statementtest.PerDay(2500)), n)
			return func(ctx context.Context, d time.Duration) (sample, error) {
				s, err := rate(ctx, d)
				return sample{value: 1e9 / s.value}, err
			}
		}
		hundredThousand, million := cost(h.items), cost(10*h.items)
		dearest := func(ctx context.Context, d time.Duration) (sample, error) {
			a, err := hundredThousand(ctx, d)
			if err != nil {
				return a, err
			}
			b, err := million(ctx, d)
			return sample{value: max(a.value, b.value)}, err
		}
		return dearest, cost(h.items / 10), nil
	}
}
