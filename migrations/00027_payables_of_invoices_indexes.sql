-- +goose NO TRANSACTION
-- +goose Up
-- What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_invoice;
CREATE UNIQUE INDEX CONCURRENTLY financial_accounts_invoice ON financial_accounts (account_id, credit_card_invoice_id)
  WHERE credit_card_invoice_id IS NOT NULL;
ALTER TABLE financial_accounts VALIDATE CONSTRAINT financial_accounts_invoice_fk;
ALTER TABLE financial_accounts VALIDATE CONSTRAINT financial_accounts_invoice_payable;
