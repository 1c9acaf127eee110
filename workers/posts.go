package workers

import (
	"slices"
	"time"

	"bordero/storage/deliveries"
)

// gathering is how long a run waits for more attempts to end, after one ended or the run was woken. It is long
// compared with the differences between the answers of most endpoints, so that a turn closes many attempts.
const gathering = 50 * time.Millisecond

// posts has the attempts of a run that are open. Only the run uses it.
type posts struct {
	most       int                  // attempts at once
	slice      time.Duration        // a slow attempt takes longer
	slow       bool                 // no quick attempt ended beside the slow one that ended last
	quick      time.Time            // when an attempt that was not slow ended last
	deliveries []int64              // with an attempt that goes on
	ended      []deliveries.Attempt // not closed yet
	left       int                  // turns in a row that rounds left
	ends       chan post            // of attempts that go on
}

// post is an attempt that has ended.
type post struct {
	deliveries.Attempt
	began, ended time.Time
}

func newPosts(most int, slice time.Duration, slow bool) *posts {
	return &posts{most: most, slice: slice, slow: slow, ends: make(chan post, most)}
}

// open returns how many attempts go on.
func (p *posts) open() int { return len(p.deliveries) }

// start makes an attempt of a delivery.
func (p *posts) start(delivery int64, attempt func() deliveries.Attempt) {
	p.deliveries = append(p.deliveries, delivery)
	go func() {
		began := time.Now()
		a := attempt()
		p.ends <- post{a, began, time.Now()}
	}()
}

// some waits until all attempts have ended, but no longer than gathering after the first reason for a turn: an
// attempt has ended, or there is room for another one and the run is woken or rest is over.
func (p *posts) some(woken wakeUp, rest time.Duration) {
	due := time.NewTimer(rest)
	defer due.Stop()
	if p.open() >= p.most {
		woken = nil
		due.Stop()
	}
	p.await(woken, due.C, gathering)
}

// all waits until all attempts have ended.
func (p *posts) all() { p.await(nil, nil, time.Hour) }

func (p *posts) await(woken wakeUp, due <-chan time.Time, gathering time.Duration) {
	var over <-chan time.Time
wait:
	for p.open() > 0 {
		select {
		case a := <-p.ends:
			p.judge(a)
			p.ended = append(p.ended, a.Attempt)
			p.deliveries = slices.DeleteFunc(p.deliveries, func(id int64) bool { return id == a.DeliveryID })
		case <-woken:
		case <-due:
		case <-over:
			break wait
		}
		if over == nil {
			over = time.After(gathering)
		}
	}
}

// judge decides by an attempt that has ended whether the endpoint is slow. One slow answer among quick ones does not
// make it slow.
func (p *posts) judge(a post) {
	if a.Took <= p.slice {
		p.slow, p.quick = false, a.ended
	} else {
		p.slow = p.quick.Before(a.began)
	}
}
