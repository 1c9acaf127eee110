-- +goose NO TRANSACTION
-- +goose Up
-- One open account for the sales of a day: those that were received stay beside it.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS financial_accounts_sales ON financial_accounts (account_id, sale_account_id, due_date)
  WHERE consolidated AND status = 1;
