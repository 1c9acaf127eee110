-- +goose NO TRANSACTION
-- +goose Up
-- Balances of a day are sums over this index alone; it takes the place of the index of the list,
-- which has the same keys (migration 61). What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_days;
CREATE INDEX CONCURRENTLY financial_transactions_days ON financial_transactions (deposit_account_id, occurred_at DESC, id DESC) INCLUDE (account_id, amount);
