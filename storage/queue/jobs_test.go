package queue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// note is a kind of job for these tests, memo a keyed one.
type (
	note struct{ N int }
	memo struct{ Of string }
)

func (note) Kind() jobs.Kind { return jobs.Kind{Name: "note", Queue: "test"} }
func (memo) Kind() jobs.Kind { return jobs.Kind{Name: "memo", Queue: "test", Keyed: true} }
func (m memo) Key() string   { return m.Of }

// offered is a store that records the tickets it offers.
type offered struct {
	*storage.Store
	t       testing.TB
	url     string
	mu      sync.Mutex
	tickets []jobs.Ticket
}

func newOffered(t testing.TB, o storage.Options) *offered {
	s := &offered{t: t, url: storagetest.DatabaseURL(t)}
	o.Offer = func(tickets ...jobs.Ticket) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tickets = append(s.tickets, tickets...)
	}
	s.Store = storagetest.Open(t, s.url, o)
	// default privileges grant it to the store's role
	if _, err := storagetest.DB(t, s.url).ExecContext(t.Context(), `CREATE TABLE effects (job bigint)`); err != nil {
		t.Fatal(err)
	}
	return s
}

// taken returns the tickets offered since its last call.
func (s *offered) taken() []jobs.Ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.tickets = nil }()
	return s.tickets
}

func (s *offered) tx(fn func(*storage.Tx) error) {
	s.t.Helper()
	if err := s.InTx(s.t.Context(), fn); err != nil {
		s.t.Fatal(err)
	}
}

// enqueue inserts the jobs in one transaction and returns their ids.
func (s *offered) enqueue(all ...jobs.Args) (ids []int64) {
	s.t.Helper()
	s.taken()
	s.tx(func(tx *storage.Tx) error {
		for _, args := range all {
			if err := tx.Enqueue(s.t.Context(), 7, args); err != nil {
				return err
			}
		}
		return nil
	})
	for _, ticket := range s.taken() {
		ids = append(ids, ticket.ID)
	}
	return ids
}

const lease = time.Minute

// enqueueAfter enqueues a job that falls due after wait by PostgreSQL's clock, which may differ from
// the worker's.
func enqueueAfter(ctx context.Context, tx *storage.Tx, account int64, args jobs.Args, wait time.Duration) error {
	due, err := db.One[time.Time](ctx, tx.DB, `SELECT now() + make_interval(secs => $1)`, wait.Seconds())
	if err != nil {
		return err
	}
	return tx.EnqueueAt(ctx, account, args, due)
}

func (s *offered) claim(lease time.Duration, ids ...int64) []queue.Job {
	s.t.Helper()
	claimed, err := s.Claim(s.t.Context(), lease, named(ids...))
	if err != nil {
		s.t.Fatal(err)
	}
	return claimed
}

// named returns the tickets of notes.
func named(ids ...int64) (all []jobs.Ticket) {
	for _, id := range ids {
		all = append(all, jobs.Ticket{ID: id, Kind: note{}.Kind().Name})
	}
	return all
}

func (s *offered) claimKey(lease time.Duration, id int64) *queue.Job {
	s.t.Helper()
	job, err := s.ClaimKey(s.t.Context(), lease, jobs.Ticket{ID: id, Kind: memo{}.Kind().Name})
	if err != nil {
		s.t.Fatal(err)
	}
	return job
}

// claimSoon waits until a job is free and claims it.
func (s *offered) claimSoon(id int64) queue.Job {
	s.t.Helper()
	var claimed []queue.Job
	testkit.Eventually(s.t, "a job is free", func() bool { claimed = s.claim(lease, id); return len(claimed) > 0 })
	return claimed[0]
}

// effect returns a function that writes the effect of a job.
func (s *offered) effect(job queue.Job) func(*storage.Tx) error {
	return func(tx *storage.Tx) error {
		_, err := db.Exec(s.t.Context(), tx.DB, `INSERT INTO effects (job) VALUES ($1)`, job.ID)
		return err
	}
}

// count returns the result of a SELECT count(*).
func (s *offered) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := storagetest.DB(s.t, s.url).QueryRowContext(s.t.Context(), query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *offered) left(jobs, effects int) {
	s.t.Helper()
	if n := s.count(`SELECT count(*) FROM jobs`); n != jobs {
		s.t.Errorf("%d jobs are left, not %d", n, jobs)
	}
	if n := s.count(`SELECT count(*) FROM effects`); n != effects {
		s.t.Errorf("%d effects, not %d", n, effects)
	}
}

func TestEnqueueOffersAfterTheCommit(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	ctx := jobs.WithTraceparent(jobs.WithRequestID(t.Context(), "r-1"), trace)
	s.tx(func(tx *storage.Tx) error {
		if err := tx.Enqueue(ctx, 7, note{N: 1}); err != nil {
			return err
		}
		if err := enqueueAfter(ctx, tx, 7, note{N: 2}, time.Hour); err != nil {
			return err
		}
		if got := s.taken(); len(got) != 0 {
			t.Errorf("offered before the commit: %v", got)
		}
		return nil
	})
	got := s.taken()
	if len(got) != 1 || got[0].Kind != "note" || got[0].Queue != "test" || got[0].Fence != 0 {
		t.Fatalf("offered %v, not the one that is due", got)
	}
	if n := s.count(`SELECT count(*) FROM jobs WHERE due_at = created_at + interval '1 hour'`); n != 1 {
		t.Errorf("%d jobs are due an hour after they were asked for, by PostgreSQL's clock", n)
	}
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		if err := tx.Enqueue(ctx, 7, note{N: 3}); err != nil {
			return err
		}
		return errors.New("no")
	})
	if got := s.taken(); err == nil || len(got) != 0 {
		t.Errorf("offered %v of a transaction that was rolled back", got)
	}
	job := s.claim(lease, got[0].ID)[0]
	var args note
	if err := json.Unmarshal([]byte(job.Args), &args); err != nil || args.N != 1 {
		t.Errorf("arguments %+v, %v", args, err)
	}
	if job.RequestID != "r-1" || job.Traceparent != trace || job.AccountID != 7 || job.Attempt != 1 ||
		job.Cursor != "" {
		t.Errorf("the job is %+v", job)
	}
	s.left(2, 0)
}

// A job that falls due before the relay's next query has a ticket, which waits until then.
func TestAJobThatIsDueSoonIsOfferedThen(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	s.tx(func(tx *storage.Tx) error {
		return errors.Join(
			enqueueAfter(t.Context(), tx, 7, note{N: 1}, jobs.SoonDue-time.Millisecond),
			enqueueAfter(t.Context(), tx, 7, note{N: 2}, jobs.SoonDue+time.Minute))
	})
	got := s.taken()
	if len(got) != 1 || got[0].Wait <= jobs.SoonDue-time.Second || got[0].Wait > jobs.SoonDue {
		t.Errorf("offered %+v", got)
	}
}

func TestEnqueueRefusesAKindThatDiffersFromItsArguments(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	for name, args := range map[string]jobs.Args{"a keyed kind without a key": unkeyed{},
		"a fair kind that is no import": fair{}} {
		err := s.InTx(t.Context(), func(tx *storage.Tx) error { return tx.Enqueue(t.Context(), 7, args) })
		if err == nil {
			t.Errorf("%s was enqueued", name)
		}
	}
}

type (
	unkeyed struct{}
	fair    struct{ memo }
)

func (unkeyed) Kind() jobs.Kind { return memo{}.Kind() }
func (fair) Kind() jobs.Kind    { return jobs.Kind{Name: "fair", Queue: "test", Fair: true} }

func TestAClaimByAnotherKindTakesNothing(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, memo{Of: "a"})
	wrong := []jobs.Ticket{{ID: ids[0], Kind: "memo"}, {ID: ids[1], Kind: "note"}}
	if claimed, err := s.Claim(t.Context(), lease, wrong); len(claimed) > 0 || err != nil {
		t.Errorf("claimed are %v, %v", claimed, err)
	}
	for _, ticket := range wrong {
		if job, err := s.ClaimKey(t.Context(), lease, ticket); job != nil || err != nil {
			t.Errorf("claimed is %v, %v", job, err)
		}
	}
	missed, err := s.Missed(t.Context(), append(named(99), wrong...))
	slices.SortFunc(missed, func(a, b jobs.Ticket) int { return cmp.Compare(a.ID, b.ID) })
	if err != nil || !slices.Equal(missed, []jobs.Ticket{{ID: ids[0], Kind: "note", Queue: "test"},
		{ID: ids[1], Kind: "memo", Queue: "test", Key: "a"}}) {
		t.Errorf("missed are %+v, %v", missed, err)
	}
}

func TestATicketThatIsThereTwiceClaimsItsJobOnce(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	claimed, err := s.Claim(t.Context(), lease, []jobs.Ticket{{ID: id, Kind: "note"}, {ID: id, Kind: "memo"},
		{ID: id, Kind: "note"}})
	if err != nil || len(claimed) != 1 || claimed[0].Attempt != 1 {
		t.Errorf("claimed are %v, %v", claimed, err)
	}
}

func TestAClaimScansNoTableThatWasEmpty(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	if plan := queue.ClaimPlan(t, s.Queue, []int64{1, 2, 3, 4},
		[]string{"note", "note", "note", "note"}); strings.Contains(plan, "Seq Scan") {
		t.Errorf("plan of a claim:\n%s", plan)
	}
}

func TestClaimersGetEachJobOnce(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(slices.Repeat([]jobs.Args{note{}}, 200)...)
	var claimers sync.WaitGroup
	got := make([][]queue.Job, 8)
	for i := range got {
		claimers.Go(func() {
			for group := range slices.Chunk(ids, 20) {
				claimed, err := s.Claim(t.Context(), lease, named(group...))
				if err != nil {
					t.Error(err)
				}
				got[i] = append(got[i], claimed...)
			}
		})
	}
	claimers.Wait()
	times := map[int64]int{}
	for _, job := range slices.Concat(got...) {
		times[job.ID]++
	}
	for _, id := range ids {
		if times[id] != 1 {
			t.Errorf("job %d was claimed %d times", id, times[id])
		}
	}
}

func TestClaimTakesOnlyWhatIsFree(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, note{}, note{}, note{})
	held := s.claim(lease, ids[0])[0]
	failed := s.claim(lease, ids[1])[0]
	dead := s.claim(lease, ids[2])[0]
	if err := s.Fail(t.Context(), failed, errors.New("not now"), time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := s.Dead(t.Context(), dead, errors.New("never"), s.effect(dead)); err != nil {
		t.Fatal(err)
	}
	got := s.claim(lease, append(ids, 999)...)
	if len(got) != 1 || got[0].ID != ids[3] {
		t.Errorf("claimed %v beside one that is leased, one that is not due, one dead and one unknown", got)
	}
	if err := s.Complete(t.Context(), held, s.effect(held)); err != nil {
		t.Error(err)
	}
	if got := s.claim(lease, ids[0]); len(got) != 0 {
		t.Error("claimed one that is done")
	}
}

// The claim of a run that goes on is lost with a server, and the job is claimed again.
func TestAClaimThatAServerLostIsFenced(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	for _, args := range []jobs.Args{note{}, memo{Of: "a"}} {
		id := s.enqueue(args)[0]
		claim := func() queue.Job {
			if _, keyed := args.(jobs.Keyed); keyed {
				return *s.claimKey(lease, id)
			}
			return s.claim(lease, id)[0]
		}
		lost := claim()
		_, err := storagetest.DB(t, s.url).ExecContext(t.Context(),
			`UPDATE jobs SET claims = 0, attempts = 0, leased_until = NULL`)
		if err != nil {
			t.Fatal(err)
		}
		next := claim()
		if err := s.Chunk(t.Context(), &lost, "9", s.effect(lost)); !errors.Is(err, queue.ErrFenced) {
			t.Errorf("%T: a chunk of the first: %v", args, err)
		}
		if err := s.Complete(t.Context(), lost, s.effect(lost)); !errors.Is(err, queue.ErrFenced) {
			t.Errorf("%T: the end of the first: %v", args, err)
		}
		if err := s.Complete(t.Context(), next, s.effect(next)); err != nil {
			t.Errorf("%T: %v", args, err)
		}
	}
	s.left(0, 2)
}

func TestALapsedLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	first := s.claim(50*time.Millisecond, id)[0]
	second := s.claimSoon(id)
	if second.Attempt != 2 {
		t.Errorf("attempt %d", second.Attempt)
	}
	for name, late := range map[string]error{
		"complete": s.Complete(t.Context(), first, s.effect(first)),
		"chunk":    s.Chunk(t.Context(), &first, "9", s.effect(first)),
		"fail":     s.Fail(t.Context(), first, errors.New("late"), 0),
		"dead":     s.Dead(t.Context(), first, errors.New("late"), s.effect(first)),
	} {
		if !errors.Is(late, queue.ErrFenced) {
			t.Errorf("%s by the holder that lost it: %v", name, late)
		}
	}
	if err := s.Release(t.Context(), first, false); err != nil || len(s.taken()) != 0 {
		t.Error("released by the holder that lost it", err)
	}
	s.left(1, 0)
	if err := s.Complete(t.Context(), second, s.effect(second)); err != nil {
		t.Fatal(err)
	}
	s.left(0, 1)
}
