-- +goose Up
-- The columns of a bank's table whose header is none of the known ones (decision 0044).
ALTER TABLE deposit_accounts ADD statement_mapping jsonb;
