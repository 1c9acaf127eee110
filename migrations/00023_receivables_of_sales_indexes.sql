-- +goose NO TRANSACTION
-- +goose Up
-- One open account takes the sales of a day: those that were received stay beside it.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS financial_accounts_gathering ON financial_accounts (account_id, sale_account_id, due_date)
  WHERE gathering AND status = 1;
CREATE INDEX CONCURRENTLY IF NOT EXISTS financial_accounts_sale_account ON financial_accounts (account_id, sale_account_id, id)
  WHERE sale_account_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS financial_accounts_settling ON financial_accounts (account_id, sale_account_id, id) WHERE settling;
ALTER TABLE financial_accounts VALIDATE CONSTRAINT financial_accounts_amount, VALIDATE CONSTRAINT financial_accounts_sales;
