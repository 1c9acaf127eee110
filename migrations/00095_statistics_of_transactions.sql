-- +goose Up
-- As in migration 59: a deposit account belongs to one account. The planner took the two conditions for independent.
CREATE STATISTICS financial_transactions_parents (dependencies) ON account_id, deposit_account_id
  FROM financial_transactions;
