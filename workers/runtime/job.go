package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"bordero/jobs"
	"bordero/storage/queue"
)

// Job is a running job. Its Args hide the Args of queue.Job, which are JSON.
type Job[T jobs.Args] struct {
	queue.Job
	Args     T
	Logger   *slog.Logger // adds the job to each line
	stopping <-chan struct{}
}

// decode returns the job with its arguments. The error does not contain them, as the
// decoder's does: it is logged and shown.
func decode[T jobs.Args](job queue.Job, log *slog.Logger, stopping <-chan struct{}) (*Job[T], error) {
	j := &Job[T]{Job: job, Logger: log, stopping: stopping}
	if json.Unmarshal([]byte(job.Args), &j.Args) != nil {
		return nil, fmt.Errorf("job kind %s: the arguments cannot be decoded as %T", job.Kind, j.Args)
	}
	return j, nil
}

// Stopping reports whether the process is about to end. A long run checks it between two
// steps and returns ErrStopping. The job is then released, and another worker continues
// after the last chunk.
func (j *Job[T]) Stopping() bool {
	select {
	case <-j.stopping:
		return true
	default:
		return false
	}
}

// Stopped returns a channel that is closed when the process begins to stop, for a run that
// waits.
func (j *Job[T]) Stopped() <-chan struct{} { return j.stopping }

// ErrPostponed is the error of a run that has given its job back by Store.Postpone or Store.GiveWay.
var ErrPostponed = errors.New("the job is postponed")

// ErrStopping is the error of a run that ends because the process stops.
var ErrStopping = errors.New("the process is stopping")
