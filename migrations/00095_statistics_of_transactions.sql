-- +goose Up
-- A deposit account belongs to one account: without this the planner expects a part of its transactions for each account.
CREATE STATISTICS financial_transactions_parents (dependencies) ON account_id, deposit_account_id
  FROM financial_transactions;
