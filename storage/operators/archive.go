package operators

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/storage"
)

// Archive is the state of PostgreSQL's archiver, which copies complete segments of the write-ahead log.
type Archive struct {
	On      bool          // archive_mode
	Failing bool          // the last attempt failed
	Late    time.Duration // since the last segment, or the start of the statistics; 0 unless two or more wait
}

// ReadArchive reads the state of the archiver. Two segments wait if the second before the current one
// is newer than the last that was archived; names sort by place behind the eight digits of the
// timeline. After the file of a history or of a backup, which the archiver counts too, none waits: the name of a
// history sorts below all segments, and a backup is named after its first segment. One more may have been archived
// than the statistics show, because a stopping server loses its last statistics. Without writes no segment waits.
//
// While the statistics know of no archived file, such as after a crash, which resets them, or with an empty
// archive_command, two segments wait if more than two were written since the reset. pg_stat_wal counts the bytes; if
// only the archiver's statistics were reset, they say nothing.
func ReadArchive(ctx context.Context, q storage.Queries) (Archive, error) {
	a, err := db.One[struct {
		On, Failing bool
		Seconds     float64
	}](ctx, q.DB, `
		SELECT current_setting('archive_mode') <> 'off' AS "on",
			coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS failing,
			CASE WHEN pg_current_wal_lsn() - '0/0'::pg_lsn < two.segments THEN 0
				WHEN last_archived_wal ~ '^[0-9A-F]{24}$' AND substr(last_archived_wal, 9,
					16) COLLATE "C" < substr(pg_walfile_name(pg_current_wal_lsn() - two.segments), 9, 16) COLLATE "C"
				THEN extract(epoch FROM clock_timestamp() - greatest(last_archived_time,
					pg_postmaster_start_time()))::float8
				WHEN current_setting('archive_mode') <> 'off' AND last_archived_wal IS NULL
					AND wal_bytes > two.segments AND w.stats_reset >= a.stats_reset
				THEN extract(epoch FROM clock_timestamp() - greatest(a.stats_reset,
					pg_postmaster_start_time()))::float8
				ELSE 0 END AS seconds
		FROM pg_stat_archiver a, pg_stat_wal w,
			(SELECT 2 * pg_size_bytes(current_setting('wal_segment_size'))::numeric AS segments) two`)
	if err != nil {
		return Archive{}, fmt.Errorf("read the archiver: %w", err)
	}
	return Archive{a.On, a.Failing, time.Duration(a.Seconds * float64(time.Second))}, nil
}
