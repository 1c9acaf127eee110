package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
)

// Pool is the state of the connections to PostgreSQL.
type Pool struct {
	InUse, Idle, Max int
	Waits            int64 // for a connection, or for the right to use one
	Waited           time.Duration
}

// Pool exports the connections to PostgreSQL.
func (m *Metrics) Pool(read func() Pool) {
	connections := describe("bordero_database_connections", "Connections to PostgreSQL, by state.", "state")
	limit := describe("bordero_database_connections_max", "The most connections that the process opens.")
	waits := describe("bordero_database_waits_total", "Times that a connection was waited for.")
	waited := describe("bordero_database_wait_seconds_total", "Time spent waiting for a connection.")
	m.collect(func(c *collection) {
		p := read()
		c.gauge(connections, float64(p.InUse), "in_use")
		c.gauge(connections, float64(p.Idle), "idle")
		c.gauge(limit, float64(p.Max))
		c.counter(waits, float64(p.Waits))
		c.counter(waited, p.Waited.Seconds())
	}, connections, limit, waits, waited)
}

// Ready exports whether each check of /readyz is ok, and under "all" whether the process is ready. read
// must return within seconds.
func (m *Metrics) Ready(read func(context.Context) map[string]bool) {
	ready := describe("bordero_ready", `1 when the check of /readyz is ok; of "all", when the process is ready.`,
		"check")
	m.collect(func(c *collection) {
		for check, ok := range read(context.Background()) {
			c.gauge(ready, truth(ok), check)
		}
	}, ready)
}

// FilesDisk exports the space of the disk with the files, in bytes.
func (m *Metrics) FilesDisk(read func() (free, size uint64, err error)) {
	free := describe("bordero_files_free_bytes", "Free space of the disk with the files of BORDERO_FILES_URL.")
	size := describe("bordero_files_size_bytes", "Size of the disk with the files of BORDERO_FILES_URL.")
	last := newReading(func(context.Context) (space [2]uint64, err error) { // a network file system may hang
		space[0], space[1], err = read()
		return space, err
	})
	m.collect(func(c *collection) {
		if space, ok := last.get(); ok && space[1] > 0 {
			c.gauge(free, float64(space[0]))
			c.gauge(size, float64(space[1]))
		}
	}, free, size)
}

// Redis is the state of Redis, with counts of the tickets and wake-ups that the process sends.
type Redis struct {
	Ready           bool // Redis answers, is not full, does not evict and is not another installation's
	Used, Max       int64
	Open, Idle      uint32
	Timeouts        uint32
	Pushed, Dropped uint64 // tickets and wake-ups; dropped ones are left to the relay
}

// Redis exports the state of Redis as the process sees it.
func (m *Metrics) Redis(read func(context.Context) Redis) {
	ready := describe("bordero_redis_ready", "1 when Redis answers, is not full, does not evict and is not another "+
		"installation's.")
	used := describe("bordero_redis_used_bytes", "Memory that Redis uses.")
	limit := describe("bordero_redis_max_bytes", "maxmemory of Redis; 0 for no limit.")
	connections := describe("bordero_redis_connections", "Connections to Redis, by state.", "state")
	timeouts := describe("bordero_redis_pool_timeouts_total", "Times that no connection to Redis became free in time.")
	offered := describe("bordero_jobs_offered_total", "Names of jobs, and hints to runs, pushed to Redis; or dropped "+
		"and so left to the relay.", "outcome")
	last := newReading(func(ctx context.Context) (Redis, error) { return read(ctx), nil })
	m.collect(func(c *collection) {
		r, ok := last.get()
		if !ok {
			c.gauge(ready, 0)
			return
		}
		c.gauge(ready, truth(r.Ready))
		c.gauge(used, float64(r.Used))
		c.gauge(limit, float64(r.Max))
		c.gauge(connections, float64(r.Open-r.Idle), "in_use")
		c.gauge(connections, float64(r.Idle), "idle")
		c.counter(timeouts, float64(r.Timeouts))
		c.counter(offered, float64(r.Pushed), "pushed")
		c.counter(offered, float64(r.Dropped), "dropped")
	}, ready, used, limit, connections, timeouts, offered)
}

// JobCount counts the jobs of one kind in one state. The reader limits the count.
type JobCount struct {
	Queue, Kind, State string // waiting, running, later, retrying or failed
	Count              int64
	Oldest             time.Duration // since the first of them fell due, began its run, or failed
}

// DueJobs exports the unfinished jobs in PostgreSQL. Only the scheduler exports them.
func (m *Metrics) DueJobs(read func(context.Context) ([]JobCount, error)) {
	jobs := describe("bordero_jobs",
		"Unfinished jobs, by kind and state; of a queue the first 10000 due ones and the first 10000 due later; "+
			"of all queues 10000 that failed, those with the lowest and the highest ids.", "queue", "kind", "state")
	oldest := describe("bordero_job_oldest_due_seconds", "How long the oldest job of the kind that could run has "+
		"been waiting.", "queue", "kind")
	running := describe("bordero_job_oldest_running_seconds", "How long ago the oldest run of the kind began that has "+
		"not ended.", "queue", "kind")
	up := describe("bordero_jobs_readable", "1 when the jobs could be read from PostgreSQL.")
	last := newReading(read)
	m.collect(func(c *collection) {
		counts, ok := last.get()
		c.gauge(up, truth(ok))
		for _, j := range counts {
			c.gauge(jobs, float64(j.Count), j.Queue, j.Kind, j.State)
			switch j.State {
			case "waiting":
				c.gauge(oldest, j.Oldest.Seconds(), j.Queue, j.Kind)
			case "running":
				c.gauge(running, j.Oldest.Seconds(), j.Queue, j.Kind)
			}
		}
	}, jobs, oldest, running, up)
}

// Unsealed counts the changes without a number. The reader limits the count.
type Unsealed struct {
	Count  int64
	Oldest time.Duration // since the transaction of the first of them began
}

// UnsealedChanges exports the changes that wait for the sealer. Only the scheduler exports them.
func (m *Metrics) UnsealedChanges(read func(context.Context) (Unsealed, error)) {
	count := describe("bordero_changes_unsealed", "Changes that are committed and have no number yet; counted up to "+
		"10000.")
	oldest := describe("bordero_change_oldest_unsealed_seconds",
		"How long ago the transaction of the oldest change without a number began; 0 if there is none.")
	last := newReading(read)
	m.collect(func(c *collection) {
		if u, ok := last.get(); ok {
			c.gauge(count, float64(u.Count))
			c.gauge(oldest, u.Oldest.Seconds())
		}
	}, count, oldest)
}

// ProofCount is the number of deposit accounts whose newest balance proof has a status.
type ProofCount struct {
	Status string // agrees, differs or unknown
	Count  int64
}

// BalanceProofs exports the number of deposit accounts by the status of their newest proof. Only the
// scheduler exports it.
func (m *Metrics) BalanceProofs(read func(context.Context) ([]ProofCount, error)) {
	accounts := describe("bordero_balance_proofs", "Deposit accounts by the status of their newest balance proof, as "+
		"of the last look.", "status")
	last := newReading(read)
	m.collect(func(c *collection) {
		counts, ok := last.get()
		if !ok {
			return
		}
		// An alert compares a count with an earlier one, so each status has a count before its first proof.
		all := map[string]int64{"agrees": 0, "differs": 0, "unknown": 0}
		for _, p := range counts {
			all[p.Status] = p.Count
		}
		for status, n := range all {
			c.gauge(accounts, float64(n), status)
		}
	}, accounts)
}

// WebhooksInError exports how many webhooks are in error. The reader limits the count. Only the
// scheduler exports it.
func (m *Metrics) WebhooksInError(read func(context.Context) (int64, error)) {
	webhooks := describe("bordero_webhooks_in_error",
		"Webhooks in error, to which nothing is sent; counted up to 10000.")
	last := newReading(read)
	m.collect(func(c *collection) {
		if n, ok := last.get(); ok {
			c.gauge(webhooks, float64(n))
		}
	}, webhooks)
}

// Archive is the state of PostgreSQL's archiver of the write-ahead log.
type Archive struct {
	On      bool          // archive_mode; if off, nothing is exported
	Failing bool          // the last attempt to archive failed
	Late    time.Duration // since a segment, or none since the start, was archived; 0 unless two or more wait
}

// Archive exports the state of the archiver. Only the scheduler exports it.
func (m *Metrics) Archive(read func(context.Context) (Archive, error)) {
	failing := describe("bordero_archive_failing", "1 when PostgreSQL's last attempt to archive a segment of its log "+
		"failed.")
	late := describe("bordero_archive_late_seconds", "How long PostgreSQL has archived no segment of its log, "+
		"before the first one since its start or that of its statistics; 0 unless two or more wait.")
	last := newReading(read)
	m.collect(func(c *collection) {
		if a, ok := last.get(); ok && a.On {
			c.gauge(failing, truth(a.Failing))
			c.gauge(late, a.Late.Seconds())
		}
	}, failing, late)
}

// Queues exports the queues as Asynq shows them in Redis. PostgreSQL is authoritative.
func (m *Metrics) Queues(inspector *asynq.Inspector, queues []string) {
	tasks := describe("bordero_queue_tasks", "Tasks in Redis, by queue and state.", "queue", "state")
	latency := describe("bordero_queue_latency_seconds", "How long the oldest pending task has been waiting in Redis.",
		"queue")
	paused := describe("bordero_queue_paused", "1 when the queue is paused on the dashboard.", "queue")
	last := newReading(func(context.Context) (all []*asynq.QueueInfo, _ error) {
		for _, queue := range queues {
			if info, err := inspector.GetQueueInfo(queue); err == nil { // a queue is unknown before its first task
				all = append(all, info)
			}
		}
		return all, nil
	})
	m.collect(func(c *collection) {
		all, _ := last.get()
		for _, q := range all {
			for state, n := range map[string]int{
				"pending": q.Pending, "active": q.Active, "scheduled": q.Scheduled, "retry": q.Retry,
				"archived": q.Archived,
			} {
				c.gauge(tasks, float64(n), q.Queue, state)
			}
			c.gauge(latency, q.Latency.Seconds(), q.Queue)
			c.gauge(paused, truth(q.Paused), q.Queue)
		}
	}, tasks, latency, paused)
}

const (
	fresh    = 5 * time.Second // how long a reading is reused
	patience = 2 * time.Second // how long a scrape waits for a reading
)

// reading reads a value at most every few seconds, however many scrapes there are. A server
// that hangs does not block the scrapes.
type reading[T any] struct {
	read func(context.Context) (T, error)

	mu      sync.Mutex
	last    T    // the zero value after an error
	ok      bool // the last read had no error
	at      time.Time
	running chan struct{} // closed when the current read has ended; nil when there is none
}

func newReading[T any](read func(context.Context) (T, error)) *reading[T] {
	return &reading[T]{read: read}
}

// get returns the newest value; ok is false, and value zero, if the last read failed or did not end in time.
func (r *reading[T]) get() (value T, ok bool) {
	r.mu.Lock()
	if time.Since(r.at) < fresh && !r.at.IsZero() {
		defer r.mu.Unlock()
		return r.last, r.ok
	}
	if r.running == nil {
		r.running = make(chan struct{})
		go r.refresh(r.running)
	}
	running := r.running
	r.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-running:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.last, r.ok
	case <-timer.C:
		return value, false
	}
}

func (r *reading[T]) refresh(running chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	value, err := r.read(ctx)
	if err != nil {
		value = *new(T)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.ok, r.at, r.running = value, err == nil, time.Now(), nil
	close(running)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// collect registers a function that reads values when Prometheus scrapes.
func (m *Metrics) collect(read func(*collection), all ...*prometheus.Desc) {
	m.registry.MustRegister(collector{read, all})
}

type collector struct {
	read func(*collection)
	all  []*prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.all {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) { c.read(&collection{ch}) }

// collection is one scrape.
type collection struct{ ch chan<- prometheus.Metric }

func (c *collection) gauge(d *prometheus.Desc, value float64, labels ...string) {
	c.ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func (c *collection) counter(d *prometheus.Desc, value float64, labels ...string) {
	c.ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value, labels...)
}
