-- +goose NO TRANSACTION
-- +goose Up
-- The mapping that a preview was uploaded with: its confirmation keeps it at the deposit account. Ordinary statements
-- have none. A migration may wait 3 s for a table.
SET lock_timeout = '3s';
ALTER TABLE bank_statements ADD COLUMN IF NOT EXISTS statement_mapping jsonb;
RESET lock_timeout;
