package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// report is what was done, and the results.
type report struct {
	t       *testing.T
	started time.Duration // until all processes were ready
	loaded  time.Duration // from the first request to the last
	quiet   time.Duration // from then on, until no work was left

	mu       sync.Mutex
	faults   []happened
	accepted []time.Time // changes
	done     []time.Time // jobs
	requests map[string]*requests
	statuses map[int]int
	lost     int // requests without a response
	lines    []string
}

// happened is a fault that happened.
type happened struct {
	name          string
	began, healed time.Time
}

// requests are those of one kind with a final response.
type requests struct {
	accepted, refused, again int // again counts those sent more than once
	longest                  time.Duration
}

func newReport(t *testing.T) *report {
	return &report{t: t, requests: map[string]*requests{}, statuses: map[int]int{}}
}

func (r *report) healed(f happened) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, f)
}

func (r *report) jobDone() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, time.Now())
}

func (r *report) broken() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost++
}

func (r *report) answered(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses[status]++
}

// ended records a final response after before earlier tries.
func (r *report) ended(asked request, accepted bool, before int, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.requests[asked.what]
	if n == nil {
		n = &requests{}
		r.requests[asked.what] = n
	}
	if accepted {
		n.accepted++
	} else {
		n.refused++
	}
	if before > 0 {
		n.again++
	}
	n.longest = max(n.longest, took)
	if accepted && asked.method != "GET" {
		r.accepted = append(r.accepted, time.Now())
	}
}

// since reports whether changes were accepted and jobs done since then.
func (r *report) since(then time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.accepted) > 0 && r.accepted[len(r.accepted)-1].After(then) && len(r.done) > 0 &&
		r.done[len(r.done)-1].After(then)
}

// latest tells when a change was accepted, and a job done, for the last time.
func (r *report) latest() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ago := func(moments []time.Time) string {
		if len(moments) == 0 {
			return "never"
		}
		return fmt.Sprintf("%.1f s ago", time.Since(moments[len(moments)-1]).Seconds())
	}
	return "the last change was accepted " + ago(r.accepted) + ", the last job seen done " + ago(r.done)
}

// line adds the result of one of the checks at the end.
func (r *report) line(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// print logs the report, which -v or a failed test shows.
func (r *report) print() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "seed %d, started in %.1f s, %.0f s of load, quiet after %.1f s\n\n", *seed, r.started.Seconds(),
		r.loaded.Seconds(), r.quiet.Seconds())
	r.printFaults(w)
	fmt.Fprintf(w, "\nrequests\taccepted\trefused\tsent again\tlongest\n")
	var all requests
	for _, what := range slices.Sorted(maps.Keys(r.requests)) {
		n := r.requests[what]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1fs\n", what, n.accepted, n.refused, n.again, n.longest.Seconds())
		all = requests{all.accepted + n.accepted, all.refused + n.refused, all.again + n.again,
			max(all.longest, n.longest)}
	}
	fmt.Fprintf(w, "all\t%d\t%d\t%d\t%.1fs\n\nanswers", all.accepted, all.refused, all.again, all.longest.Seconds())
	for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
		fmt.Fprintf(w, "  %d: %d", status, r.statuses[status])
	}
	fmt.Fprintf(w, "  none: %d\n\n", r.lost)
	for _, line := range r.lines {
		fmt.Fprintln(w, line)
	}
	_ = w.Flush()
	r.t.Logf("\n%s", b.String())
}

// printFaults prints how often each fault happened, the longest duration, and the longest time
// from its end to the next accepted change and the next completed job.
func (r *report) printFaults(w *tabwriter.Writer) {
	type row struct {
		times               int
		took, accepted, job time.Duration
	}
	rows := map[string]row{}
	for _, f := range r.faults {
		n := rows[f.name]
		rows[f.name] = row{n.times + 1, max(n.took, f.healed.Sub(f.began)),
			max(n.accepted, r.recovery(f, r.accepted, "PostgreSQL")),
			max(n.job, r.recovery(f, r.done, "PostgreSQL", "Redis"))}
	}
	fmt.Fprintf(w, "faults\ttimes\tlongest\tnext change\tnext job\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		n := rows[name]
		fmt.Fprintf(w, "%s\t%d\t%.1fs\t%.1fs\t%.1fs\n", name, n.times, n.took.Seconds(), n.accepted.Seconds(),
			n.job.Seconds())
	}
	fmt.Fprintf(w, "all\t%d\n", len(r.faults))
}

// recovery returns the time from the end of a fault to the first of the moments, which are
// sorted. If a server named in without failed again before that, the time counts from the end of
// that fault.
func (r *report) recovery(f happened, moments []time.Time, without ...string) time.Duration {
	first := func(then time.Time) time.Time {
		i, _ := slices.BinarySearchFunc(moments, then, time.Time.Compare)
		if i == len(moments) {
			return then
		}
		return moments[i]
	}
	from := f.healed
	for _, other := range r.faults { // in the order of their ends
		needed := slices.ContainsFunc(without, func(server string) bool { return strings.Contains(other.name, server) })
		if needed && other.healed.After(from) && other.began.Before(first(from)) {
			from = other.healed
		}
	}
	return first(from).Sub(from)
}
