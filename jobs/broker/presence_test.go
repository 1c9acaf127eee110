package broker_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs/broker"

	"github.com/redis/go-redis/v9"
)

func TestWhatOperatorsSeeOfAQueue(t *testing.T) {
	t.Parallel()
	client, direct, inspector := open(t, startRedis(t))
	t.Cleanup(func() { _ = client.Close() })
	queues := []string{"sales", "never"}
	states, err := client.QueueStates(t.Context(), queues)
	if err != nil || len(states) != 2 || states[0].Paused || len(states[0].Workers) > 0 || states[1].Queue != "never" {
		t.Errorf("of an empty Redis: %+v %v", states, err)
	}
	if err := inspector.PauseQueue("sales"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	for _, version := range []string{"v1", "v2"} { // of one machine and process, as containers may seem
		go func() {
			client.Announce(ctx, "sales", version)
			ended <- struct{}{}
		}()
	}
	testkit.Eventually(t, "two workers", func() bool {
		states, err = client.QueueStates(t.Context(), queues)
		return err == nil && len(states[0].Workers) == 2
	})
	w := states[0].Workers[0]
	if !states[0].Paused || states[1].Paused || len(states[1].Workers) > 0 || w.PID == 0 || w.Version != "v1" &&
		w.Version != "v2" || w.Beat > 10*time.Second {
		t.Errorf("%+v", states)
	}

	if err := direct.MSet(t.Context(), "asynq:{sales}:processed", 7, "asynq:{sales}:failed", 2).Err(); err != nil {
		t.Fatal(err)
	}
	tallies, err := client.Tallies(t.Context(), queues)
	if err != nil || !slices.Equal(tallies, []broker.Tally{{Processed: 7, Failed: 2}, {}}) {
		t.Errorf("tallies: %v, %v", tallies, err)
	}

	// One that was killed counts until it has been silent for a while.
	now, err := direct.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	key := "bordero:0123456789ab:workers:{sales}"
	for score, want := range map[time.Time]int{now.Add(-time.Minute): 2, now.Add(-2 * time.Second): 3} {
		if err := direct.ZAdd(t.Context(), key, redis.Z{Score: float64(score.UnixMilli()), Member: `{"version":"v0"}`}).
			Err(); err != nil {
			t.Fatal(err)
		}
		if states, err := client.QueueStates(t.Context(), queues); err != nil || len(states[0].Workers) != want {
			t.Errorf("one silent since %v: %+v %v", now.Sub(score), states, err)
		}
		if err := direct.ZRem(t.Context(), key, `{"version":"v0"}`).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if ttl := direct.PTTL(t.Context(), key).Val(); ttl <= 0 {
		t.Errorf("the workers stay for %v", ttl)
	}
	stop()
	<-ended
	<-ended
	if states, err := client.QueueStates(t.Context(), queues); err != nil || len(states[0].Workers) != 0 {
		t.Errorf("after their end: %+v %v", states, err)
	}
}

func TestTheStatesOfQueuesNeedARedis(t *testing.T) {
	t.Parallel()
	r := startRedis(t)
	client, _, _ := open(t, r)
	t.Cleanup(func() { _ = client.Close() })
	r.Kill()
	if _, err := client.QueueStates(t.Context(), []string{"sales"}); err == nil {
		t.Error("states of queues without a Redis")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	client.Announce(ctx, "sales", "v1") // ends with ctx all the same
}
