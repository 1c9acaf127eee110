package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"bordero/internal/blobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/imports"
	"bordero/storage/members"
	"bordero/storage/operators"
	"bordero/storage/proof"
)

// Housekeeping is the periodic work of an installation beside the numbering of changes.
type Housekeeping struct {
	Store        *storage.Store
	Files        *blobs.Store
	Installation func(context.Context) (string, error) // returns the installation's id
	Logger       *slog.Logger

	ChangesRetention time.Duration // the least time that a change is stored
	WebhookHeldFor   time.Duration // the time after which a held delivery expires
	WebhookRetention time.Duration // the time after which an ended delivery is removed

	IgnoredTextsRetention  time.Duration // the time after which ignored items lose their texts
	DismissedJobsRetention time.Duration // the time after which a dismissed job is removed
}

// Tasks returns the tasks. Those that remove something log it, except "roll changes". It panics if a duration is not
// positive: a task would remove everything at once.
func (h Housekeeping) Tasks() []PeriodicTask {
	for field, value := range reflect.ValueOf(h).Fields() {
		if d, is := value.Interface().(time.Duration); is && d <= 0 {
			panic("scheduler: " + field.Name + " of Housekeeping must be positive, and is " + d.String())
		}
	}
	heads := &headLog{store: h.Store, log: h.Logger}
	late := map[string]time.Time{}
	return []PeriodicTask{
		{Name: "sweep files", Every: time.Hour, Run: h.sweepFiles},
		{Name: "remove previews", Every: time.Hour, Run: h.removes("previews that nobody confirmed removed",
			func(ctx context.Context) (int64, error) { return imports.RemovePreviews(ctx, h.Store) })},
		{Name: "forget idempotency keys", Every: time.Hour, Run: h.removes("expired idempotency keys removed",
			h.Store.DeleteOldKeys)},
		{Name: "count uses", Every: time.Hour, Run: h.countUses},
		{Name: "sum usage", Every: time.Minute, Run: h.sumUsage},
		{Name: "prove balances", Every: time.Minute, Run: h.proveBalances},
		{Name: "roll changes", Every: time.Hour, Run: h.rollChanges},
		{Name: "empty the history of jobs", Every: time.Hour, Run: h.emptyHistory},
		{Name: "log the last changes", Every: headsEvery, Run: heads.run},
		{Name: "expire and remove deliveries", Every: deliveriesEvery(h.WebhookHeldFor, h.WebhookRetention),
			Run: h.tidyDeliveries},
		{Name: "fold ignored items", Every: time.Hour, Run: h.removes("texts of ignored items removed",
			func(ctx context.Context) (int64, error) {
				return imports.FoldItems(ctx, h.Store, h.IgnoredTextsRetention)
			})},
		{Name: "remove dismissed jobs", Every: time.Hour, Run: h.removes("dismissed jobs removed",
			func(ctx context.Context) (int64, error) {
				return h.Store.RemoveDismissed(ctx, h.DismissedJobsRetention)
			})},
		{Name: "remove ended sessions", Every: time.Hour, Run: h.removes("ended sessions of the console removed",
			func(ctx context.Context) (int64, error) { return members.RemoveEndedSessions(ctx, h.Store) })},
		{Name: "measure accounts", Every: time.Hour, Run: func(ctx context.Context) error {
			return operators.MeasureAccounts(ctx, h.Store, late) // refreshes figures that are a day old
		}},
	}
}

// removes returns the Run of a task that removes something, and logs the text with the number that was removed.
func (h Housekeeping) removes(text string,
	remove func(context.Context) (int64, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := remove(ctx)
		if n > 0 {
			h.Logger.Info(text, "count", n)
		}
		return err
	}
}

// orphanAge is the age at which a file without a row is removed. No upload takes as long until its transaction
// begins.
const orphanAge = 24 * time.Hour

func (h Housekeeping) sweepFiles(ctx context.Context) error {
	installation, err := h.Installation(ctx)
	if err != nil {
		return err
	}
	// The process marks the file store too, but may not have done so yet.
	if err := h.Store.MarkFiles(ctx, func() error { return h.Files.Mark(ctx, installation) }); err != nil {
		return err
	}
	// Other sessions do not see a row while its COMMIT waits for a synchronous standby, which has no limit.
	until, err := h.Store.ChangesUntil(ctx)
	if err != nil {
		return err
	}
	n, err := h.Files.Sweep(ctx, installation, until.Add(-orphanAge), h.Store.UnknownFiles)
	if n > 0 {
		h.Logger.Info("files without a row removed", "count", n)
	}
	return err
}

// countUses refreshes use_count of categories, people and centers, so that use_count is at most an hour old.
func (h Housekeeping) countUses(ctx context.Context) error {
	_, err := h.Store.CountUses(ctx)
	return err
}

// sumUsage sums up what each account keeps.
func (h Housekeeping) sumUsage(ctx context.Context) error {
	_, err := h.Store.SumUsage(ctx)
	return err
}

// proveBalances enqueues the proofs of deposit accounts that have changed.
func (h Housekeeping) proveBalances(ctx context.Context) error {
	_, err := proof.Enqueue(ctx, h.Store)
	return err
}

func (h Housekeeping) rollChanges(ctx context.Context) error {
	return h.Store.RollChanges(ctx, h.ChangesRetention)
}

func (h Housekeeping) emptyHistory(ctx context.Context) error {
	emptied, err := h.Store.EmptyHistory(ctx)
	if emptied {
		h.Logger.Info("finished jobs of eight days ago removed")
	}
	return err
}

// deliveriesEvery is how often deliveries are expired and removed: twice within the shortest of
// the periods, and at least hourly.
func deliveriesEvery(kept ...time.Duration) time.Duration { return min(slices.Min(kept)/2, time.Hour) }

func (h Housekeeping) tidyDeliveries(ctx context.Context) error {
	expired, failed := deliveries.Expire(ctx, h.Store, h.WebhookHeldFor)
	removed, err := deliveries.Remove(ctx, h.Store, h.WebhookRetention)
	if expired+removed > 0 {
		h.Logger.Info("deliveries expired or removed", "expired", expired, "removed", removed)
	}
	return errors.Join(failed, err)
}
