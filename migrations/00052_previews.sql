-- +goose NO TRANSACTION
-- +goose Up
-- Previews of imports. A statement with preview_until is one until it is confirmed, and is
-- gone after that moment. The second check also stops a worker of the previous release,
-- which would import it: its transaction fails, and the job is tried again. The existing
-- rows comply; this does not scan the table. A migration may wait 3 s for the table, no
-- longer; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE bank_statements
  ADD COLUMN IF NOT EXISTS preview_until timestamptz,
  DROP CONSTRAINT IF EXISTS bank_statements_event_status_check,
  DROP CONSTRAINT IF EXISTS bank_statements_preview,
  ADD CONSTRAINT bank_statements_event_status_check
    CHECK (event_status IN ('queued', 'processing', 'success', 'error', 'previewed')) NOT VALID,
  ADD CONSTRAINT bank_statements_preview
    CHECK (event_status NOT IN ('success', 'previewed') OR (event_status = 'previewed') = (preview_until IS NOT NULL)) NOT VALID;

-- What would become of each item of a preview; number counts all of a file from 1. They
-- stay after the confirmation until the import ends, which compares them with its items.
CREATE TABLE IF NOT EXISTS previewed_items (
  account_id        bigint NOT NULL,
  bank_statement_id bigint NOT NULL,
  number            int NOT NULL,
  line              int NOT NULL,
  day               date,
  amount            numeric(15,2), -- null if it was not read
  mark              text NOT NULL, -- of an instalment on a card, else ''
  outcome           text NOT NULL
    CHECK (outcome IN ('imported', 'invalid_date', 'zero', 'balance', 'future', 'duplicate', 'other_account')),
  fitid             text,
  document          text,
  description       text,
  suspect           boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, bank_statement_id, number),
  FOREIGN KEY (account_id, bank_statement_id) REFERENCES bank_statements (account_id, id)
);
RESET lock_timeout;

-- The scheduler searches for previews whose time is over.
DROP INDEX CONCURRENTLY IF EXISTS bank_statements_previews;
CREATE INDEX CONCURRENTLY bank_statements_previews ON bank_statements (preview_until) WHERE preview_until IS NOT NULL;
