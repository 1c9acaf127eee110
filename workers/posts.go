package workers

import (
	"cmp"
	"slices"
	"time"

	"bordero/storage/deliveries"
)

// gathering is how long a run waits for more attempts to end, after one ended or the run was woken. It is long
// compared with the differences between the answers of most endpoints, so that a turn closes many attempts.
const gathering = 50 * time.Millisecond

// posts has the attempts of a run that are open. Only the run uses it.
type posts struct {
	most       int                     // attempts at once
	slice      time.Duration           // a slow attempt takes longer
	slow       bool                    // no attempt was quick since the last one began that ended
	quick      time.Time               // when an attempt that was not slow ended last
	deliveries []int64                 // with an attempt that goes on
	ended      []deliveries.Attempt    // not closed yet
	left       int                     // turns in a row that rounds left
	ends       chan deliveries.Attempt // of attempts that go on
}

func newPosts(most int, slice time.Duration, slow bool) *posts {
	return &posts{most: most, slice: slice, slow: slow, ends: make(chan deliveries.Attempt, most)}
}

// open returns how many attempts go on.
func (p *posts) open() int { return len(p.deliveries) }

// start makes an attempt of a delivery.
func (p *posts) start(delivery int64, attempt func() deliveries.Attempt) {
	p.deliveries = append(p.deliveries, delivery)
	go func() { p.ends <- attempt() }()
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
	before := len(p.ended)
	var over <-chan time.Time
wait:
	for p.open() > 0 {
		select {
		case a := <-p.ends:
			p.ended = append(p.ended, a)
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
	p.judge(p.ended[before:])
}

// judge decides by attempts that have ended whether the endpoint is slow: it is if they all were, and none that ended
// while they went on was quick. One slow answer among quick ones does not make an endpoint slow.
func (p *posts) judge(ended []deliveries.Attempt) {
	if len(ended) == 0 {
		return
	}
	shortest := slices.MinFunc(ended, func(a, b deliveries.Attempt) int { return cmp.Compare(a.Took, b.Took) }).Took
	if shortest <= p.slice {
		p.quick = time.Now()
	}
	p.slow = shortest > p.slice && time.Since(p.quick) > shortest
}
