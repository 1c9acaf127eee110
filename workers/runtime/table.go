package runtime

import (
	"context"
	"fmt"

	"bordero/jobs"
	"bordero/storage"
)

// Entry defines how the jobs of one kind run.
type Entry struct {
	Kind jobs.Kind

	// Run runs one job and ends it with Store.Complete. Long work is done in Chunks;
	// between two of them Run checks Job.Stopping. An error fails the job, which is retried
	// after the kind's delay. Run may run more than once for one job, after a crash even at
	// the same time as another run: its effects outside Complete and Chunk must allow for
	// that.
	Run func(context.Context, *Job) error

	// OnDead applies the failure of the last attempt to the record that the job is about, in
	// the transaction that marks the job dead.
	OnDead func(context.Context, *storage.Tx, storage.Job, error) error

	// Wake reports that there may be more to do for a key whose job is running; nil if runs
	// of the kind do not stay. It is a hint that may be lost. It must not block.
	Wake func(key string)

	// HasExternalEffects marks jobs with effects outside our database: a run that a shutdown cuts off
	// counts as an attempt.
	HasExternalEffects bool
}

// Table contains the entries of all kinds that this release knows.
type Table []Entry

// byName returns the entries by kind, or an error if the table is not valid.
func (t Table) byName() (map[string]*Entry, error) {
	entries := make(map[string]*Entry, len(t))
	for i := range t {
		e := &t[i]
		switch name := e.Kind.Name; {
		case entries[name] != nil:
			return nil, fmt.Errorf("job kind %s is in the table twice", name)
		case e.Run == nil, e.OnDead == nil, e.Kind.Delay == nil, e.Kind.Attempts < 1:
			return nil, fmt.Errorf("job kind %s: its entry is not complete", name)
		case e.Kind.Fair && e.Kind.Keyed:
			return nil, fmt.Errorf("job kind %s: it is fair or keyed, not both", name)
		default:
			entries[name] = e
		}
	}
	return entries, nil
}
