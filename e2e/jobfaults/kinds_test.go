package jobfaults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/workers/runtime"
)

const queueName = "faults"

var (
	single  = kind("single", false)
	chunked = kind("chunked", false)
	keyed   = kind("keyed", true)
	fair    = func() jobs.Kind { // replaces the imports
		k := jobs.ImportStatementKind
		k.Delay = single.Delay
		return k
	}()
)

// queues are those of the kinds.
var queues = []string{queueName, fair.Queue}

func kind(name string, keyed bool) jobs.Kind {
	return jobs.Kind{Name: name, Queue: queueName, Attempts: 10, Delay: jobs.Backoff(100*time.Millisecond, time.Second),
		Keyed: keyed}
}

// asked are the arguments of every kind: an effect for each part, with a pause before it.
type asked struct {
	ID    int64         `json:"id"`
	Parts int           `json:"parts"`
	Pause time.Duration `json:"pause"`
	kind  jobs.Kind
}

func (a asked) Kind() jobs.Kind { return a.kind }

// askedByKey are the arguments of the keyed and the fair kind, which have few keys.
type askedByKey struct{ asked }

func (a askedByKey) Key() string { return strconv.FormatInt(a.ID%keys, 10) }

const keys = 5

// schema is what the producer wants and what the runs have done. It has no unique constraints,
// so that duplicates can be counted.
const schema = `
	CREATE TABLE wanted (id bigint, key text, n bigint, parts int, pause float8, at timestamptz);
	CREATE TABLE effects (id bigint, part int, attempt int, at timestamptz DEFAULT clock_timestamp());
	CREATE TABLE counters (key text PRIMARY KEY, n bigint DEFAULT 0);
	CREATE TABLE runs (id bigint GENERATED ALWAYS AS IDENTITY, key text, seen bigint, attempt int,
		began timestamptz, ended timestamptz DEFAULT clock_timestamp());
	INSERT INTO counters (key) SELECT generate_series(0, 4); -- one for each of the keys
	CREATE INDEX ON effects (id);
	CREATE INDEX ON runs (key);`

// effects are the runs of all kinds.
type effects struct {
	store *storage.Store
	db    *sql.DB // for reads outside of a transaction
}

func table(store *storage.Store, databaseURL string) (runtime.Table, error) {
	db, err := sql.Open("postgres", databaseURL)
	e := effects{store, db}
	return runtime.Table{
		handler(single, e.inParts),
		handler(chunked, e.inParts),
		handler(keyed, e.ofKey),
		handler(fair, e.inTurn),
	}, err
}

func handler(k jobs.Kind, run func(context.Context, *runtime.Job[asked]) error) runtime.Handler {
	h := runtime.Entry[asked]{Run: run}.Handler()
	h.Kind = k
	return h
}

// inParts runs each part but the last in a chunk, and the last with the end of the job.
func (e effects) inParts(ctx context.Context, j *runtime.Job[asked]) error {
	a := j.Args
	part, _ := strconv.Atoi(j.Cursor) // empty at first
	claimed := j.Job                  // with its attempt number, which a chunk resets
	for ; part < a.Parts; part++ {
		if err := pause(ctx, a.Pause); err != nil {
			return err
		}
		do := func(tx *storage.Tx) error { return effect(ctx, tx, claimed, a.ID, part) }
		var err error
		if part == a.Parts-1 {
			err = e.store.Complete(ctx, j.Job, do)
		} else {
			err = e.store.Chunk(ctx, &j.Job, strconv.Itoa(part+1), do)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// effect takes a moment, so that faults occur during open transactions.
func effect(ctx context.Context, tx *storage.Tx, job queue.Job, id int64, part int) error {
	if err := pause(ctx, moment()); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx.DB, `INSERT INTO effects (id, part, attempt) VALUES ($1, $2, $3)`, id, part, job.Attempt)
	if err != nil {
		return err
	}
	return injected(job, id)
}

// ofKey reads the key's counter and stores it after a while, with the times. The check finds
// runs of the same key that overlapped.
func (e effects) ofKey(ctx context.Context, j *runtime.Job[asked]) error {
	a := j.Args
	var seen int64
	var began time.Time
	err := e.db.QueryRowContext(ctx, `SELECT n, clock_timestamp() FROM counters WHERE key = $1`, j.Key).Scan(&seen,
		&began)
	if err != nil {
		return fmt.Errorf("read the counter: %w", err)
	}
	if err := pause(ctx, a.Pause); err != nil {
		return err
	}
	return e.store.Complete(ctx, j.Job, func(tx *storage.Tx) error {
		if err := pause(ctx, moment()); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx.DB, `INSERT INTO runs (key, seen, began, attempt) VALUES ($1, $2, $3, $4)`, j.Key,
			seen, began, j.Attempt)
		if err != nil {
			return err
		}
		return injected(j.Job, a.ID)
	})
}

// inTurn runs a job in the turn of its key, as an import does, and stores the times.
func (e effects) inTurn(ctx context.Context, j *runtime.Job[asked]) error {
	a := j.Args
	if err := pause(ctx, a.Pause); err != nil {
		return err
	}
	return e.store.Complete(ctx, j.Job, func(tx *storage.Tx) error {
		if _, err := db.Exec(ctx, tx.DB, `SELECT pg_advisory_xact_lock(hashtextextended('import:' || $1::text, 0))`,
			j.Key); err != nil {
			return err
		}
		began := time.Now()
		if err := effect(ctx, tx, j.Job, a.ID, 0); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx.DB, `INSERT INTO runs (key, began, attempt) VALUES ('turn ' || $1, $2, $3)`, j.Key,
			began, j.Attempt)
		return err
	})
}

// injected fails three of a hundred first tries after they have done their work.
func injected(job queue.Job, id int64) error {
	switch {
	case job.Attempt == 1 && id%67 == 0:
		return errors.New("injected")
	case job.Attempt == 1 && id%67 == 1:
		panic("injected")
	}
	return nil
}

func moment() time.Duration { return rand.N(15 * time.Millisecond) }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
