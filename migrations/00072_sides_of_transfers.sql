-- +goose NO TRANSACTION
-- +goose Up
-- A cash flow sums the days of a deposit account by financial_transactions_days, and takes the sides of
-- transfers from the sums by this index: neither visits the table. Only sides are in it, so that other
-- transactions, and all that are imported, do not write it. What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_sides;
CREATE INDEX CONCURRENTLY financial_transactions_sides ON financial_transactions (deposit_account_id, occurred_at)
  INCLUDE (account_id, amount) WHERE transfer_id IS NOT NULL;
