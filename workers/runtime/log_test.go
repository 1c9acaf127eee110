package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/storage/queue"
	"bordero/workers/runtime"
)

// jobEnded matches the line of a run: its level, job, account, attempts, result, jobs and times.
var jobEnded = regexp.MustCompile(`level=(\w+) msg="job ended" kind=\w+ job_id=(\d+) account_id=1 attempts=(\d+) ` +
	`request_id=r-1 ` +
	`trace_id=0af7651916cd43dd8448eb211c80319c result=(\w+) queue=test jobs=(\d+) waited_ms=([\d.]+) ` +
	`took_ms=([\d.]+)(.*)`)

// ended returns the lines of the runs of each job: result, attempts, jobs and what follows the times.
func (h harness) ended() (lines map[string][]string, waited, took time.Duration) {
	h.T.Helper()
	lines = map[string][]string{}
	longest := func(ms string, most time.Duration) time.Duration {
		f, err := strconv.ParseFloat(ms, 64)
		if err != nil {
			h.T.Fatal(err)
		}
		return max(most, time.Duration(f*float64(time.Millisecond)))
	}
	for line := range strings.Lines(h.Log.String()) {
		if !strings.Contains(line, "job ended") {
			continue
		}
		m := jobEnded.FindStringSubmatch(line)
		if m == nil {
			h.T.Fatalf("a run is logged as %s", line)
		}
		lines[m[2]] = append(lines[m[2]], fmt.Sprintf("%s %s %s %s%s", m[1], m[4], m[3], m[5], m[8]))
		waited, took = longest(m[6], waited), longest(m[7], took)
	}
	return lines, waited, took
}

// Whatever becomes of a run, one line tells it.
func TestEachRunIsOneLine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.enqueue(single{1}, single{2}, single{3}, single{4}, single{5}, keyed{"a"}, keyed{"a"}, keyed{"a"})
	h.Exec(`UPDATE jobs SET due_at = now() - interval '1 hour'`)
	stop := h.Start(nil, completing[keyed](h), handler(func(ctx context.Context, job *runtime.Job[single]) error {
		switch {
		case job.Args.N == 1 && job.Attempt < 2, job.Args.N == 2:
			return errors.New("not yet")
		case job.Args.N == 3:
			return errors.Join(h.Store.Postpone(ctx, job.Job, time.Hour), runtime.ErrPostponed)
		case job.Args.N == 4:
			return fmt.Errorf("its end: %w", queue.ErrFenced)
		case job.Args.N == 5:
			<-job.Stopped()
			return runtime.ErrStopping
		}
		return h.complete(ctx, job.Job)
	}))
	h.Offer()
	failed := `WARN failed %d 1 error="not yet" retry_in_ms=50`
	want := map[string][]string{
		"1": {fmt.Sprintf(failed, 1), "INFO done 2 1"},
		"2": {fmt.Sprintf(failed, 1), fmt.Sprintf(failed, 2), `ERROR dead 3 1 error="not yet"`},
		"3": {"INFO postponed 1 1"},
		"4": {"INFO fenced 1 1"},
		"8": {"INFO done 1 3 key=a"},
	}
	told := func() bool {
		lines, _, _ := h.ended()
		for id, all := range want {
			if !slices.Equal(lines[id], all) {
				return false
			}
		}
		return len(lines) == len(want)
	}
	h.Eventually("the lines of the runs", told)
	stop()
	want["5"] = []string{"INFO released 1 1"}
	if lines, waited, took := h.ended(); !told() || waited < time.Hour || waited > 2*time.Hour || took <= 0 ||
		took > time.Hour {
		t.Errorf("waited %v, took %v at most; the lines are %v", waited, took, lines)
	}
}
