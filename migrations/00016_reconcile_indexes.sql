-- +goose NO TRANSACTION
-- +goose Up
-- What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_reconcile;
CREATE INDEX CONCURRENTLY financial_transactions_reconcile ON financial_transactions (account_id, reconcile_id, id)
  WHERE reconcile_id IS NOT NULL;
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_reconcile_fk;
