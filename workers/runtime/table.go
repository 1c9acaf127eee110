package runtime

import (
	"context"
	"fmt"
	"log/slog"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

// Entry defines how the jobs of one kind run. T are the arguments of the kind.
type Entry[T jobs.Args] struct {
	// Run runs one job and ends it with Store.Complete or Store.Finish, or gives it back and returns ErrPostponed.
	// Long work is done in Chunks; between two of them Run checks Job.Stopping. An error fails the job, which is
	// retried after the kind's delay. Run may run more than once for one job, after a crash even at
	// the same time as another run: its effects outside Complete and Chunk must allow for
	// that.
	Run func(context.Context, *Job[T]) error

	// OnDead applies the failure of the last attempt to the record that the job is about, in
	// the transaction that marks the job dead; nil if the record stays as it is.
	OnDead func(context.Context, *storage.Tx, Job[T], error) error

	// Wake reports that there may be more to do for a key whose job is running; nil if runs
	// of the kind do not stay. It is a hint that may be lost. It must not block.
	Wake func(key string)

	// HasExternalEffects marks jobs with effects outside our database: a run that a shutdown cuts off
	// counts as an attempt.
	HasExternalEffects bool
}

// Handler is an entry without the type of its arguments, which it decodes for each run.
type Handler struct {
	Kind jobs.Kind

	run                func(context.Context, *queue.Job, *slog.Logger, <-chan struct{}) error
	onDead             func(context.Context, *storage.Tx, queue.Job, *slog.Logger, error) error
	wake               func(key string)
	hasExternalEffects bool
}

// Handler returns the entry as a Handler of the kind of T.
func (e Entry[T]) Handler() Handler {
	var args T
	h := Handler{Kind: args.Kind(), wake: e.Wake, hasExternalEffects: e.HasExternalEffects}
	if e.Run != nil {
		h.run = func(ctx context.Context, claimed *queue.Job, log *slog.Logger, stopping <-chan struct{}) error {
			job, err := decode[T](*claimed, log, stopping)
			if err != nil {
				return err
			}
			defer func() { *claimed = job.Job }() // Chunk and CollapseClaim change it
			return e.Run(ctx, job)
		}
	}
	h.onDead = func(ctx context.Context, tx *storage.Tx, claimed queue.Job, log *slog.Logger, cause error) error {
		if e.OnDead == nil {
			return nil
		}
		job, err := decode[T](claimed, log, nil)
		if err != nil {
			return nil // such a job names no record; its failure is stored all the same
		}
		return e.OnDead(ctx, tx, *job, cause)
	}
	return h
}

// Table contains the handlers of all kinds that this release knows.
type Table []Handler

// byName returns the handlers by kind, or an error if the table is not valid.
func (t Table) byName() (map[string]*Handler, error) {
	handlers := make(map[string]*Handler, len(t))
	fair := ""
	for i := range t {
		h := &t[i]
		switch name := h.Kind.Name; {
		case handlers[name] != nil:
			return nil, fmt.Errorf("job kind %s is in the table twice", name)
		case h.run == nil, h.Kind.Delay == nil, h.Kind.Attempts < 1:
			return nil, fmt.Errorf("job kind %s: its entry is not complete", name)
		case h.Kind.Fair && h.Kind.Keyed:
			return nil, fmt.Errorf("job kind %s: it is fair or keyed, not both", name)
		case h.Kind.Fair && fair != "":
			return nil, fmt.Errorf("job kind %s: it is fair, as %s is: only one kind can be (jobs.Kind)", name, fair)
		default:
			handlers[name] = h
			if h.Kind.Fair {
				fair = name
			}
		}
	}
	return handlers, nil
}
