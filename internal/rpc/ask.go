package rpc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bordero/jobs"

	"github.com/hibiken/asynq"
)

// ErrNoAnswer is the error of a question without an answer in time: no worker runs, or
// Redis is down.
var ErrNoAnswer = errors.New("no answer in time")

// patience is how long a question waits for its answer.
const patience = 2500 * time.Millisecond

// Call puts a question to the workers of a queue and waits at most 2.5 s for the answer,
// else it returns ErrNoAnswer. An abandoned question loses nothing.
func (c *Client) Call(ctx context.Context, queue string, ask any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args, err := json.Marshal(ask)
	if err != nil {
		return "", err
	}
	// Without workers, abandoned questions must not fill Redis.
	if err := c.broker.CheckRoom(ctx, queue); err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	task, key, err := c.names(ctx)
	if err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	payload, err := json.Marshal(question{
		Ask: args, Reply: key, RequestID: jobs.RequestID(ctx), Key: c.key.PublicKey().Bytes(),
	})
	if err != nil {
		return "", err
	}
	_, err = c.tasks.EnqueueContext(ctx, asynq.NewTask(queue, payload), asynq.Queue(queue), asynq.TaskID(task),
		asynq.MaxRetry(1)) // with 0, Asynq would archive a question after the death of its worker
	if err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	got, err := c.redis.BLPop(ctx, 3*time.Second, key).Result() // in whole seconds; ctx ends before
	if err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	var r reply
	if err := json.Unmarshal([]byte(got[1]), &r); err != nil {
		return "", fmt.Errorf("answer: %w", err)
	}
	if r, err = c.unseal(key, r); err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	if r.Error != "" {
		return "", errors.New(r.Error)
	}
	return r.Answer, nil
}

// names returns the name of a question's task and the key of the list for its answer.
func (c *Client) names(ctx context.Context) (task, reply string, err error) {
	id, err := c.broker.Installation(ctx)
	if err != nil {
		return "", "", err
	}
	random := rand.Text()
	reply, err = c.broker.Key(ctx, "reply", random)
	return id + "." + random, reply, err
}
