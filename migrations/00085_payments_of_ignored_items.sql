-- +goose NO TRANSACTION
-- +goose Up
-- What a file says about the payment of a known item, so that its transaction has it if a person imports the item.
-- Items ignored before have none: their texts are read. A migration may wait 3 s for a table.
SET lock_timeout = '3s';
ALTER TABLE ignored_items
  ADD COLUMN IF NOT EXISTS end_to_end_id text,
  ADD COLUMN IF NOT EXISTS txid text,
  ADD COLUMN IF NOT EXISTS counterpart_name text,
  ADD COLUMN IF NOT EXISTS counterpart_document text;
RESET lock_timeout;
