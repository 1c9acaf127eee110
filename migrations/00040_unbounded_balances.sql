-- +goose Up
-- A balance has no bound: a job that undoes an import could not keep one beyond it, and
-- would never end. The table is not rewritten.
ALTER TABLE deposit_accounts ALTER COLUMN transactions_sum TYPE numeric;
