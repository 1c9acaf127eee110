package storage

import (
	"context"
	"time"

	"bordero/internal/db"
)

// StoredFile is the metadata of a file.
type StoredFile struct {
	AccountID   int64
	FileKey     string
	Name        string
	ContentType string
	Now         time.Time // of the database; its clock decides how long an address of the file is valid
}

// StoredFile reads the row that names the file. The file of a closed account, of a statement that
// is being deleted, of an expired preview, or of an attachment with hidden records only, is not
// found, like the statement or the attachment.
func (q Queries) StoredFile(ctx context.Context, account int64, key string) (StoredFile, error) {
	return db.One[StoredFile](ctx, q.DB, `
		SELECT f.*, clock_timestamp() AS now FROM (
			SELECT account_id, file_key, attachment_file_name AS name, attachment_content_type AS content_type
			FROM attachments a WHERE account_id = $1 AND file_key = $2 AND (`+anywhere(attached.remaining)+` OR NOT `+
		anywhere(attached.links)+`)
			UNION ALL
			SELECT b.account_id, file_key, file_file_name, file_content_type
			FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id
				AND d.id = b.deposit_account_id AND d.deleted_at IS NULL
			WHERE b.account_id = $1 AND file_key = $2 AND `+StatementStays+`) f
		WHERE EXISTS (SELECT FROM memberships WHERE account_id = $1)`, account, key)
}

// findUnknownFiles reads a view, which has the files of tables that a later release adds, too.
var findUnknownFiles = db.Named("stored_files.find_unknown", `
	SELECT k FROM unnest(@keys::text[]) k WHERE NOT EXISTS (SELECT FROM stored_files WHERE key = k)`)

// UnknownFiles returns the keys without a row.
func (q Queries) UnknownFiles(ctx context.Context, keys []string) ([]string, error) {
	return db.ManyNamed[string](ctx, q.DB, findUnknownFiles, db.Args{"keys": keys})
}
