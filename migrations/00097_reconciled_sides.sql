-- +goose NO TRANSACTION
-- +goose Up
-- The reconciled sides of transfers, of which there are few: statements by cash leave them out.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_reconciled_side;
CREATE INDEX CONCURRENTLY financial_transactions_reconciled_side ON financial_transactions (account_id, reconcile_id)
  WHERE transfer_id IS NOT NULL AND reconcile_id IS NOT NULL;
