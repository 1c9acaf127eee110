-- +goose NO TRANSACTION
-- +goose Up
-- A receivable account whose sale awaits its new price cannot be received: each receipt looks for such a sale.
DROP INDEX CONCURRENTLY IF EXISTS sales_awaiting_in_receivable;
CREATE INDEX CONCURRENTLY sales_awaiting_in_receivable ON sales (account_id, financial_account_id)
  WHERE awaiting_pricing AND financial_account_id IS NOT NULL;
