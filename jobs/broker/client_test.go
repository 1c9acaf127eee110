package broker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/jobs/broker"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// here returns the id of these tests' installation.
func here(context.Context) (string, error) { return "0123456789ab", nil }

var quiet = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	if err := private.Install(context.Background(), func(s string) { fmt.Fprintln(os.Stderr, s) },
		"redis-server"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startRedis starts a Redis for one test.
func startRedis(t *testing.T) *private.Redis {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	r, err := private.StartRedis(t.Context(), dir, private.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	return r
}

func open(t *testing.T, r *private.Redis) (*broker.Client, redis.UniversalClient, *asynq.Inspector) {
	t.Helper()
	client, err := broker.Open(r.URL(), here, quiet)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := broker.OpenRedis(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = direct.Close() })
	return client, direct, asynq.NewInspectorFromRedisClient(direct)
}

func ticket(id int64) jobs.Ticket { return jobs.Ticket{ID: id, Fence: 2, Kind: "note", Queue: "test"} }

// name returns the name of a ticket's task.
func name(t jobs.Ticket) string { return "0123456789ab." + t.Name() }

func tickets(n int) (all []jobs.Ticket) {
	for i := range n {
		all = append(all, ticket(int64(i)))
	}
	return all
}

func pending(t *testing.T, r redis.UniversalClient) int64 {
	t.Helper()
	n, err := r.LLen(t.Context(), "asynq:{test}:pending").Result()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestATicketWaitsUntilItsJobIsDue(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	t.Cleanup(func() { _ = client.Close() })
	const wait = 100 * time.Millisecond
	late := ticket(1)
	late.Wait = wait
	began := time.Now()
	client.Offer(late, ticket(2))
	testkit.Eventually(t, "two tasks wait", func() bool { return pending(t, direct) == 2 })
	if took := time.Since(began); took < wait {
		t.Errorf("offered after %v", took)
	}
}

// All due jobs of a key are one run. Of many enqueued at once few are offered: the first at
// once, and the last for certain.
func TestManyOfAKeyAreNamedByFew(t *testing.T) {
	t.Parallel()
	client, direct, inspector := open(t, startRedis(t))
	const many = 5000
	keyed := func(id int64, key string) jobs.Ticket {
		return jobs.Ticket{ID: id, Kind: "note", Queue: "test", Key: key}
	}
	client.Offer(keyed(1, "a"), keyed(2, "b"))
	testkit.Eventually(t, "two tasks wait", func() bool { return pending(t, direct) == 2 })
	for id := int64(3); id <= many; id++ {
		client.Offer(keyed(id, "a"))
	}
	testkit.Eventually(t, "all tickets are pushed or dropped", func() bool {
		pushed, dropped := client.Stats()
		return pushed+dropped == many
	})
	if n := pending(t, direct); n < 3 || n > many/5 {
		t.Errorf("%d tasks wait", n)
	}
	if _, err := inspector.GetTaskInfo("test", name(keyed(many, "a"))); err != nil {
		t.Errorf("the last: %v", err)
	}
	client.Offer(keyed(many+1, "c"), keyed(many+2, "c"))
	if err := client.Close(); err != nil { // offers the delayed tickets
		t.Fatal(err)
	}
	if _, err := inspector.GetTaskInfo("test", name(keyed(many+2, "c"))); err != nil {
		t.Errorf("the last before the end: %v", err)
	}
}

func TestWhatIsOfferedIsATask(t *testing.T) {
	t.Parallel()
	client, direct, inspector := open(t, startRedis(t))
	client.Offer(ticket(5), ticket(5))
	client.Offer(ticket(6))
	if err := client.Close(); err != nil { // pushes the buffered tickets
		t.Fatal(err)
	}
	if n := pending(t, direct); n != 2 {
		t.Errorf("%d tasks wait", n)
	}
	task, err := inspector.GetTaskInfo("test", "0123456789ab.5.2")
	if err != nil {
		t.Fatal(err)
	}
	if task.Type != "note" || string(task.Payload) != `{"id":5}` || task.MaxRetry != 25 || task.Timeout < 24*time.Hour {
		t.Errorf("the task is %+v", task)
	}
	if id, err := broker.TaskJob(asynq.NewTask(task.Type, task.Payload)); id != 5 || err != nil {
		t.Errorf("it names %d, %v", id, err)
	}
	for _, strange := range []string{``, `{}`, `{"id":}`, `{"id":1,"b":2}`, `{"x":1}`} {
		if _, err := broker.TaskJob(asynq.NewTask("note", []byte(strange))); err == nil {
			t.Errorf("%s names a job", strange)
		}
	}
	client.Offer(ticket(7)) // is dropped and does no harm
}

func TestWithoutRedisAnOfferCostsNothing(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	client, direct, _ := open(t, r)
	r.Kill()
	all := tickets(50_000)
	began := time.Now()
	for _, one := range all {
		client.Offer(one)
	}
	if took := time.Since(began); took > 30*time.Second { // an attempt to reach Redis would cost each some milliseconds
		t.Errorf("50,000 offers took %v", took)
	}
	testkit.Eventually(t, "50,000 tickets are dropped", func() bool {
		pushed, dropped := client.Stats()
		return pushed == 0 && dropped == 50_000
	})
	if err := client.Ready(t.Context()); err == nil {
		t.Error("ready without Redis")
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "a task waits", func() bool { client.Offer(ticket(1)); return pending(t, direct) == 1 })
	r.Kill()
	client.Offer(all[:1000]...)
	if err := client.Close(); err != nil { // gives up the buffered ones
		t.Fatal(err)
	}
}

func TestNothingIsOfferedBeyondTheWindow(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	fill := make([]any, broker.Window-10)
	for i := range fill {
		fill[i] = i
	}
	if err := direct.RPush(t.Context(), "asynq:{test}:pending", fill...).Err(); err != nil {
		t.Fatal(err)
	}
	look, err := client.Look(t.Context(), "test")
	if err != nil || look[0].Free != 10 {
		t.Errorf("%+v, %v", look, err)
	}
	client.Offer(tickets(500)...)
	testkit.Eventually(t, "all tickets are pushed or dropped", func() bool {
		pushed, dropped := client.Stats()
		return pushed+dropped == 500
	})
	if n := pending(t, direct); n != broker.Window {
		t.Errorf("%d tasks wait", n)
	}
	if look, err := client.Look(t.Context(), "test"); err != nil || look[0].Free != 0 {
		t.Errorf("%+v, %v", look, err)
	}
	client.Close()
}

func TestRelayGivesSecondNames(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	defer client.Close()
	ctx := t.Context()
	relay := func(all []jobs.Ticket, room int, second bool, through, made int) {
		t.Helper()
		gotThrough, gotMade, err := client.Relay(ctx, all, room, second)
		if err != nil || gotThrough != through || gotMade != made {
			t.Errorf("went through %d and made %d, not %d and %d; %v", gotThrough, gotMade, through, made, err)
		}
	}
	relay(nil, 5, true, 0, 0)
	relay(tickets(5), 3, false, 3, 3)
	relay(tickets(5), 10, false, 5, 2)
	relay(tickets(5), 10, true, 5, 0) // all of them wait
	for i, state := range []string{"active", "retry", "archived", "completed"} {
		if err := direct.HSet(ctx, "asynq:{test}:t:"+name(ticket(int64(i))), "state", state).Err(); err != nil {
			t.Fatal(err)
		}
	}
	relay(tickets(5), 10, false, 5, 0)
	relay(tickets(5), 2, true, 2, 2)
	relay(tickets(5), 10, true, 5, 4)
	names, err := direct.LRange(ctx, "asynq:{test}:pending", 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	second := 0
	for _, name := range names {
		if strings.Count(name, ".") == 3 {
			second++
		}
	}
	// At most twice for the first two, if a new period of second names began in between.
	if second < 4 || second > 6 || len(names) != 5+second {
		t.Errorf("waiting: %v", names)
	}
}

func TestAFlushShows(t *testing.T) {
	t.Parallel()
	client, direct, inspector := open(t, startRedis(t))
	defer client.Close()
	look := func() string {
		t.Helper()
		l, err := client.Look(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		return l[0].Epoch
	}
	before := look()
	if before == "" || look() != before {
		t.Error("the epoch changes by itself")
	}
	if err := direct.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	after := look()
	if after == before || look() != after {
		t.Error("a flush does not show")
	}
	if queues, err := inspector.Queues(); err != nil || len(queues) != 1 || queues[0] != "test" {
		t.Errorf("Asynq knows the queues %v, %v", queues, err)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	defer client.Close()
	set := func(name, value string) {
		t.Helper()
		if err := direct.ConfigSet(t.Context(), name, value).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	set("maxmemory", "100kb")
	if err := client.Ready(t.Context()); err == nil || errors.Is(err, broker.ErrRefused) {
		t.Errorf("a full Redis: %v", err)
	}
	set("maxmemory", "100mb")
	if err := client.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	set("maxmemory-policy", "allkeys-lru")
	if err := client.Ready(t.Context()); !errors.Is(err, broker.ErrRefused) {
		t.Errorf("an evicting Redis: %v", err)
	}
}

func TestARetryingCrowdIsSeen(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	defer client.Close()
	if client.RetryWindowFull(t.Context(), "test") {
		t.Error("nobody is there")
	}
	crowd := make([]redis.Z, broker.Window)
	for i := range crowd {
		crowd[i] = redis.Z{Score: 1, Member: i}
	}
	if err := direct.ZAdd(t.Context(), "asynq:{test}:retry", crowd...).Err(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the retry window is full", func() bool {
		return client.RetryWindowFull(t.Context(), "test")
	})
}

func TestRedisURLs(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"redis://localhost:6379/2":                              true,
		"redis://user:secret@localhost:6379/2":                  true,
		"rediss://localhost:6380":                               true,
		"unix:///run/redis.sock?db=1":                           true,
		"redis-sentinel://a:26379/0?master_name=m&addr=b:26379": true,
		"http://localhost":                                      false,
		"":                                                      false,
		"redis://localhost/no-number":                           false,
		"redis-sentinel://a/0?wrong=no":                         false,
	} {
		client, err := broker.Open(url, here, quiet)
		if (err == nil) != good {
			t.Errorf("%s: %v", url, err)
		}
		if err == nil {
			_ = client.Close()
		} else if !strings.HasPrefix(err.Error(), "REDIS_URL: ") {
			t.Errorf("the error does not name the variable: %v", err)
		}
	}
}
