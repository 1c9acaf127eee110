package broker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bordero/deploy/private"
	"bordero/internal/testkit"
	"bordero/jobs/broker"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// openOther returns a client of another installation on the same Redis.
func openOther(t *testing.T, r *private.Redis) *broker.Client {
	t.Helper()
	return openAs(t, r, func(context.Context) (string, error) { return "ba9876543210", nil })
}

// openAs returns a client of the installation with an id.
func openAs(t *testing.T, r *private.Redis, id func(context.Context) (string, error)) *broker.Client {
	t.Helper()
	client, err := broker.Open(r.URL(), id, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// openMarked returns a Redis that its client has marked, and a direct connection.
func openMarked(t *testing.T) (*private.Redis, *broker.Client, redis.UniversalClient) {
	t.Helper()
	r := startRedis(t)
	client, direct, _ := open(t, r)
	t.Cleanup(func() { _ = client.Close() })
	if err := client.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, client, direct
}

func TestARedisIsOfOneInstallation(t *testing.T) {
	t.Parallel()
	r, client, direct := openMarked(t)
	other := openOther(t, r)
	err := other.Ready(t.Context())
	if !errors.Is(err, broker.ErrRefused) ||
		err.Error() != "this Redis cannot be used: it carries the work of installation 0123456789ab,"+
			" and this one is ba9876543210; give each a Redis, or a database number, of its own, or run FLUSHDB if "+
			"0123456789ab no longer exists" {
		t.Errorf("another installation: %v", err)
	}
	other.Offer(ticket(1))
	testkit.Eventually(t, "the ticket is dropped", func() bool { _, dropped := other.Stats(); return dropped == 1 })
	if _, err := other.Look(t.Context(), "test"); !errors.Is(err, broker.ErrRefused) {
		t.Errorf("its relay: %v", err)
	}
	if n := pending(t, direct); n != 0 {
		t.Errorf("%d tasks wait", n)
	}
	// After a flush, the first installation to check the mark gets the Redis.
	if err := direct.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the other client is ready", func() bool { return other.Ready(t.Context()) == nil })
	testkit.Eventually(t, "the client is refused", func() bool {
		return errors.Is(client.Ready(t.Context()), broker.ErrRefused)
	})
}

// A process that starts has no last answer about the mark. Its probe of health may be reading it at that moment.
func TestAProcessThatStartsWaitsForTheMark(t *testing.T) {
	t.Parallel()
	r, _, direct := openMarked(t)
	reading, answer := make(chan struct{}), make(chan struct{})
	other := openAs(t, r, func(context.Context) (string, error) {
		close(reading)
		<-answer
		return "ba9876543210", nil
	})
	go func() { _, _ = other.Look(t.Context(), "test") }()
	<-reading
	asked := infos(t, direct)
	refused := make(chan error, 1)
	go func() { refused <- other.Refused(t.Context()) }()
	polls := 1
	testkit.Eventually(t, "the process has asked for the memory", func() bool {
		polls++
		return infos(t, direct) >= asked+polls
	})
	close(answer)
	if err := <-refused; !errors.Is(err, broker.ErrRefused) {
		t.Errorf("the process starts: %v", err)
	}
}

// infos returns the number of INFO commands that Redis has run before this one.
func infos(t *testing.T, r redis.UniversalClient) (calls int) {
	t.Helper()
	said, err := r.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	if _, counted, found := strings.Cut(said, "cmdstat_info:calls="); found {
		if _, err := fmt.Sscanf(counted, "%d,", &calls); err != nil {
			t.Fatal(err)
		}
	}
	return calls
}

// Every key of ours except the mark carries the installation's id; the mark's value is the
// id.
func TestKeysCarryTheInstallation(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	if _, err := client.Look(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	client.Offer(ticket(1))
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	keys, err := direct.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	tasks := 0
	for _, key := range keys {
		_, task, isTask := strings.Cut(key, ":t:")
		if isTask {
			tasks++
		}
		if isTask && !strings.HasPrefix(task, "0123456789ab.") ||
			strings.HasPrefix(key, "bordero:") && key != "bordero:installation" &&
				!strings.HasPrefix(key, "bordero:0123456789ab:") {
			t.Errorf("%s does not name the installation", key)
		}
	}
	if tasks != 1 {
		t.Errorf("keys: %q", keys)
	}
}

func TestATaskOfAnotherInstallationIsRecognised(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	client, direct, _ := open(t, r)
	t.Cleanup(func() { _ = client.Close() })
	foreign := make(chan bool)
	server := client.Server("test", asynq.Config{Concurrency: 1})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
		is, err := client.Foreign(ctx, task)
		foreign <- is
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
	enqueue := asynq.NewClientFromRedisClient(direct)
	for name, want := range map[string]bool{
		"0123456789ab.5.2": false, "ba9876543210.5.2": true, "ba9876543210.5.2.after.1.0": true,
		"5.2": false, "5.2.after.4.1": false, "by hand": false, // without an id
	} {
		if _, err := enqueue.Enqueue(asynq.NewTask("note", nil), asynq.Queue("test"), asynq.TaskID(name)); err != nil {
			t.Fatal(err)
		}
		if got := <-foreign; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
