package jobs

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
)

// SigningQueue is the queue of questions for the address of a file.
const SigningQueue = "signing"

// SignURL asks for an address that serves a file without a token.
type SignURL struct {
	AccountID int64  `json:"account_id"`
	FileKey   string `json:"file_key"`
}

// ErrNoAnswer is the error of a question without an answer in time: no worker runs, or
// Redis is down.
var ErrNoAnswer = errors.New("no answer in time")

// patience is how long a question waits for its answer.
const patience = 2500 * time.Millisecond

// waiters is how many answers a process waits for at once. Further questions queue.
const waiters = 256

// question is the payload of a question's task, and reply the answer to it.
type question struct {
	Ask       json.RawMessage `json:"ask"`
	Reply     string          `json:"reply"`                // the key of the list that receives the answer
	RequestID string          `json:"request_id,omitempty"` // of the request that asks
}

type reply struct {
	Answer string `json:"answer"`
	Error  string `json:"error,omitempty"`
}

// replyLife is how long Redis stores an answer that the asking process may never read.
const replyLife = 10 * time.Second

// Call puts a question to the workers of a queue and waits at most 2.5 s for the answer,
// else it returns ErrNoAnswer. A question is no job: no row stores it, and an abandoned one
// loses nothing.
func (c *Client) Call(ctx context.Context, queue string, ask any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args, err := json.Marshal(ask)
	if err != nil {
		return "", err
	}
	id, key, err := c.newQuestion(ctx)
	if err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	q := question{Ask: args, Reply: key, RequestID: RequestID(ctx)}
	payload, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	// Without workers, abandoned questions must not fill Redis.
	if err := c.depth(queue).full(ctx, c, queue); err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	_, err = c.questions.EnqueueContext(ctx, asynq.NewTask(queue, payload), asynq.Queue(queue), asynq.TaskID(id),
		asynq.MaxRetry(1)) // with 0, Asynq would archive a question whose worker died
	if err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	got, err := c.waiting.BLPop(ctx, patience, q.Reply).Result()
	if err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	var r reply
	if err := json.Unmarshal([]byte(got[1]), &r); err != nil {
		return "", fmt.Errorf("answer: %w", err)
	}
	if r.Error != "" {
		return "", errors.New(r.Error)
	}
	return r.Answer, nil
}

// newQuestion returns the name of a question's task and the key of the list for its answer.
func (c *Client) newQuestion(ctx context.Context) (task, reply string, err error) {
	if err := c.ours(ctx); err != nil {
		return "", "", err
	}
	id, err := c.Installation(ctx)
	if err != nil {
		return "", "", err
	}
	random := rand.Text()
	reply, err = c.key(ctx, "reply", random)
	return id + "." + random, reply, err
}

var errFull = errors.New("a window of tasks waits already")

// full returns errFull if the queue has no room. If another goroutine is refreshing the
// depth, full does not wait for it: Redis may be hanging.
func (d *depth) full(ctx context.Context, c *Client, queue string) error {
	if !d.mu.TryLock() {
		return nil
	}
	defer d.mu.Unlock()
	if err := d.refresh(ctx, c, queue); err != nil {
		return err
	}
	if d.pending >= Window {
		return errFull
	}
	return nil
}

// CallerRequestID returns the id of the request that a question is part of, or "".
func CallerRequestID(t *asynq.Task) string {
	var q question
	_ = json.Unmarshal(t.Payload(), &q) // Respond reports the error
	return q.RequestID
}

// Respond answers the question of a task with the result of answer. If the answer does not
// reach Redis, it is not sent again: the asking process has stopped waiting.
func (c *Client) Respond(ctx context.Context, t *asynq.Task, answer func(context.Context, []byte) (string, error)) error {
	var q question
	if err := json.Unmarshal(t.Payload(), &q); err != nil {
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	var r reply
	var failed error
	if r.Answer, failed = answer(ctx, q.Ask); failed != nil {
		r.Error = failed.Error()
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	pipe := c.redis.TxPipeline()
	pipe.RPush(ctx, q.Reply, text)
	pipe.Expire(ctx, q.Reply, replyLife)
	_, err = pipe.Exec(ctx)
	return errors.Join(failed, err)
}
