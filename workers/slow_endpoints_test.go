package workers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/storagetest"
)

// Twice as many endpoints as places hang for ever. Together they occupy one place, and
// every notification of another webhook is delivered.
func TestHangingEndpointsLeavePlacesFree(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	silent := make(chan struct{})
	defer close(silent)
	c.answers(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/hangs") {
			select {
			case <-silent:
			case <-r.Context().Done():
			}
		}
	})
	lane := newSlowEndpointLimiter(c.webhooks.MaxEndpoints, 5*time.Second)
	for n := range 2 * c.webhooks.MaxEndpoints {
		lane.release(c.webhook("/hangs/"+strconv.Itoa(n)), false, true)
	}
	c.webhook("/")
	c.work(func(d *deliverWebhook) { d.slice, d.lane = lane.turn, lane })
	for id := range 10 {
		c.happen(int64(id + 1))
		c.relayUntil("the good one's", func() bool { return len(c.received("/")) == id+1 })
	}
	if n := c.Count(`SELECT count(DISTINCT delivery_id) FROM delivery_attempts WHERE response_code IS NULL`); n == 0 {
		t.Error("none hung")
	}
}

// A slow webhook enters the lane by its first run, shares it with the others there, loses
// nothing, and leaves the lane when it is fast again.
func TestSlowEndpointsTakeTurns(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.answers(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(150 * time.Millisecond):
		case <-r.Context().Done():
		}
	})
	lane := newSlowEndpointLimiter(c.webhooks.MaxEndpoints, 50*time.Millisecond)
	const webhooks, events = 4, 3
	for n := range webhooks {
		c.webhook("/" + strconv.Itoa(n))
	}
	c.work(func(d *deliverWebhook) { d.slice, d.lane = lane.turn, lane })
	for id := range events {
		c.happen(int64(id + 1))
		c.over()
		if n := slowOnes(lane); n != webhooks {
			t.Errorf("%d in the lane", n)
		}
	}
	c.answers(nil)
	sent := events
	for ; slowOnes(lane) > 0 && sent < 50; sent++ { // on a busy machine an instant answer may take a slice
		c.happen(int64(sent + 1))
		c.over()
	}
	if n := slowOnes(lane); n != 0 {
		t.Errorf("%d in the lane at the end", n)
	}
	c.equal(c.text(`SELECT concat(count(*), ' ', count(*) FILTER (WHERE status = 'delivered' AND attempts_count = 1))
		FROM deliveries`),
		fmt.Sprintf("%[1]d %[1]d", webhooks*sent))
}

// Only a slow attempt without a quick answer beside it makes an endpoint slow.
func TestOneSlowAnswerAmongQuickOnesIsNoSlowEndpoint(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	for name, c := range map[string]struct {
		attempts [][2]int // their first and last second, in the order of their ends
		slow     bool
	}{
		"the first":                      {[][2]int{{1, 10}}, true},
		"a quick one ended meanwhile":    {[][2]int{{1, 2}, {1, 10}}, false},
		"beside each of several":         {[][2]int{{1, 2}, {1, 5}, {1, 10}}, false},
		"a quick one ended before":       {[][2]int{{1, 2}, {3, 10}}, true},
		"a quick one ends after it":      {[][2]int{{1, 10}, {9, 11}}, false},
		"the next is slow without quick": {[][2]int{{1, 2}, {1, 10}, {11, 20}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPosts(4, 2*time.Second, false)
			for _, a := range c.attempts {
				began, ended := at(a[0]), at(a[1])
				p.judge(post{deliveries.Attempt{Took: ended.Sub(began)}, began, ended})
			}
			if p.slow != c.slow {
				t.Errorf("slow %v", p.slow)
			}
		})
	}
}

func slowOnes(l *slowEndpointLimiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.slow)
}

// A webhook that is refused for hours while events come does not fill the table of jobs.
func TestARefusedWebhookKeepsOneJob(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	id := c.webhook("/")
	lane := newSlowEndpointLimiter(c.webhooks.MaxEndpoints, time.Hour)
	lane.release(id, false, true)
	lane.free = 0
	c.happen(1)
	c.Exec(`INSERT INTO jobs (kind, queue, key, args, account_id) SELECT kind, queue, key, args, account_id FROM jobs,
		generate_series(1, 9)`)
	c.work(func(d *deliverWebhook) { d.slice, d.lane = lane.turn, lane })
	c.relayUntil("the refusal", func() bool { return c.Count(`SELECT count(*) FROM jobs WHERE due_at <= now()`) == 0 })
	if n := c.Count(
		`SELECT count(*) FROM jobs WHERE due_at > now() AND leased_until IS NULL AND attempts = 0`); n != 1 {
		t.Errorf("%d jobs are postponed", n)
	}
}

// A webhook with a turn that is due at once leaves the place to those that try to enter
// from time to time.
func TestTheLaneLetsTheRefusedGoFirst(t *testing.T) {
	t.Parallel()
	l := newSlowEndpointLimiter(1, time.Hour)
	l.release(1, false, true)
	l.release(2, false, true)
	enters := func(webhook int64, want bool) {
		t.Helper()
		if slow, ok := l.acquire(webhook); !slow || ok != want {
			t.Fatalf("slow %v, enters %v", slow, ok)
		}
	}
	enters(1, true)
	l.release(1, true, true)
	enters(1, true) // none was refused
	enters(2, false)
	l.release(1, true, true)
	enters(1, false) // the other goes first
	enters(2, true)
	l.release(2, true, false)
	if slow, ok := l.acquire(2); slow || !ok {
		t.Error("quick again, and refused")
	}
}

// The flood of one account does not delay the notifications of another.
func TestAFloodDelaysNoOtherAccount(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.answers(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/flood" {
			time.Sleep(5 * time.Millisecond) // simulated distance
		}
	})
	for range 3 * c.webhooks.MaxEndpoints {
		c.webhook("/flood")
	}
	records := make([]int64, 400)
	for i := range records {
		records[i] = int64(i + 1)
	}
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created, AccountID: c.AccountID,
			EntityID: c.EntityID, IDs: records})
	})
	c.work(func(d *deliverWebhook) { d.slice = 100 * time.Millisecond })
	c.relayUntil("the flood", func() bool { return len(c.received("/flood")) > 100 })

	c.Scope = storagetest.NewTenant(t, c.Store).Scope
	c.webhook("/")
	c.happen(1)
	c.relayUntil("the other account's", func() bool { return len(c.received("/")) == 1 })
	if all, left := c.Count(`SELECT count(*) FROM deliveries`),
		c.Count(`SELECT count(*) FROM deliveries WHERE status = 'pending'`); left < all/2 {
		t.Errorf("it came when %d of %d were left", left, all)
	}
	c.over()
}
