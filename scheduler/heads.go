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
	// headsBefore is how far the first run of a process looks back: another leader may have ended long
	// before its next run, and changes are numbered only while there is one.
	headsBefore = 48 * time.Hour
)

// headLog logs the last change of each account that has had one since the last run that succeeded.
// Only a hash that is stored elsewhere proves that the changes before it are those of then.
type headLog struct {
	store *storage.Store
	log   *slog.Logger
	last  time.Time // when the last run that succeeded began; zero before the first
}

func (l *headLog) run(ctx context.Context) error {
	now, err := l.store.Clock(ctx)
	if err != nil {
		return err
	}
	since := now.Add(-headsBefore)
	if !l.last.IsZero() {
		since = l.last.Add(-time.Minute) // what was sealed then may have been committed later
	}
	heads, err := l.store.ChangeHeadsSince(ctx, since)
	if err != nil {
		return err
	}
	for _, h := range heads {
		l.log.Info("last change", "account", h.AccountID, "sequence", h.Sequence, "hash", hex.EncodeToString(h.Hash))
	}
	l.last = now
	return nil
}
