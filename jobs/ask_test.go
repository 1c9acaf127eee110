package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"testing"

	"bordero/jobs"

	"github.com/hibiken/asynq"
)

// answering answers questions about signing as the worker does.
func answering(t *testing.T, client *jobs.Client, answer func(jobs.SignURL) (string, error)) {
	t.Helper()
	server := client.Server(jobs.SigningQueue, asynq.Config{Concurrency: 8, LogLevel: asynq.FatalLevel})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
		return client.Respond(ctx, task, func(_ context.Context, ask []byte) (string, error) {
			var q jobs.SignURL
			if err := json.Unmarshal(ask, &q); err != nil {
				return "", err
			}
			return answer(q)
		})
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
}

// Each caller gets the answer to its own question, and nothing stays in Redis.
func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	client, direct, _ := open(t, startRedis(t))
	t.Cleanup(func() { _ = client.Close() })
	answering(t, client, func(q jobs.SignURL) (string, error) {
		if q.FileKey == "none" {
			return "", errors.New("no such file")
		}
		return q.FileKey + "!", nil
	})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			key := strconv.Itoa(i)
			if got, err := client.Call(t.Context(), jobs.SigningQueue, jobs.SignURL{AccountID: 1, FileKey: key}); err != nil || got != key+"!" {
				t.Errorf("%s: %q, %v", key, got, err)
			}
		})
	}
	all.Wait()
	if _, err := client.Call(t.Context(), jobs.SigningQueue, jobs.SignURL{FileKey: "none"}); err == nil || errors.Is(err, jobs.ErrNoAnswer) {
		t.Errorf("a question that cannot be answered: %v", err)
	}
	if left, err := direct.Keys(t.Context(), "bordero:*:reply:*").Result(); err != nil || len(left) > 0 {
		t.Errorf("%v are left: %v", left, err)
	}
}

func TestAQuestionIsNotWaitedForWithoutEnd(t *testing.T) {
	t.Parallel()
	redis := startRedis(t)
	client, _, _ := open(t, redis)
	t.Cleanup(func() { _ = client.Close() })
	ask := func() error {
		_, err := client.Call(t.Context(), jobs.SigningQueue, jobs.SignURL{AccountID: 1, FileKey: "a"})
		return err
	}
	if err := ask(); !errors.Is(err, jobs.ErrNoAnswer) {
		t.Errorf("without a worker: %v", err)
	}
	redis.Kill()
	if err := ask(); !errors.Is(err, jobs.ErrNoAnswer) {
		t.Errorf("without Redis: %v", err)
	}
}
