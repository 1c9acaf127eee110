package scheduler

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"

	"bordero/storage"
)

const (
	// headsEvery is how often the last changes are logged.
	headsEvery = time.Hour
	// headsBefore is how far the first run of a process looks back: the previous leader may have ended
	// long before its next run was due. Changes are numbered only while there is a leader.
	headsBefore = 48 * time.Hour
)

// headLog logs the last change of each account with a change since the last run that succeeded. Only a
// hash that is stored outside the database proves that the changes up to it have not been altered.
type headLog struct {
	store *storage.Store
	log   *slog.Logger
	last  time.Time // start of the last run that succeeded; zero before the first
}

func (l *headLog) run(ctx context.Context) error {
	now, err := l.store.Clock(ctx)
	if err != nil {
		return err
	}
	since := now.Add(-headsBefore)
	if !l.last.IsZero() {
		since = l.last.Add(-time.Minute) // a change sealed before the last run may have been committed after it
	}
	heads, err := l.store.ChangeHeadsSince(ctx, since)
	if err != nil {
		return err
	}
	for _, h := range heads {
		l.log.Info("last change", "account_id", h.AccountID, "sequence", h.Sequence, "hash",
			hex.EncodeToString(h.Hash))
	}
	l.last = now
	return nil
}
