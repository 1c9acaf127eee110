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

// SigningQueue is the queue of questions for an address of a file.
const SigningQueue = "signing"

// SignURL asks for an address under which a file is served without a token.
type SignURL struct {
	AccountID int64  `json:"account_id"`
	FileKey   string `json:"file_key"`
}

// ErrNoAnswer is the error of a question that nobody has answered in time: no
// worker runs, or Redis is down.
var ErrNoAnswer = errors.New("no answer in time")

// patience is how long a question waits for its answer.
const patience = 2500 * time.Millisecond

// waiters is how many questions of a process are waited for at once; more take turns.
const waiters = 256

// question is what a task of a question carries, and reply what comes back.
type question struct {
	Ask       json.RawMessage `json:"ask"`
	Reply     string          `json:"reply"`                // the key of the list that the answer is put into
	RequestID string          `json:"request_id,omitempty"` // of who asks
}

type reply struct {
	Answer string `json:"answer"`
	Error  string `json:"error,omitempty"`
}

// replyLife is how long an answer waits for one who may have left.
const replyLife = 10 * time.Second

// Ask puts a question to the workers of a queue and waits for the answer, for at
// most 2.5 s. It is no job: no row keeps it, and who asks for nothing any more has
// lost nothing. An answer that does not come is ErrNoAnswer.
func (c *Client) Ask(ctx context.Context, queue string, ask any) (string, error) {
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
	// Without workers, questions that nobody waits for any more do not fill Redis.
	if err := c.depth(queue).full(ctx, c, queue); err != nil {
		return "", errors.Join(ErrNoAnswer, err)
	}
	_, err = c.questions.EnqueueContext(ctx, asynq.NewTask(queue, payload), asynq.Queue(queue), asynq.TaskID(id),
		asynq.MaxRetry(1)) // with 0 one whose worker died would be archived
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

// newQuestion makes the name of a task that carries a question, and the key of the list
// for its answer.
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

// full is the error of a queue that has no room. While another looks, which may take
// him as long as a Redis that hangs, nobody waits for him.
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

// AskedBy is the id of the request that a question is part of, or empty.
func AskedBy(t *asynq.Task) string {
	var q question
	_ = json.Unmarshal(t.Payload(), &q) // Reply says what is wrong with it
	return q.RequestID
}

// Reply answers the question that a task carries with what answer makes of it. An
// answer that is not heard of is not given twice: who asked has left.
func (c *Client) Reply(ctx context.Context, t *asynq.Task, answer func(context.Context, []byte) (string, error)) error {
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
