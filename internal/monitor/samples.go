package monitor

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	sampleEvery = 5 * time.Second
	samplesKept = 360 // half an hour
)

// sample is the state of the queues at one time.
type sample struct {
	at      time.Time
	waiting map[string]float64 // jobs that could run, by queue, from PostgreSQL
	done    map[string]float64 // tasks that Asynq has counted as processed since it started counting
}

// samples are those of the last half hour, in the memory of this process.
type samples struct {
	mu  sync.Mutex
	all []sample
}

func (s *samples) add(one sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
	if len(s.all) > samplesKept {
		s.all = slices.Delete(s.all, 0, len(s.all)-samplesKept)
	}
}

func (s *samples) list() []sample {
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
	one := sample{at: time.Now(), waiting: map[string]float64{}, done: map[string]float64{}}
	counts, err := m.watch.Jobs(ctx)
	if err != nil {
		return // show the gap
	}
	for _, c := range counts {
		if c.State == "waiting" {
			one.waiting[c.Queue] += float64(c.Count)
		}
	}
	queues, err := m.inspector.Queues()
	if err == nil {
		for _, queue := range queues {
			if info, err := m.inspector.GetQueueInfo(queue); err == nil {
				one.waiting[queue] += 0 // an empty queue is shown, too
				one.done[queue] = float64(info.ProcessedTotal)
			}
		}
	}
	m.samples.add(one)
}

// chart is a picture of lines over the sampled time.
type chart struct {
	Title, Most, Since string
	Lines              []line
}

type line struct{ Name, Class, Points, Now string }

// charts shows the depth and the throughput of the queues.
func charts(all []sample) []chart {
	if len(all) < 2 {
		return nil
	}
	rates := make([]sample, 0, len(all)-1)
	for i := 1; i < len(all); i++ {
		rate := sample{at: all[i].at, waiting: map[string]float64{}}
		for queue, done := range all[i].done {
			before, known := all[i-1].done[queue]
			if known && done >= before { // else Redis was emptied
				rate.waiting[queue] = (done - before) / all[i].at.Sub(all[i-1].at).Seconds()
			}
		}
		rates = append(rates, rate)
	}
	return []chart{
		draw("Jobs waiting", all, "%.0f"),
		draw("Tasks done a second", rates, "%.1f"),
	}
}

func draw(title string, all []sample, format string) chart {
	most, queues := 0.0, map[string]bool{}
	for _, s := range all {
		for queue, v := range s.waiting {
			most, queues[queue] = max(most, v), true
		}
	}
	scale := math.Max(most, 1)
	first, last := all[0], all[len(all)-1]
	span := math.Max(last.at.Sub(first.at).Seconds(), 1)
	c := chart{Title: title, Most: fmt.Sprintf(format, scale), Since: age(last.at.Sub(first.at))}
	for i, queue := range slices.Sorted(maps.Keys(queues)) {
		var points strings.Builder
		for _, s := range all {
			fmt.Fprintf(&points, "%.1f,%.1f ", 600*s.at.Sub(first.at).Seconds()/span, 100-100*s.waiting[queue]/scale)
		}
		c.Lines = append(c.Lines, line{
			Name: queue, Class: fmt.Sprintf("c%d", i%6), Points: strings.TrimSpace(points.String()), Now: fmt.Sprintf(format, last.waiting[queue]),
		})
	}
	return c
}

// age formats a duration for people.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
