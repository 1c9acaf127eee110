// Package rpc carries questions of one process to the workers of a queue and their answers back,
// through Redis. It is apart from jobs because a question is no job: no row stores it, and the
// process that asks waits for the answer. A lost question is asked again, or not at all.
package rpc

import (
	"crypto/hpke"
	"encoding/json"
	"fmt"

	"bordero/jobs/broker"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// Client puts questions to workers, or answers them.
type Client struct {
	broker *broker.Client
	redis  redis.UniversalClient // each question that waits for its answer occupies a connection
	tasks  *asynq.Client
	key    hpke.PrivateKey // opens the answers to this process; it never leaves it
}

// waiters is how many answers a process waits for at once. Further questions queue.
const waiters = 256

// Open returns a client on the Redis of REDIS_URL, which c uses too. It connects lazily.
// Close it before c.
func Open(url string, c *broker.Client) (*Client, error) {
	key, err := kem().GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("key of answers: %w", err)
	}
	r, err := broker.OpenPool(url, waiters)
	if err != nil {
		return nil, err
	}
	return &Client{broker: c, redis: r, tasks: asynq.NewClientFromRedisClient(r), key: key}, nil
}

// Close closes the connections of the client.
func (c *Client) Close() error { return c.redis.Close() }

// question is the payload of a question's task, and reply the answer to it. Processes of two
// releases exchange them.
type question struct {
	Ask       json.RawMessage `json:"ask"`
	Reply     string          `json:"reply"`                // the key of the list that receives the answer
	RequestID string          `json:"request_id,omitempty"` // of the request that asks
	Key       []byte          `json:"key,omitempty"`        // public, for which the answer is sealed
}

// reply has an answer, an error, or both of them sealed.
type reply struct {
	Answer string `json:"answer,omitempty"`
	Error  string `json:"error,omitempty"`
	Sealed []byte `json:"sealed,omitempty"`
}
