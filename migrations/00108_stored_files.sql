-- +goose Up
-- The files that rows name, for the sweep, which removes all others. A migration that adds a table with files replaces
-- the view, so that the sweep of the release before knows these files too. The columns of all parts need the same
-- types: only then is a key looked up in the indexes.
CREATE VIEW stored_files (account, key, bytes) AS
  SELECT account_id, file_key, file_file_size FROM bank_statements
  UNION ALL
  SELECT account_id, file_key, attachment_file_size FROM attachments;
