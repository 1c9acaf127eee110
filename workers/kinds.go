// Package workers does the jobs: one file per kind, which loads, decides (finance) and stores. It
// is apart from api and scheduler because each queue may have processes of its own, which may be slow,
// be killed and be many. The steps that all kinds share, from the claim of a job to its end, are in
// workers/runtime.
package workers

import (
	"time"

	"bordero/finance"
	"bordero/internal/blobs"
	"bordero/internal/mail"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/workers/runtime"
)

// Deps are the dependencies of the kinds on the process.
type Deps struct {
	Store *storage.Store
	Files *blobs.Store
	Zone  *time.Location // decides which day is today
	Now   func() time.Time
	// Imported receives the result of each finished import, and how many transactions it
	// added; may be nil.
	Imported func(result string, transactions int64)
	// StatementChanges returns the attributes of a statement that differ, as the API shows them
	// (finance.Event).
	StatementChanges func(before, after *finance.BankStatement) string

	Webhooks Webhooks
	Mail     mail.Options
}

// Kinds returns the table, with one entry for each kind of job.
func Kinds(d Deps) runtime.Table {
	if d.Imported == nil {
		d.Imported = func(string, int64) {}
	}
	return runtime.Table{
		importStatement{store: d.Store, files: d.Files, zone: d.Zone, now: d.Now, imported: d.Imported,
			changes: d.StatementChanges}.handler(),
		deleteBankStatement{store: d.Store, files: d.Files, slice: deletionSlice}.handler(),
		proveBalance{store: d.Store}.handler(),
		readPayments{store: d.Store, chunk: paymentsReadAtOnce}.handler(),
		deleteCascade{store: d.Store, files: d.Files, slice: deletionSlice}.handler(),
		priceSales{store: d.Store, batch: pricedAtOnce}.handler(),
		reconcileAutomatically{store: d.Store, read: booksReadAtOnce, most: largestBooks, later: reconciledLater,
			batch: reconciledAtOnce}.handler(),
		settleSales{store: d.Store, batch: pricedAtOnce}.handler(),
		applyCardDays{store: d.Store}.handler(),
		newDeliverWebhook(d.Store, d.Webhooks).handler(),
		alignDeliveries{store: d.Store, batch: deliveries.StatusesAtOnce}.handler(),
		redeliverWebhook{store: d.Store, batch: redeliveredAtOnce}.handler(),
		mailWebhookFailure{store: d.Store, mail: d.Mail, publicURL: d.Webhooks.PublicURL, zone: d.Zone}.handler(),
	}
}

// nothing is the effect of a job, or of a chunk, that has only to be ended.
func nothing(*storage.Tx) error { return nil }
