package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/tracing"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/workers/runtime"
)

// Webhooks configures how notifications are sent.
type Webhooks struct {
	HTTP                   *http.Client
	PublicURL              string          // of the API, for the URLs in notifications; no trailing slash
	Delays                 []time.Duration // before each of the five attempts; the first is zero
	PerEndpointConcurrency int             // concurrent POSTs to one webhook
	MaxEndpoints           int             // webhooks served at once
	// Attempted receives the outcome of each attempt: delivered, retried, failed or interrupted;
	// may be nil.
	Attempted func(outcome string)
	Trace     *tracing.Tracer // of the attempts; nil for none
}

// deliverWebhook sends the due notifications of one webhook, oldest first, as many at once as the
// webhook may have. An attempt is opened, made and closed. So every notification is counted before
// it is sent, and attempts that a dead worker left open are found.
//
// A slow answer delays no other notification: the run opens the next attempts while the slow one goes
// on (posts.go). It stays for a while after its last attempt, and the next event wakes it. In a stream
// of events, each costs a share of a round (rounds.go) instead of a job.
//
// A dead job leaves the deliveries pending: the next event of the webhook sends them too, or
// an operator retries the job.
type deliverWebhook struct {
	Webhooks
	store  *storage.Store
	slice  time.Duration // how long a run goes on where other webhooks want its place
	stay   time.Duration // how long an idle run waits for more deliveries
	lane   *slowEndpointLimiter
	runs   *deliveryRuns
	rounds *rounds
}

const (
	// deliverySlice is short compared with an acceptable wait of other webhooks, and long
	// compared with a claim.
	deliverySlice = 2 * time.Second
	// longestRun is how many slices a run goes on while no attempt does. It ends even in a stream of events, because
	// a pause of the queue stops only runs that have not begun.
	longestRun = 5
	// longestWithAttempts is how many slices a run goes on while attempts do. At its end the run awaits the slowest
	// and opens no other, so it is long compared with outgoing.Timeout.
	longestWithAttempts = 30
	// mostLeft is how many turns in a row are left to a run with attempts that go on, before it awaits them and then
	// the lock.
	mostLeft = 5
	// longestKeep is how long a run that fails tries to store its answers. It ends with its lease, too.
	longestKeep = 20 * time.Second
	// deliveryStay is longer than the pauses of a user who works. It also bounds the delay that a
	// lost wake-up causes, as the relay bounds that of a lost task.
	deliveryStay = 5 * time.Second
	// lateCommit is how long after its beginning a transaction with an event may commit, to be found by the next round.
	// A run looks at all due deliveries as often, and finds the event of a longer one.
	lateCommit = 10 * time.Second
)

func newDeliverWebhook(store *storage.Store, o Webhooks) deliverWebhook {
	w := deliverWebhook{
		Webhooks: o, store: store, slice: deliverySlice, stay: deliveryStay,
		lane: newSlowEndpointLimiter(o.MaxEndpoints, deliverySlice), runs: newDeliveryRuns(o.MaxEndpoints / 2),
	}
	w.rounds = &rounds{take: deliveries.NewRounds(store, o.PerEndpointConcurrency).Take}
	return w
}

func (w deliverWebhook) handler() runtime.Handler {
	return runtime.Entry[jobs.DeliverWebhook]{Run: w.run, Wake: w.runs.wake, HasExternalEffects: true}.Handler()
}

func (w deliverWebhook) run(ctx context.Context, job *runtime.Job[jobs.DeliverWebhook]) error {
	args := job.Args
	if err := w.store.CollapseClaim(ctx, &job.Job); err != nil {
		return err
	}
	wasSlow, ok := w.lane.acquire(args.WebhookID)
	if !ok {
		return cmp.Or(w.store.Postpone(ctx, job.Job, w.slice), runtime.ErrPostponed)
	}
	posts, inLane := newPosts(w.PerEndpointConcurrency, w.slice, wasSlow), wasSlow
	defer func() { w.lane.release(args.WebhookID, inLane, posts.slow) }()
	more := w.runs.enter(args.Key())
	defer w.runs.leave(args.Key(), more)
	err := w.deliverDue(ctx, job, more, posts, &inLane)
	posts.all()
	if err == nil {
		err = w.finish(ctx, job, posts.ended)
	}
	if err != nil && len(posts.ended) > 0 {
		return errors.Join(err, w.keep(ctx, job, posts))
	}
	return err
}

// keep stores the answers of a run that failed, because the next run would take their attempts for interrupted. It
// tries for a while if PostgreSQL is not available: a failover takes seconds.
func (w deliverWebhook) keep(ctx context.Context, job *runtime.Job[jobs.DeliverWebhook], posts *posts) (err error) {
	for began := time.Now(); ; {
		_, err = w.settle(ctx, job, posts)
		if !storage.Unavailable(err) || time.Since(began) > longestKeep {
			return err
		}
		select {
		case <-time.After(longestKeep / 50):
		case <-ctx.Done():
			return err
		}
	}
}

// deliverDue posts the due deliveries. It ends when no delivery is due, the webhook gets no more, other
// webhooks want its place or the process stops. Attempts may go on then. It leaves the lane of slow endpoints
// once the webhook is slow no more.
func (w deliverWebhook) deliverDue(ctx context.Context, job *runtime.Job[jobs.DeliverWebhook], more wakeUp,
	posts *posts, inLane *bool) error {
	var since, looked time.Time
	for began := time.Now(); ; {
		if time.Since(looked) > lateCommit {
			since, looked = time.Time{}, time.Now() // this round sees all due deliveries
		}
		more.clear()
		b, err := w.next(ctx, job, since, posts)
		if err != nil {
			return err
		}
		if b.left {
			posts.some(nil, gathering)
			continue
		}
		since = b.first.Add(-lateCommit)
		for _, d := range b.deliveries {
			posts.start(d.ID, func() deliveries.Attempt { return w.attempt(ctx, job.Logger, b.endpoint, d) })
		}
		if posts.slow {
			posts.all() // a slow endpoint keeps its place no longer than its slowest answer
		} else {
			posts.some(more, min(w.stay, b.rest))
		}
		if *inLane && !posts.slow {
			w.lane.release(job.Args.WebhookID, true, false)
			*inLane = false
		}
		stays, age, longest := !posts.slow && w.runs.room(), time.Since(began), longestRun*w.slice
		if posts.open() > 0 {
			longest = longestWithAttempts * w.slice
		}
		if job.Stopping() || b.over() || age >= w.slice && !stays || age >= longest {
			return nil
		}
		if b.full || posts.open() > 0 || stays && len(posts.ended) > 0 {
			continue // at once: the ended attempts must be closed, and more may be due
		}
		if !stays || !more.wait(min(w.stay, b.rest), job.Stopped()) && b.rest >= w.stay {
			return nil
		}
	}
}

// finish closes the last attempts and ends the job, or leaves it due if an event relies
// on it.
func (w deliverWebhook) finish(ctx context.Context, job *runtime.Job[jobs.DeliverWebhook],
	ended []deliveries.Attempt) error {
	args, failed := job.Args, int64(0)
	err := w.store.Finish(ctx, job.Job, func(tx *storage.Tx, done bool) (err error) {
		_, err = deliveries.LockWebhook(ctx, tx, args.AccountID, args.WebhookID)
		if errors.Is(err, storage.ErrNotFound) { // the attempts were deleted with it
			return nil
		}
		if err != nil {
			return err
		}
		if failed, err = w.close(ctx, tx, args, ended); err != nil {
			return err
		}
		if !done {
			return nil // the job is due again and takes care of the pending deliveries
		}
		return deliveries.Enqueue(ctx, tx, args.AccountID, args.WebhookID)
	})
	if err == nil {
		w.log(job, failed)
	}
	return err
}

// next closes the ended attempts and opens the next ones, in a round with other runs. Where the round leaves the
// turn, next does alone what obstructs the next round, and loses no answer. It first waits until all attempts have
// ended: if the webhook is in error then, its pending deliveries are held, and none of them may have an open attempt.
// A turn that was left beside attempts that go on is tried again: most locks are short.
func (w deliverWebhook) next(ctx context.Context, job *runtime.Job[jobs.DeliverWebhook], since time.Time,
	posts *posts) (batch, error) {
	var failure error // of the round
	if !slices.ContainsFunc(posts.ended, func(a deliveries.Attempt) bool { return a.Last && !a.Delivered }) {
		turn := &deliveries.Turn{Job: &job.Job, Subscriber: deliveries.Subscriber(job.Args), Ended: posts.ended,
			Posting: slices.Clone(posts.deliveries), Since: since}
		if failure = w.rounds.await(ctx, turn); failure != nil && ctx.Err() != nil {
			return batch{}, failure // the round may still use the turn
		}
		if turn.Taken {
			posts.ended, posts.left = nil, 0
		}
		if turn.Taken && !turn.Obstructed {
			if len(turn.Ended)+len(turn.Opened) > 0 {
				job.Attempt = 1 // a failure after progress is the first one
			}
			return w.batch(turn), nil
		}
		if !turn.Taken && failure == nil && posts.open() > 0 && posts.left < mostLeft {
			posts.left++
			return batch{left: true}, nil
		}
	}
	posts.all()
	o, err := w.settle(ctx, job, posts)
	if err != nil {
		return batch{}, err
	}
	if failure == nil && o.unknown != "" {
		failure = fmt.Errorf("this release does not know the events of %s", o.unknown)
	}
	return batch{endpoint: o.endpoint, full: true}, failure
}

// settle clears the obstacles of a run in a transaction of its own. No attempt may be going on.
func (w deliverWebhook) settle(ctx context.Context, job *runtime.Job[jobs.DeliverWebhook], posts *posts) (
	o obstacles, err error) {
	err = w.store.Chunk(ctx, &job.Job, "", func(tx *storage.Tx) (err error) {
		o, err = w.clear(ctx, tx, job.Args, posts.ended)
		return err
	})
	if err != nil {
		return o, err
	}
	posts.ended = nil
	w.log(job, o.failed)
	for range o.interrupted { // only after the commit: the transaction may have been tried more than once
		w.count("interrupted")
	}
	return o, nil
}

// batch returns the deliveries that a round opened, ready to be posted.
func (w deliverWebhook) batch(turn *deliveries.Turn) batch {
	for i := range turn.Opened {
		if d := &turn.Opened[i]; len(d.Body) == 0 {
			d.Body = notification(formatOf(&turn.Endpoint), w.PublicURL, *d)
		}
	}
	return batch{endpoint: &turn.Endpoint, deliveries: turn.Opened, first: turn.First, full: turn.Full,
		rest: turn.Next}
}

// batch has the deliveries of a turn. Their attempts are open.
type batch struct {
	endpoint   *finance.Webhook
	deliveries []deliveries.Delivery
	first      time.Time     // when the first due delivery fell due; zero if unknown
	full       bool          // more may be due
	left       bool          // the round left the turn
	rest       time.Duration // until another delivery falls due
}

// over reports whether the webhook gets no more deliveries: it is gone, or in error.
func (b batch) over() bool { return b.endpoint.Status != finance.WebhookActive }

// obstacles is what kept a run from its turn.
type obstacles struct {
	endpoint    *finance.Webhook
	failed      int64          // the delivery that put the webhook in error; 0 if absent
	interrupted int            // attempts that a dead worker left open
	unknown     finance.Family // of a due delivery, from a later release; empty if absent
}

// clear closes the ended attempts, and those that a dead worker left open. Unlike a round it waits for the webhook's
// lock, and settles deliveries after their last attempt failed.
func (w deliverWebhook) clear(ctx context.Context, tx *storage.Tx, args jobs.DeliverWebhook,
	ended []deliveries.Attempt) (o obstacles, err error) {
	o.endpoint, err = deliveries.LockWebhook(ctx, tx, args.AccountID, args.WebhookID)
	if errors.Is(err, storage.ErrNotFound) { // the attempts were deleted with it
		return o, nil
	}
	if err != nil {
		return o, err
	}
	found, err := deliveries.Obstacles(ctx, tx, deliveries.Subscriber(args), w.PerEndpointConcurrency)
	if err != nil {
		return o, err
	}
	for _, d := range found {
		ours := slices.ContainsFunc(ended, func(a deliveries.Attempt) bool { return a.DeliveryID == d.ID })
		if d.Open && !ours {
			o.interrupted++
			ended = append(ended, deliveries.Attempt{
				AccountID: d.AccountID, DeliveryID: d.ID, Number: d.AttemptsCount, Allowed: d.AttemptsAllowed,
				Error: messages.AttemptInterrupted, Took: -1, Again: w.afterInterruption(d.Delivery),
			})
		} else if !d.Known {
			o.unknown = d.Family
		}
	}
	if o.failed, err = w.close(ctx, tx, args, ended); o.failed > 0 {
		o.endpoint.Status = finance.WebhookInError
	}
	return o, err
}

// close stores how attempts ended. It returns the delivery whose failure put the webhook in
// error, or 0.
func (deliverWebhook) close(ctx context.Context, tx *storage.Tx, args jobs.DeliverWebhook, ended []deliveries.Attempt) (
	int64, error) {
	failed, err := deliveries.CloseAttempts(ctx, tx, ended)
	if err != nil || len(failed) == 0 {
		return 0, err
	}
	marked, err := deliveries.FailWebhook(ctx, tx, args.AccountID, args.WebhookID, failed[0])
	if err != nil || !marked {
		return 0, err
	}
	return failed[0], nil
}

// log logs for operators that a webhook is in error; failed is 0 when it is not.
func (deliverWebhook) log(job *runtime.Job[jobs.DeliverWebhook], failed int64) {
	if failed > 0 {
		job.Logger.Error("webhook is in error", "webhook_id", job.Args.WebhookID, "delivery_id", failed)
	}
}
