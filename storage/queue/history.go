package queue

import (
	"context"
	"strconv"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
)

// HistoryKept is the least time that a row of finished_jobs is stored, and the time that operators search (decision
// 0050). A day of UTC is emptied as a whole, so rows live up to a day longer.
const HistoryKept = 7 * 24 * time.Hour

// finished inserts one row for all rows of a run, which the CTE ended has deleted or updated. It inserts none if a row
// is missing, because the claim is lost or the run does not end yet.
func finished(result, record, rows string) string {
	return ` INSERT INTO finished_jobs (id, kind, queue, account_id, record_id, request_id, jobs, attempts, result,
			error, created_at, first_due_at, started_at, claimed_at)
		SELECT max(id), min(kind), min(queue), max(account_id), nullif(` + record + `, 0), max(request_id), count(*),
			least(max(attempts), 32767), '` + result + `', left(max(error), 200), min(created_at), min(first_due_at),
			min(started_at), max(claimed_at)
		FROM ended HAVING count(*) = ` + rows + ` `
}

// prepareFinish is what Job.First prepares: finished for a run of one row, which names the partition of a day. To find
// the partition of each row took PostgreSQL longer than the INSERT itself. The day is of the process's clock; whatever
// that says, the row is stored, and found by ended_at.
func prepareFinish(part string) string {
	return `PREPARE finish_` + part + ` (bigint, int, bigint) AS
		WITH ended AS (DELETE FROM jobs WHERE id = $1 AND claims = $2` + endedColumns + `)
		INSERT INTO finished_jobs_` + part + ` (part, id, kind, queue, account_id, record_id, request_id, jobs,
			attempts, result, error, created_at, first_due_at, started_at, claimed_at)
		SELECT ` + part + `, id, kind, queue, account_id, nullif($3, 0), request_id, 1, least(attempts, 32767),
			'done', left(error, 200), created_at, first_due_at, started_at, claimed_at
		FROM ended`
}

// historyPart returns the partition of finished_jobs for a time.
func historyPart(t time.Time) string { return strconv.FormatInt(t.Unix()/86400%10, 10) }

// endedColumns are the columns that finished needs.
const endedColumns = ` RETURNING id, kind, queue, account_id, request_id, attempts, error, created_at, first_due_at,
	started_at, claimed_at `

// recorded reports whether a run that succeeds leaves a row in finished_jobs. A webhook has a job for each event that
// finds it idle, and its deliveries and their attempts are a history of their own. All runs that fail for good leave
// one.
func (j Job) recorded() bool { return j.Kind != jobs.DeliverWebhookKind.Name }

// record returns the id of the record that the job is about, or 0.
func (j Job) record() int64 {
	_, id := jobs.Subject(j.Args)
	return id
}

// lateEnd is how long after the beginning of its transaction a run may end without another statement for the time.
const lateEnd = 100 * time.Millisecond

var setEnd = db.Named("finished_jobs.end", `UPDATE finished_jobs SET ended_at = clock_timestamp()
	WHERE account_id = @account AND ended_at = now() AND id = @id`)

// Ended runs the effect of a job behind the statement that has ended it, which is the first of the transaction. The
// row in finished_jobs has the time of that statement; if the effect takes long, Ended sets the end.
func Ended(ctx context.Context, tx db.Queryer, job Job, effect func() error) error {
	began := time.Now()
	if err := effect(); err != nil || !job.recorded() || time.Since(began) < lateEnd {
		return err
	}
	_, err := db.ExecNamed(ctx, tx, setEnd, db.Args{"account": job.AccountID, "id": job.ID})
	return err
}

// EmptyHistory removes the finished jobs of eight days ago and before, and reports whether there were any.
func (q *Queue) EmptyHistory(ctx context.Context) (bool, error) {
	return db.One[bool](ctx, q.pool, `SELECT empty_finished_jobs() /* DELETE */`)
}
