-- +goose NO TRANSACTION
-- +goose Up
-- Ignored items that a bank may have counted, of which there are few: the explanation of a balance that differs reads
-- those of all statements of its deposit account.
DROP INDEX CONCURRENTLY IF EXISTS ignored_items_loose;
CREATE INDEX CONCURRENTLY ignored_items_loose ON ignored_items (account_id, bank_statement_id)
  WHERE suspect OR outcome IN ('balance', 'future');
