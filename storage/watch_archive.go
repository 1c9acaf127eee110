package storage

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
)

// Archive is the state of PostgreSQL's archiver, which copies complete segments of the write-ahead log.
type Archive struct {
	On      bool          // archive_mode
	Failing bool          // the last attempt failed
	Late    time.Duration // since the last segment was archived; 0 while no complete one waits, as without writes
}

// Archive reads the state of the archiver. A segment waits if the one before the current is newer than the
// last that was archived; names sort by place behind the eight digits of the timeline.
func (q Queries) Archive(ctx context.Context) (Archive, error) {
	a, err := db.One[struct {
		On, Failing bool
		Seconds     float64
	}](ctx, q.DB, `
		SELECT current_setting('archive_mode') <> 'off' AS "on",
			coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS failing,
			CASE WHEN substr(last_archived_wal, 9, 16) COLLATE "C" <
				substr(pg_walfile_name(pg_current_wal_lsn() - pg_size_bytes(current_setting('wal_segment_size'))::numeric), 9, 16) COLLATE "C"
				THEN extract(epoch FROM clock_timestamp() - last_archived_time)::float8 ELSE 0 END AS seconds
		FROM pg_stat_archiver`)
	if err != nil {
		return Archive{}, fmt.Errorf("read the archiver: %w", err)
	}
	return Archive{a.On, a.Failing, time.Duration(a.Seconds * float64(time.Second))}, nil
}
