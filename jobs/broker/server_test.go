package broker_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/jobs/broker"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// served is a server of the queue "test" that reports the tasks it receives.
type served struct {
	*broker.Server
	client *broker.Client
	got    chan string // types of tasks
}

// serve starts a server with the given longest wait. It fails tasks of the type "fails"
// once.
func serve(t *testing.T, url string, longest time.Duration) *served {
	t.Helper()
	client, err := broker.Open(url, here, quiet)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{client: client, got: make(chan string, 100)}
	s.Server = client.Server("test", asynq.Config{
		Concurrency: 1, DelayedTaskCheckInterval: 50 * time.Millisecond,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 0 },
	})
	s.WaitAtMost(longest)
	failed := false
	err = s.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		if task.Type() == "fails" && !failed {
			failed = true
			return errors.New("as it should")
		}
		s.got <- task.Type()
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return s
}

// handles waits until the server has received a task of the type.
func (s *served) handles(t *testing.T, typ string) {
	t.Helper()
	select {
	case got := <-s.got:
		if got != typ {
			t.Fatalf("got %s, not %s", got, typ)
		}
	case <-time.After(testkit.Patience):
		t.Fatalf("%s was not handled", typ)
	}
}

// awaitBlocked waits until the server blocks in Redis.
func awaitBlocked(t *testing.T, r redis.UniversalClient) {
	t.Helper()
	testkit.Eventually(t, "the server waits in BLMOVE", func() bool {
		list, err := r.Do(t.Context(), "CLIENT", "LIST").Text()
		return err == nil && strings.Contains(list, "cmd=blmove")
	})
}

// offer offers a ticket until it has reached Redis, as a relay does.
func (s *served) offer(t *testing.T, ticket jobs.Ticket) {
	t.Helper()
	testkit.Eventually(t, "the ticket is offered", func() bool {
		_, made, err := s.client.Relay(t.Context(), []jobs.Ticket{ticket}, 1, false)
		return err == nil && made == 1
	})
}

// calls returns how often Redis has run a command.
func calls(t *testing.T, r redis.UniversalClient, command string) int {
	t.Helper()
	info, err := r.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`cmdstat_` + command + `:calls=(\d+)`).FindStringSubmatch(info)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// Every way to enqueue a task wakes the server, whose wait would otherwise last an hour.
func TestAServerIsWokenByEachTask(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	client, direct, inspector := open(t, r)
	t.Cleanup(func() { _ = client.Close() })
	s := serve(t, r.URL(), time.Hour)
	t.Cleanup(s.Shutdown)
	other := asynq.NewClientFromRedisClient(direct)
	enqueue := func(typ string, options ...asynq.Option) {
		t.Helper()
		if _, err := other.EnqueueContext(t.Context(), asynq.NewTask(typ, nil),
			append(options, asynq.Queue("test"))...); err != nil {
			t.Fatal(err)
		}
	}

	awaitBlocked(t, direct)
	client.Offer(ticket(1))
	s.handles(t, "note")

	awaitBlocked(t, direct)
	enqueue("of another program")
	s.handles(t, "of another program")

	awaitBlocked(t, direct)
	enqueue("fails") // and is retried
	s.handles(t, "fails")

	awaitBlocked(t, direct)
	enqueue("run by hand", asynq.ProcessIn(time.Hour), asynq.TaskID("x"))
	if err := inspector.RunTask("test", "x"); err != nil {
		t.Fatal(err)
	}
	s.handles(t, "run by hand")

	awaitBlocked(t, direct)
	for range 50 {
		enqueue("many")
	}
	for range 50 {
		s.handles(t, "many")
	}
}

// A wait that ends for another reason than a task does no harm: the server waits again,
// where the queue is now.
func TestAServerWaitsAgainWhateverEndsItsWait(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(t *testing.T, r *private.Redis, direct redis.UniversalClient){
		"FLUSHALL": func(t *testing.T, _ *private.Redis, direct redis.UniversalClient) {
			direct.FlushAll(t.Context())
		},
		"SCRIPT FLUSH": func(t *testing.T, _ *private.Redis, direct redis.UniversalClient) {
			direct.ScriptFlush(t.Context())
		},
		"CLIENT KILL": func(t *testing.T, _ *private.Redis, direct redis.UniversalClient) {
			direct.ClientKillByFilter(t.Context(), "TYPE", "normal", "SKIPME", "yes")
		},
		"CLIENT UNBLOCK": unblock,
		"a restart": func(t *testing.T, r *private.Redis, _ redis.UniversalClient) {
			r.Kill()
			if err := r.Start(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRedis(t)
			_, direct, _ := open(t, r)
			s := serve(t, r.URL(), time.Hour)
			t.Cleanup(s.Shutdown)
			awaitBlocked(t, direct)
			fault(t, r, direct)
			awaitBlocked(t, direct)
			s.offer(t, ticket(1))
			s.handles(t, "note")
		})
	}
	t.Run("a failover", func(t *testing.T) {
		t.Parallel()
		c := e2etest.NewSentinel(t)
		s := serve(t, c.URL, time.Hour)
		t.Cleanup(s.Shutdown)
		s.offer(t, ticket(1))
		s.handles(t, "note")
		c.All[0].Kill()
		s.offer(t, ticket(2)) // to the new master
		s.handles(t, "note")
	})
	t.Run("a slot that moves", func(t *testing.T) {
		t.Parallel()
		c := e2etest.NewCluster(t)
		s := serve(t, c.URL, time.Hour)
		t.Cleanup(s.Shutdown)
		s.offer(t, ticket(1))
		s.handles(t, "note")
		c.MoveSlot("asynq:{test}:pending")
		s.offer(t, ticket(2))
		s.handles(t, "note")
	})
}

// unblock ends the wait with an error, as a master does when it becomes a replica.
func unblock(t *testing.T, _ *private.Redis, direct redis.UniversalClient) {
	list, err := direct.Do(t.Context(), "CLIENT", "LIST").Text()
	if err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(list) {
		if strings.Contains(line, "cmd=blmove") {
			id, _, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
			if err := direct.Do(t.Context(), "CLIENT", "UNBLOCK", id, "ERROR").Err(); err != nil {
				t.Error(err)
			}
		}
	}
}

// lossy is a proxy of Redis that loses answers.
type lossy struct {
	url    string
	server string
	lose   atomic.Bool
}

func newLossy(t *testing.T, r *private.Redis) *lossy {
	t.Helper()
	u, err := url.Parse(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &lossy{server: u.Host}
	u.Host = l.Addr().String()
	p.url = u.String()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(client)
		}
	}()
	return p
}

// carry forwards requests and answers, except answers to a BLMOVE while those are to be
// lost.
func (p *lossy) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var waits atomic.Bool
	go func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			if waits.Load() && p.lose.Load() {
				continue
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		waits.Store(bytes.Contains(buffer[:n], []byte("blmove")))
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// A wake-up that never comes, from a host that vanished silently, costs the longest wait.
func TestALostWakeUpCostsAWait(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	_, direct, _ := open(t, r)
	proxy := newLossy(t, r)
	s := serve(t, proxy.url, time.Second)
	t.Cleanup(s.Shutdown)
	awaitBlocked(t, direct)
	proxy.lose.Store(true)
	if _, err := asynq.NewClientFromRedisClient(direct).Enqueue(asynq.NewTask("lost", nil),
		asynq.Queue("test")); err != nil {
		t.Fatal(err)
	}
	s.handles(t, "lost")
}

func TestAnIdleServerAsksAboutOnceASecond(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	_, direct, _ := open(t, r)
	began := time.Now()
	s := serve(t, r.URL(), time.Second)
	t.Cleanup(s.Shutdown)
	asked := 0
	testkit.Eventually(t, "the fourth BLMOVE", func() bool { asked = calls(t, direct, "blmove"); return asked >= 4 })
	if took := time.Since(began); took < time.Duration(asked-1)*time.Second*9/10 {
		t.Errorf("it asked %d times within %v", asked, took)
	}
	if n := calls(t, direct, "rpoplpush"); n > 1 { // part of the script
		t.Errorf("it dequeued %d times while there was nothing", n)
	}
}

// The tasks of a paused queue wait, and the server does not query all the time.
func TestAPausedQueueRests(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	_, direct, inspector := open(t, r)
	s := serve(t, r.URL(), time.Second)
	t.Cleanup(s.Shutdown)
	s.offer(t, ticket(1))
	s.handles(t, "note")
	if err := inspector.PauseQueue("test"); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"first", "second", "third"}
	for i, kind := range kinds {
		s.offer(t, jobs.Ticket{ID: int64(2 + i), Kind: kind, Queue: "test"})
	}
	testkit.Eventually(t, "the first EXISTS", func() bool { return calls(t, direct, "exists") > 0 })
	began, before, asked := time.Now(), calls(t, direct, "exists"), 0
	testkit.Eventually(t, "six more EXISTS", func() bool {
		asked = calls(t, direct, "exists") - before
		return asked >= 6
	})
	if took := time.Since(began); took < time.Duration(asked/2-2)*time.Second { // a dequeue runs one, too
		t.Errorf("it asked %d times within %v", asked/2, took)
	}
	if err := inspector.UnpauseQueue("test"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds { // waiting has not changed their order
		s.handles(t, kind)
	}
}

func TestAServerThatWaitsShutsDownAtOnce(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	client, direct, _ := open(t, r)
	t.Cleanup(func() { _ = client.Close() })
	s := serve(t, r.URL(), time.Hour)
	awaitBlocked(t, direct)
	ended := make(chan bool)
	go func() { s.Shutdown(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(testkit.Patience):
		t.Fatal("it does not end")
	}
	client.Offer(ticket(1))
	testkit.Eventually(t, "a task waits", func() bool { return pending(t, direct) == 1 })
}

// A stopping server dequeues until all its parts have ended. Each wait would occupy a
// connection that those need.
func TestAServerThatStopsWaitsNoMore(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	client, direct, _ := open(t, r)
	t.Cleanup(func() { _ = client.Close() })
	s := client.Server("test", asynq.Config{})
	s.WaitAtMost(time.Hour)
	s.DequeueAfterStop(t.Context(), 100)
	list, err := direct.Do(t.Context(), "CLIENT", "LIST").Text()
	if n := strings.Count(list, "cmd=blmove"); err != nil || n > 0 {
		t.Errorf("%d waits, %v", n, err)
	}
}
