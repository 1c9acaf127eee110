package monitor

import (
	"context"
	"slices"
	"sync"
	"time"

	"bordero/storage/operators"
)

// sampleEvery is how often the queues are sampled. Each range keeps samplesKept of the samples.
const (
	sampleEvery = 5 * time.Second
	samplesKept = 360
)

// sample is the state of the queues at one time.
type sample struct {
	at      time.Time
	waiting map[string]float64 // jobs that could run, by queue, from PostgreSQL; the most since the previous sample
	done    map[string]float64 // tasks that Asynq has counted as processed without a failure since it started counting
	failed  map[string]float64 // failed attempts that Asynq has counted since then
}

// history has the samples of several ranges of time, in the memory of this process.
type history struct{ ranges []*span }

// span is one range of time, with a sample for each period of the length every.
type span struct {
	name, title string
	every       time.Duration

	mu   sync.Mutex
	all  []sample
	most map[string]float64 // the most waiting jobs by queue since the last sample in all
}

func newHistory() *history {
	return &history{[]*span{
		{name: "half-hour", title: "Half an hour", every: sampleEvery},
		{name: "day", title: "A day", every: 24 * time.Hour / samplesKept},
		{name: "week", title: "A week", every: 7 * 24 * time.Hour / samplesKept},
	}}
}

// of returns the range of a name, or the shortest.
func (h *history) of(name string) *span {
	for _, s := range h.ranges {
		if s.name == name {
			return s
		}
	}
	return h.ranges[0]
}

func (h *history) add(one sample) {
	for _, s := range h.ranges {
		s.add(one)
	}
}

// add appends a sample if a period has passed, and otherwise remembers its peaks for the next sample.
func (s *span) add(one sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == nil {
		s.most = map[string]float64{}
	}
	for queue, n := range one.waiting {
		s.most[queue] = max(s.most[queue], n)
	}
	if n := len(s.all); n > 0 && one.at.Sub(s.all[n-1].at) < s.every-sampleEvery/2 { // ticks are not exact
		return
	}
	one.waiting, s.most = s.most, nil
	s.all = append(s.all, one)
	if len(s.all) > samplesKept {
		s.all = slices.Delete(s.all, 0, len(s.all)-samplesKept)
	}
}

func (s *span) list() []sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// Run samples the queues until ctx is done.
func (m *Monitor) Run(ctx context.Context) error {
	ticks := time.NewTicker(sampleEvery)
	defer ticks.Stop()
	for {
		m.sample(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Monitor) sample(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sampleEvery)
	defer cancel()
	one := sample{at: time.Now(), waiting: map[string]float64{}, done: map[string]float64{},
		failed: map[string]float64{}}
	counts, err := operators.JobCounts(ctx, m.store.Queries, m.jobQueues)
	if err != nil {
		return // show the gap
	}
	for _, c := range counts {
		if c.State == "waiting" {
			one.waiting[c.Queue] += float64(c.Count)
		}
	}
	if tallies, err := m.client.Tallies(ctx, m.workerQueues); err == nil {
		for i, queue := range m.workerQueues {
			one.waiting[queue] += 0 // an empty queue is shown, too
			one.done[queue] = float64(tallies[i].Processed - tallies[i].Failed)
			one.failed[queue] = float64(tallies[i].Failed)
		}
	}
	m.samples.add(one)
}
