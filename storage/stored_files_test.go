package storage_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

// An address that was signed before its record was deleted leads nowhere, although
// the rows go later.
func TestFilesOfWhatIsDeletedAreGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change           string
		statement, other bool // are there
		differences      int  // if the files are not
	}{
		"nothing":             {`SELECT 1`, true, true, 2},
		"the statement":       {`UPDATE bank_statements SET deleted_at = now()`, false, true, 1},
		"its deposit account": {`UPDATE deposit_accounts SET deleted_at = now()`, false, true, 1},
		"the entity":          {`UPDATE entities SET deleted_at = now()`, true, true, 0}, // is read until it has gone
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := verified(t)
			i.exec(t, `
				UPDATE bank_statements SET file_key = 'statement';
				INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name,
					attachment_content_type, attachment_file_size)
					VALUES (1, 1, 'attachment', 'a', 'a/b', 1)`)
			i.exec(t, c.change)
			for key, want := range map[string]bool{"statement": c.statement, "attachment": c.other} {
				if _, err := i.StoredFile(t.Context(), 1, key); (err == nil) != want || err != nil &&
					!errors.Is(err, storage.ErrNotFound) {
					t.Errorf("%s: %v", key, err)
				}
			}
			for _, missing := range []bool{true, false} {
				found, _, err := verify.Files(t.Context(), i.Store, func(func(verify.File, error) bool) {},
					func(keys []string) ([]string, error) {
						if missing {
							return keys, nil
						}
						return nil, nil
					})
				if err != nil || missing && len(found) != c.differences || !missing && len(found) != 0 {
					t.Errorf("missing %t: differences %v, want %d, %v", missing, found, c.differences, err)
				}
			}
		})
	}
}

// A file is judged only if no open transaction can hold its row, as one whose COMMIT waits for a standby does.
func TestTheFileOfAnOpenTransactionIsNotJudged(t *testing.T) {
	t.Parallel()
	i := verified(t)
	err := i.InTx(t.Context(), func(tx *storage.Tx) error {
		began, err := db.One[time.Time](t.Context(), tx.DB, `SELECT now()`)
		if err != nil {
			return err
		}
		files := func(yield func(verify.File, error) bool) {
			_ = yield(verify.File{Key: "waits", StoredAt: began.Add(-time.Hour)}, nil) &&
				yield(verify.File{Key: "orphan", StoredAt: began.Add(-2 * time.Hour)}, nil)
		}
		none := func([]string) ([]string, error) { return nil, nil }
		found, young, err := verify.Files(t.Context(), i.Store, files, none)
		if err == nil && (len(found) != 1 || found[0].Record != "the file orphan" || young != 1) {
			t.Errorf("differences %v, %d young", found, young)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The sweep removes what UnknownFiles returns. The file of a hidden record has a row as long as its
// deletion runs.
func TestFilesWithoutARowAreUnknown(t *testing.T) {
	t.Parallel()
	i := verified(t)
	i.exec(t, `
		UPDATE bank_statements SET file_key = 'statement', deleted_at = now();
		INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
			attachment_file_size)
			VALUES (1, 1, 'attachment', 'a', 'a/b', 1)`)
	unknown, err := i.UnknownFiles(t.Context(), []string{"orphan", "statement", "attachment", "Statement"})
	if slices.Sort(unknown); err != nil || !slices.Equal(unknown, []string{"Statement", "orphan"}) {
		t.Errorf("%v, %v", unknown, err)
	}
}

// After going back, the sweep keeps the files of a table that the later release has added.
func TestFilesOfALaterTableAreKnown(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s := storagetest.Open(t, url, storage.Options{})
	_, err := storagetest.DB(t, url).ExecContext(t.Context(), `
		CREATE TABLE later (account_id bigint, file_key text, size bigint);
		INSERT INTO later VALUES (1, 'later', 1);
		CREATE OR REPLACE VIEW stored_files (account, key, bytes) AS
			SELECT account_id, file_key, file_file_size FROM bank_statements
			UNION ALL SELECT account_id, file_key, attachment_file_size FROM attachments
			UNION ALL SELECT account_id, file_key, size FROM later`)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := s.UnknownFiles(t.Context(), []string{"later", "orphan"})
	if err != nil || !slices.Equal(unknown, []string{"orphan"}) {
		t.Errorf("%v, %v", unknown, err)
	}
}

// The sweep, downloads, `bordero verify --files` and the quotas know the files of every table with a file_key. Each
// file of Contents has one byte.
func TestTheFilesOfAllTablesAreKnown(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, tenant := database.Store, storagetest.NewTenant(t, database.Store)
	if err := storagetest.Contents(t.Context(), database.Owner, tenant.AccountID, tenant.EntityID, 10); err != nil {
		t.Fatal(err)
	}
	tables, err := db.Many[string](t.Context(), s.DB, `SELECT table_name::text FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = 'file_key'`)
	if err != nil || len(tables) == 0 {
		t.Fatal(err)
	}
	var all []string
	for _, table := range tables {
		keys, err := db.Many[string](t.Context(), s.DB, `SELECT file_key FROM `+table)
		if err != nil || len(keys) == 0 {
			t.Errorf("Contents has no row of %s: %v", table, err)
		}
		for _, key := range keys {
			if _, err := s.StoredFile(t.Context(), tenant.AccountID, key); err != nil {
				t.Errorf("StoredFile does not find a file of %s: %v", table, err)
			}
		}
		if unknown, err := s.UnknownFiles(t.Context(), keys); err != nil || len(unknown) > 0 {
			t.Errorf("the sweep removes files of %s: %v, %v", table, unknown, err)
		}
		all = append(all, keys...)
	}
	found, _, err := verify.Files(t.Context(), s, func(func(verify.File, error) bool) {},
		func(keys []string) ([]string, error) { return keys, nil })
	if err != nil || len(found) != len(all) {
		t.Errorf("verify misses some of the files %q: %v, %v", all, found, err)
	}
	bytes, err := db.One[int](t.Context(), s.DB, `SELECT sum(file_bytes) FROM account_usage WHERE account_id = $1`,
		tenant.AccountID)
	if err != nil || bytes != len(all) {
		t.Errorf("the quotas count %d bytes of the files %q: %v", bytes, all, err)
	}
}
