package verify

import (
	"context"
	"iter"
	"slices"
	"time"

	"bordero/internal/db"
	"bordero/storage"
)

// settled is longer than the time from the storing of a file to the beginning of the transaction that stores its row:
// one request does both.
const settled = time.Hour

// File is a stored file.
type File struct {
	Key      string
	StoredAt time.Time
}

// Files compares the files of a store with the rows that name them, while the service runs. It returns the rows without
// their file, and the files without a row that were stored more than an hour before the oldest open transaction began;
// the scheduler removes the latter after a day. young is the number of newer files without a row: they may still get
// one, since other sessions see a row only after its COMMIT, which may wait for a standby without limit. Of the
// keys that files did not list, missing returns those without a file.
func Files(ctx context.Context, s *storage.Store, files iter.Seq2[File, error],
	missing func(keys []string) ([]string, error)) (all []Difference, young int, err error) {
	until, err := s.ChangesUntil(ctx)
	if err != nil {
		return nil, 0, err
	}
	named, err := namedFiles(ctx, s.Queries)
	if err != nil {
		return nil, 0, err
	}
	stored, found, recent := make([]bool, len(named)), []string(nil), []string(nil)
	for f, err := range files {
		if err != nil {
			return nil, 0, err
		}
		if i, is := slices.BinarySearch(named, f.Key); is {
			stored[i] = true
		} else if f.StoredAt.Before(until.Add(-settled)) {
			found = append(found, f.Key)
		} else {
			recent = append(recent, f.Key)
		}
	}
	var unlisted []string
	for i, key := range named {
		if !stored[i] {
			unlisted = append(unlisted, key)
		}
	}
	absent, err := missing(unlisted)
	if err != nil {
		return nil, 0, err
	}
	recent, err = s.UnknownFiles(ctx, recent)
	if err != nil {
		return nil, 0, err
	}
	all, err = differencesOfFiles(ctx, s.Queries, absent, found)
	return all, len(recent), err
}

// namedFiles returns the keys of all files that rows name, sorted. The statements of the demonstration have none.
func namedFiles(ctx context.Context, q storage.Queries) ([]string, error) {
	keys, err := db.Many[string](ctx, q.DB, `SELECT key FROM stored_files WHERE key NOT LIKE 'demo/%'`)
	slices.Sort(keys)
	return keys, err
}

// differencesOfFiles looks again at keys without a file or without a row: rows come and go while the files are listed.
// A deletion removes the file before its hidden row.
func differencesOfFiles(ctx context.Context, q storage.Queries, missing, found []string) ([]Difference, error) {
	all, err := db.Many[Difference](ctx, q.DB, `
		SELECT 'files' AS check, b.account_id, 'bank statement ' || b.id AS record,
			'the file ' || b.file_key AS expected, 'none' AS found
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
			JOIN entities e ON e.account_id = d.account_id AND e.id = d.entity_id
		WHERE b.file_key = ANY($1) AND b.deleted_at IS NULL AND d.deleted_at IS NULL AND e.deleted_at IS NULL
		UNION ALL
		SELECT 'files', a.account_id, 'attachment ' || a.id, 'the file ' || a.file_key, 'none'
		FROM attachments a JOIN entities e ON e.account_id = a.account_id AND e.id = a.entity_id
		WHERE a.file_key = ANY($1) AND e.deleted_at IS NULL
		ORDER BY account_id, record`, missing)
	if err != nil {
		return nil, err
	}
	unknown, err := q.UnknownFiles(ctx, found)
	for _, key := range unknown {
		all = append(all, Difference{Check: "files", Record: "the file " + key, Expected: "a row", Found: "none"})
	}
	return all, err
}
