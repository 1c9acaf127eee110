-- +goose NO TRANSACTION
-- +goose Up
-- Suspects that replace a transaction, of which there are few: each import of their format reads the account's.
DROP INDEX CONCURRENTLY IF EXISTS ignored_items_replacing;
CREATE INDEX CONCURRENTLY ignored_items_replacing ON ignored_items (account_id, bank_statement_id)
  WHERE replaces IS NOT NULL;
