package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bordero/storage"
)

// poolerWithin limits how long a start looks for a pooler.
const poolerWithin = 3 * time.Second

// refusePooler returns an error if the URL in a variable leads to a pooler of transactions, which could
// run the statements of one process in the session of another. While PostgreSQL does not answer, this is not
// known, and no error.
func refusePooler(ctx context.Context, variable, url string) (known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, poolerWithin)
	defer cancel()
	err = storage.OwnSessions(ctx, url)
	if errors.Is(err, storage.ErrPooled) {
		return true, fmt.Errorf("%s: %w", variable, err)
	}
	return err == nil, nil
}

const (
	sessionsEvery = time.Hour   // between two looks for a pooler of transactions
	sessionsAgain = time.Minute // after a pooler was found, or PostgreSQL did not answer
)

// watchSessions looks for a pooler of transactions until ctx ends: a pooler can change its mode while its
// clients run. While there is such a pooler, the check "postgres" is down. The first look is after wait.
func (p *process) watchSessions(ctx context.Context, wait time.Duration) {
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		wait = p.lookForPooler(ctx)
	}
}

// lookForPooler looks for a pooler once, and returns the time until the next look.
func (p *process) lookForPooler(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := storage.OwnSessions(ctx, p.DatabaseURL)
	pooled := errors.Is(err, storage.ErrPooled)
	if err != nil && !pooled {
		return sessionsAgain
	}
	if pooled && !p.pooled.Load() {
		p.log.Error("the process is not ready", "error", fmt.Errorf("DATABASE_URL: %w", err))
	}
	p.pooled.Store(pooled)
	if pooled {
		return sessionsAgain
	}
	return sessionsEvery
}
