-- +goose NO TRANSACTION
-- +goose Up
-- The relay offers the jobs of the queue that take no turns from it: proofs, and the texts of statements of 0.2.0, which
-- it did not find (00078).
DROP INDEX CONCURRENTLY IF EXISTS jobs_without_turns;
CREATE INDEX CONCURRENTLY jobs_without_turns ON jobs (due_at, id)
  WHERE queue = 'statements' AND kind <> 'import_statement' AND failed_at IS NULL;
