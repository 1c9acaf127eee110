-- +goose NO TRANSACTION
-- +goose Up
-- For income statements by competency. The sum of a month of a million accounts took 250 ms without it.
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_competency;
CREATE INDEX CONCURRENTLY financial_accounts_competency ON financial_accounts
  (account_id, entity_id, kind, competency_month);
