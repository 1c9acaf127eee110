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

// formats are the formats of statements, with the least items per second of each.
var formats = []struct {
	name  string
	write statementtest.Write
	least float64
}{
	{"OFX", statementtest.WriteOFX, 400_000}, {"OFC", statementtest.WriteOFC, 200_000},
	{"QIF", statementtest.WriteQIF, 200_000},
}

// parse reads a statement as the worker does, up to the values that are stored of each item.
func parse(file io.ReadSeeker, n int) error {
	today := finance.DateOf(time.Now())
	r := statement.NewReader(file, today)
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
	}
	if read != n {
		return fmt.Errorf("%d items of %d", read, n)
	}
	return nil
}

// oneCore limits the program to one core until the path ends.
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
			if err := parse(bytes.NewReader(file), n); err != nil {
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

// worstFormat measures each format once and returns the sides of the one with the worst ratio.
func (h *harness) worstFormat(ctx context.Context, sides func(write statementtest.Write, least float64) (ours,
	floor figure)) (ours, floor figure, err error) {
	h.oneCore()
	var name string
	var worst float64
	for _, f := range formats {
		a, b := sides(f.write, f.least)
		r, err := compare(ctx, []path{h.path}, effort{pairs: 1, cold: true, each: h.each}, a, b, func(string) {})
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.name, err)
		}
		ratio := r[0].Ratio
		progress("%s: %s: ratio %.2f", h.path.name, f.name, ratio)
		if h.path.target.most > 0 {
			ratio = -ratio // the highest is the worst
		}
		if name == "" || ratio < worst {
			name, worst, ours, floor = f.name, ratio, a, b
		}
	}
	progress("%s: the worst is %s", h.path.name, name)
	return ours, floor, nil
}

// measureParse compares the reader with the least items per second.
func measureParse(ctx context.Context, h *harness) (ours, floor figure, err error) {
	return h.worstFormat(ctx, func(write statementtest.Write, least float64) (ours, floor figure) {
		return perSecond(statementtest.Bytes(write, h.items), h.items),
			func(context.Context, time.Duration) (sample, error) { return sample{value: least}, nil }
	})
}
