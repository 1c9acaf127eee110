-- +goose Up
-- A transaction is in the currency of its deposit account, which cannot change once
-- it has one. Rows of an earlier release that differ stay, and `bordero verify` reports them.
-- The deposit account is the last column: a test compares the deletions with the schema by it.
ALTER TABLE deposit_accounts ADD CONSTRAINT deposit_accounts_currency UNIQUE (account_id, currency_id, id);
ALTER TABLE financial_transactions
  DROP CONSTRAINT financial_transactions_account_id_deposit_account_id_fkey,
  ADD CONSTRAINT financial_transactions_currency_fk FOREIGN KEY (account_id, currency_id, deposit_account_id)
    REFERENCES deposit_accounts (account_id, currency_id, id) NOT VALID;
