-- +goose NO TRANSACTION
-- +goose Up
-- Imported statements whose file names an account number: each read of a deposit account without a number looks for
-- the first, and would pass over all statements if none names one.
DROP INDEX CONCURRENTLY IF EXISTS bank_statements_naming;
CREATE INDEX CONCURRENTLY bank_statements_naming ON bank_statements (account_id, deposit_account_id, id)
  WHERE event_status = 'success' AND file_account_number IS NOT NULL;
