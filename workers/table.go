package workers

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/mail"
	"bordero/jobs"
	"bordero/storage"
)

// Entry says how the jobs of one kind run. It has Run or Bulk.
type Entry struct {
	Kind jobs.Kind

	// Run does one job and ends it with Complete of the store; what takes long it
	// does in Chunks, and between two of them it asks whether the job is Stopping.
	// An error fails the job: it is tried again after the kind's delay. Run may
	// happen more than once for one job, after a crash even while another of it
	// still runs: what it does outside of Complete and Chunk must bear that.
	Run func(context.Context, *Job) error

	// Bulk does many jobs of the kind in the one transaction that also ends them.
	// When it fails, each half of them is tried again apart, so that in the end
	// only the jobs that cannot be done fail.
	Bulk func(context.Context, *storage.Tx, []storage.Job) error

	// Dead says what the end of all attempts means to the job's record, in the
	// transaction that gives the job up.
	Dead func(context.Context, *storage.Tx, storage.Job, error) error

	// Wake says that there may be more to do for a key whose job is running; nil where
	// runs do not stay. It is a hint that may be lost, and must not block.
	Wake func(key string)

	// External jobs leave the house: a run that a shutdown cuts off is charged as
	// an attempt.
	External bool
}

// Table holds the entries of all kinds that this release knows.
type Table []Entry

// Deps is what the kinds need of the process.
type Deps struct {
	Store *storage.Store
	Files *storage.Files
	Zone  *time.Location // decides today
	Now   func() time.Time
	// Imported is told of imports that have come to a result, and how many
	// transactions they brought; nil for nobody.
	Imported func(result string, transactions int64)

	Webhooks Webhooks
	Mail     mail.Options
}

// Kinds is the table: one line for each kind of job.
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

// byName looks entries up. A table that cannot work is an error of the start.
func (t Table) byName() (map[string]*Entry, error) {
	entries := make(map[string]*Entry, len(t))
	for i := range t {
		e := &t[i]
		switch name := e.Kind.Name; {
		case entries[name] != nil:
			return nil, fmt.Errorf("job kind %s is in the table twice", name)
		case (e.Run == nil) == (e.Bulk == nil), e.Dead == nil, e.Kind.Delay == nil, e.Kind.Attempts < 1:
			return nil, fmt.Errorf("job kind %s: its entry is not complete", name)
		case e.Kind.Keyed && e.Bulk != nil:
			return nil, fmt.Errorf("job kind %s: keyed jobs coalesce already, they have no bulk", name)
		case e.Kind.Fair && (e.Kind.Keyed || e.Bulk != nil || name != jobs.ImportStatementKind.Name):
			return nil, fmt.Errorf("job kind %s: it cannot be fair", name)
		default:
			entries[name] = e
		}
	}
	return entries, nil
}
