package statement

import (
	"fmt"
	"slices"

	"bordero/finance"
	"bordero/internal/messages"
)

// dates finds out in which order a file writes the parts of its dates: one order holds for all items.
type dates struct {
	tallies [4]tally // that of the usual order first
	format  Format
	stated  *order // by the file
	late    finance.Date
	short   bool   // there are years of two digits
	items   int64  // with and without a date
	text    string // the first date
	line    int
	fault   error // of the first item without a readable date, in a format that fixes the order
}

// tally is the result of one order.
type tally struct {
	order               order
	read, far           int64 // dates, and how many of them are more than a year after today
	first, last, before finance.Date
	rises, falls        bool
}

func newDates(format Format, today finance.Date) dates {
	usual := []order{yearMonthDay, dayMonthYear, monthDayYear, yearDayMonth}
	if format == QIF || format.inRows() { // they leave the order to the country of the program that wrote the file
		usual = []order{dayMonthYear, monthDayYear, yearMonthDay, yearDayMonth}
	}
	d := dates{format: format, late: today.AddMonths(12)}
	for i, o := range usual {
		d.tallies[i].order = o
	}
	return d
}

// see records the date of an item.
func (d *dates) see(text []byte, line int) {
	d.items++
	if d.text == "" {
		d.text, d.line = string(clean(nil, text)), line
	}
	w, ok := parseWritten(text, d.format)
	if !ok {
		return
	}
	d.short = d.short || w.short()
	for i := range d.tallies {
		if day := w.day(d.tallies[i].order); !day.IsZero() {
			d.tallies[i].add(day, d.late)
		}
	}
}

// saw records the day of an item of a format that fixes the order of a date, or the fault of its date.
func (d *dates) saw(day finance.Date, fault error) {
	d.items++
	if fault == nil {
		d.tallies[0].add(day, d.late)
	} else if d.fault == nil {
		d.fault = fault
	}
}

func (t *tally) add(day, late finance.Date) {
	if t.read == 0 {
		t.first, t.last, t.before = day, day, day
	}
	t.read++
	if day.After(late) {
		t.far++
	}
	switch day.Compare(t.before) {
	case 1:
		t.rises = true
		if day.After(t.last) {
			t.last = day
		}
	case -1:
		t.falls = true
		if day.Before(t.first) {
			t.first = day
		}
	}
	t.before = day
}

// days returns how many days the dates span.
func (t tally) days() int { return t.last.DaysSince(t.first) }

func (t tally) sorted() bool { return !t.rises || !t.falls }

// choose returns the tally of the order that holds, and whether it had to be inferred.
func (d *dates) choose() (best tally, inferred bool) {
	left := least(d.tallies[:], func(t tally) int64 { return -t.read })
	if d.stated != nil {
		if best := d.of(*d.stated); best.read > 0 {
			return best, false
		}
		left = []tally{d.of(yearMonthDay)} // the file states the order of days and months before years
	}
	if n := len(left); n > 1 && left[n-1].order == yearDayMonth { // nobody's, unless nothing else will do
		left = left[:n-1]
	}
	usual := d.tallies[0].order
	inferred = usual == yearMonthDay || len(left) > 1
	left = least(left, func(t tally) int64 { return t.far })
	if d.short {
		left = shortest(left)
	}
	best = left[0]
	if len(left) > 1 && best.order == dayMonthYear && !best.sorted() && left[1].order == monthDayYear &&
		left[1].sorted() {
		best = left[1]
	}
	return best, inferred && best.order != usual && best.read > 0
}

func (d *dates) of(o order) tally {
	return d.tallies[slices.IndexFunc(d.tallies[:], func(t tally) bool { return t.order == o })]
}

// least returns the tallies for which the figure is least.
func least(tallies []tally, figure func(tally) int64) []tally {
	var left []tally
	for _, t := range tallies {
		switch {
		case len(left) == 0 || figure(t) < figure(left[0]):
			left = []tally{t}
		case figure(t) == figure(left[0]):
			left = append(left, t)
		}
	}
	return left
}

// shortest returns the tallies with the year in the place, last or first, where the dates span fewer days.
func shortest(tallies []tally) []tally {
	var first, last []tally
	for _, t := range tallies {
		if t.order.year == 0 {
			first = append(first, t)
		} else {
			last = append(last, t)
		}
	}
	span := func(t tally) int64 { return int64(t.days()) }
	if len(last) == 0 || len(first) > 0 && least(first, span)[0].days() < least(last, span)[0].days() {
		return first
	}
	return last
}

// unreadable returns the error of a file with dates that all cannot be read.
func (d *dates) unreadable(best tally) error {
	if best.read > 0 {
		return nil
	}
	if d.text == "" {
		return d.fault
	}
	return &Error{d.line, fmt.Sprintf(messages.BadDatesf, d.text)}
}

// wide reports whether the dates span over five years although the items are fewer than a hundred.
func (d *dates) wide(best tally) bool {
	return d.items < 100 && best.last.After(best.first.AddMonths(5*12))
}
