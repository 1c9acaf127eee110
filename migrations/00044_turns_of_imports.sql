-- +goose NO TRANSACTION
-- +goose Up
-- Imports take turns by deposit account, which is their key, and share the workers by
-- account. A claim visits the accounts and keys that wait by the first index, and
-- finds what is running by the second: neither has a column that the claim, the renewal
-- or the end of any other job changes. A migration may wait 3 s for the table, no longer;
-- what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE jobs ADD COLUMN IF NOT EXISTS running boolean; -- of an import that is claimed: others never write it
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS jobs_turns;
CREATE INDEX CONCURRENTLY jobs_turns ON jobs (account_id, (coalesce(key, '')), due_at, id) WHERE kind = 'import_statement' AND failed_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS jobs_running;
CREATE INDEX CONCURRENTLY jobs_running ON jobs (account_id, (coalesce(key, ''))) WHERE running AND kind = 'import_statement' AND failed_at IS NULL;
