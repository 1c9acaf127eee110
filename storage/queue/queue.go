// Package queue is the table of jobs: it inserts, offers, claims, ends and retries them, and decides the
// turns of imports. It is below storage, because the changes of records enqueue jobs, and knows no
// record (decisions 0002 and 0004).
package queue

import (
	"bordero/jobs"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Queue is the table of jobs. Claims, renewals, releases and failures are statements, or short transactions, of their
// own; the effects of a job are committed behind its fence (decision 0002), in the transactions of storage.Store.
type Queue struct {
	pool           *sqlx.DB
	offer          func(...jobs.Ticket)
	runningImports int64
}

// New returns the queue of a database. offer receives the jobs that a statement has made due; it must
// not block. runningImports is how many imports of an account run at once, unless account_quotas has another number.
func New(pool *sqlx.DB, offer func(...jobs.Ticket), runningImports int64) *Queue {
	return &Queue{pool, offer, runningImports}
}

// keyTurns is the first number of the advisory locks of keys: the second is a hash of kind and key.
// storage has the other first numbers (leadership).
const keyTurns = 7061

// KindName returns the name of a kind as a literal of SQL.
func KindName(kind jobs.Kind) string { return pq.QuoteLiteral(kind.Name) }
