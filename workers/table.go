package workers

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/mail"
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

// Deps is what the kinds need from the process.
type Deps struct {
	Store *storage.Store
	Files *blobs.Store
	Zone  *time.Location // decides which day is today
	Now   func() time.Time
	// Imported receives the result of each finished import, and how many transactions it
	// added; may be nil.
	Imported func(result string, transactions int64)

	Webhooks Webhooks
	Mail     mail.Options
}

// Kinds returns the table, with one entry for each kind of job.
func Kinds(d Deps) Table {
	if d.Imported == nil {
		d.Imported = func(string, int64) {}
	}
	return Table{
		importStatement{store: d.Store, files: d.Files, zone: d.Zone, now: d.Now, imported: d.Imported}.entry(),
		deleteBankStatement{store: d.Store, files: d.Files}.entry(),
		deleteCascade{store: d.Store, files: d.Files}.entry(),
		priceSales{store: d.Store, batch: pricedAtOnce}.entry(),
		settleSales{store: d.Store, batch: pricedAtOnce}.entry(),
		newDeliverWebhook(d.Store, d.Webhooks).entry(),
		mailWebhookFailure{store: d.Store, mail: d.Mail, publicURL: d.Webhooks.PublicURL, zone: d.Zone}.entry(),
	}
}

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
		case e.Kind.Fair && (e.Kind.Keyed || name != jobs.ImportStatementKind.Name):
			return nil, fmt.Errorf("job kind %s: it cannot be fair", name)
		default:
			entries[name] = e
		}
	}
	return entries, nil
}
