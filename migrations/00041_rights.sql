-- +goose Up
-- What a file that is attached to nothing any more was last attached to: the
-- permission of that kind of record. Null: it never was, or the release before
-- detached it.
ALTER TABLE attachments ADD COLUMN detached_from text;
