-- +goose Up
-- What other systems call a record.
ALTER TABLE people ADD external_id text;
ALTER TABLE categories ADD external_id text;
ALTER TABLE classification_centers ADD external_id text;
ALTER TABLE deposit_accounts ADD external_id text;
ALTER TABLE financial_transactions ADD external_id text;
ALTER TABLE financial_accounts ADD external_id text;
ALTER TABLE sales ADD external_id text;
ALTER TABLE credit_card_transactions ADD external_id text;
