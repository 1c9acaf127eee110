-- +goose NO TRANSACTION
-- +goose Up
-- financial_transactions_days took the place of this index (migration 51). Apart from it, so that a
-- run that is stopped while it waits here begins again here, and does not build the other once more.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_list;
