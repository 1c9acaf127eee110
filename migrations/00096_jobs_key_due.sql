-- +goose NO TRANSACTION
-- +goose Up
-- An event finds the job of its webhook among recent ones (storage/events.go). While another session holds a snapshot,
-- the dead rows of all earlier jobs of the webhook stay, and each event read them. The new index replaces jobs_key.
DROP INDEX CONCURRENTLY IF EXISTS jobs_key_due;
CREATE INDEX CONCURRENTLY jobs_key_due ON jobs (kind, key, due_at) WHERE key IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS jobs_key;
