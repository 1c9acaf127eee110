-- +goose NO TRANSACTION
-- +goose Up
-- A failed job that an operator has dismissed stays, and no longer counts as failed. It
-- counts again if it is retried and fails again, whichever release retried it: a dismissal
-- is older than that failure. A claim changes no column of the index. A migration may wait
-- 3 s for the table, no longer; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE jobs
  ADD COLUMN IF NOT EXISTS dismissed_at timestamptz,
  ADD COLUMN IF NOT EXISTS dismissed_by text; -- the monitor's user
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS jobs_failed_open;
CREATE INDEX CONCURRENTLY jobs_failed_open ON jobs (id) WHERE failed_at IS NOT NULL AND coalesce(dismissed_at < failed_at, true);
