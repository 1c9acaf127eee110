-- +goose Up
-- What a reconcile adds to its accounts, and what they were before it. Only reconciled accounts
-- have them. The new columns are null in every row, so that there is nothing to validate.
ALTER TABLE financial_accounts
  ADD COLUMN fee_amount numeric(15,2),
  ADD COLUMN withheld_tax_amount numeric(15,2),
  ADD COLUMN before_reconcile jsonb, -- the columns that undoing it restores, or {"new": true}: undoing it removes the account
  ADD CONSTRAINT financial_accounts_adjustments CHECK (fee_amount > 0 AND withheld_tax_amount > 0) NOT VALID;
