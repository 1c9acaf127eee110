-- +goose NO TRANSACTION
-- +goose Up
-- Items that a bank or an aggregator announces, without having booked them, are counted and not imported. The existing
-- rows comply; this does not scan the tables. A migration may wait 3 s for a table; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE bank_statements
  ADD COLUMN IF NOT EXISTS pending_items_ignored_count int NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS file_format text; -- null if an earlier release read the file
ALTER TABLE ignored_items
  ADD COLUMN IF NOT EXISTS replaces bigint, -- a transaction of an earlier file with another day, amount or id
  DROP CONSTRAINT IF EXISTS ignored_items_outcome_check,
  ADD CONSTRAINT ignored_items_outcome_check CHECK (outcome IN ('invalid_date', 'zero', 'pending', 'balance',
    'future', 'duplicate', 'other_account')) NOT VALID;
ALTER TABLE previewed_items
  ADD COLUMN IF NOT EXISTS replaces bigint,
  DROP CONSTRAINT IF EXISTS previewed_items_outcome_check,
  ADD CONSTRAINT previewed_items_outcome_check CHECK (outcome IN ('imported', 'invalid_date', 'zero', 'pending',
    'balance', 'future', 'duplicate', 'other_account')) NOT VALID;
RESET lock_timeout;
