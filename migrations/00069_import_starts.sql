-- +goose Up
-- When the last attempt at an import or a preview began. Null before the first, and of imports of earlier releases.
ALTER TABLE bank_statements ADD COLUMN event_started_at timestamptz;
