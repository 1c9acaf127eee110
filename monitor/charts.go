package monitor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// chart is a picture of lines over the sampled time.
type chart struct {
	Title string
	Rows  []tick // of the scale of values, from the top
	Times []tick // of the scale of time
	Lines []line
}

// tick is a mark of a scale, with its place in percent from the top or the left.
type tick struct {
	Place float64
	Text  string
}

type line struct{ Name, Class, Points, Now string }

// charts returns the charts of the waiting jobs, the tasks done and the failed attempts of all queues. A job that has
// made an attempt to deliver has done its work, whatever the webhook answered.
func charts(all []sample, zone *time.Location) []chart {
	if len(all) < 2 {
		return nil
	}
	names := map[string]bool{} // of all queues, so that each has one colour in all charts
	for _, s := range all {
		for queue := range s.waiting {
			names[queue] = true
		}
	}
	queues := slices.Sorted(maps.Keys(names))
	done := func(s sample) map[string]float64 { return s.done }
	failed := func(s sample) map[string]float64 { return s.failed }
	return []chart{
		draw("Jobs waiting", all, queues, zone, func(i int, queue string) float64 { return all[i].waiting[queue] }),
		draw("Tasks done a second", all[1:], queues, zone, func(i int, queue string) float64 {
			return rate(all, i, queue, done)
		}),
		draw("Failed attempts of jobs a minute", all[1:], queues, zone, func(i int, queue string) float64 {
			return 60 * rate(all, i, queue, failed)
		}),
	}
}

// rate returns by how much a counter grew per second between a sample and the next.
func rate(all []sample, i int, queue string, counter func(sample) map[string]float64) float64 {
	before, known := counter(all[i])[queue]
	after, still := counter(all[i+1])[queue]
	if !known || !still || after < before { // Redis was emptied, or did not answer
		return 0
	}
	return (after - before) / all[i+1].at.Sub(all[i].at).Seconds()
}

// draw draws a line for each queue through its values at the times of the samples.
func draw(title string, all []sample, queues []string, zone *time.Location,
	value func(i int, queue string) float64) chart {
	most := 0.0
	for i := range all {
		for _, queue := range queues {
			most = max(most, value(i, queue))
		}
	}
	top := roundUp(most)
	first, last := all[0].at, all[len(all)-1].at
	width := max(last.Sub(first).Seconds(), 1)
	c := chart{Title: title, Times: times(first.In(zone), last.In(zone)), Rows: []tick{
		{0, short(top)}, {50, short(top / 2)}, {100, "0"}}}
	for n, queue := range queues {
		var points strings.Builder
		for i, s := range all {
			fmt.Fprintf(&points, "%.1f,%.1f ", 600*s.at.Sub(first).Seconds()/width, 100-100*value(i, queue)/top)
		}
		c.Lines = append(c.Lines, line{
			Name: queue, Class: fmt.Sprintf("c%d", n%6), Points: strings.TrimSpace(points.String()),
			Now: short(value(len(all)-1, queue)),
		})
	}
	return c
}

// roundUp returns the next of 1, 2, 5, 10, 20, …, which makes the middle of a scale a short number, too.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(max(v, 1))))
	for _, n := range []float64{1, 2, 5} {
		if v <= n*unit {
			return n * unit
		}
	}
	return 10 * unit
}

// short writes a number with at most one place after the point.
func short(v float64) string {
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}

// times returns up to five marks between two times, at round times of their zone.
func times(first, last time.Time) (marks []tick) {
	width := last.Sub(first)
	step, format := 48*time.Hour, "Mon 2"
	for _, s := range []time.Duration{
		15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
		30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour,
	} {
		if width <= 9*s/2 {
			step, format = s, "15:04"
			if s < time.Minute {
				format = "15:04:05"
			}
			break
		}
	}
	midnight := time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, first.Location())
	for at := midnight; at.Before(last); at = at.Add(step) {
		place := 100 * float64(at.Sub(first)) / float64(width)
		if place > 12 && place < 88 { // otherwise the text would leave the picture
			marks = append(marks, tick{math.Round(10*place) / 10, at.Format(format)})
		}
	}
	return marks
}
