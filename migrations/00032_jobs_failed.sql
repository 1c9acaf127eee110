-- +goose NO TRANSACTION
-- +goose Up
-- Monitoring counts the failed jobs beside a backlog of any size.
-- A claim changes no column of the first index.
DROP INDEX CONCURRENTLY IF EXISTS jobs_failed;
CREATE INDEX CONCURRENTLY jobs_failed ON jobs (id) WHERE failed_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS webhooks_error;
CREATE INDEX CONCURRENTLY webhooks_error ON webhooks (account_id, id) WHERE status = 'error';
