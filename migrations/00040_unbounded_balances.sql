-- +goose Up
-- A balance has no limit: a job that undoes an import could not store one beyond it, and
-- would never end. The table is not rewritten.
ALTER TABLE deposit_accounts ALTER COLUMN transactions_sum TYPE numeric;
