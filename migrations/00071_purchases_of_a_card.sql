-- +goose NO TRANSACTION
-- +goose Up
-- The list of the purchases of all cards of an entity merges the newest of each card. The index also replaces
-- the index by card alone.
DROP INDEX CONCURRENTLY IF EXISTS credit_card_transactions_days;
CREATE INDEX CONCURRENTLY credit_card_transactions_days ON credit_card_transactions
  (account_id, credit_card_id, occurred_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS credit_card_transactions_card;
