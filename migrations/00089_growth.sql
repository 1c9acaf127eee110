-- +goose NO TRANSACTION
-- +goose Up
-- A migration may wait 3 s for a table; what failed half-way begins again.
SET lock_timeout = '3s';
-- The ignored items of an old statement, without their texts (decision 0052): up to 10,000 of one outcome in a row,
-- which is compressed. Processes of the release before do not show them.
CREATE TABLE IF NOT EXISTS folded_items (
  account_id        bigint NOT NULL,
  bank_statement_id bigint NOT NULL,
  outcome           text NOT NULL,
  first             int NOT NULL, -- the smallest of the numbers
  numbers           int[] NOT NULL,
  lines             int[] NOT NULL,
  days              date[] NOT NULL,
  amounts           numeric[] NOT NULL,
  marks             text[] NOT NULL,
  PRIMARY KEY (account_id, bank_statement_id, outcome, first),
  FOREIGN KEY (account_id, bank_statement_id) REFERENCES bank_statements (account_id, id)
);
ALTER TABLE bank_statements ADD COLUMN IF NOT EXISTS items_folded_at timestamptz;

-- The largest accounts of each table, by its rows, as counted at a moment.
CREATE TABLE IF NOT EXISTS account_sizes (
  kind       text NOT NULL,   -- a table, or files
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  rows       bigint NOT NULL,
  bytes      bigint NOT NULL, -- of files; of a table, its size by the share of its rows
  counted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, account_id)
);
CREATE INDEX IF NOT EXISTS account_sizes_account ON account_sizes (account_id);
RESET lock_timeout;

-- What the scheduler looks for: statements that may be folded, and dismissed jobs, the oldest first. A claim changes no
-- column of the second.
DROP INDEX CONCURRENTLY IF EXISTS bank_statements_unfolded;
CREATE INDEX CONCURRENTLY bank_statements_unfolded ON bank_statements (event_finished_at)
  WHERE items_folded_at IS NULL AND event_status = 'success' AND deleted_at IS NULL
    AND items_count > imported_items_count;
DROP INDEX CONCURRENTLY IF EXISTS jobs_dismissed;
CREATE INDEX CONCURRENTLY jobs_dismissed ON jobs (dismissed_at) WHERE dismissed_at IS NOT NULL;
