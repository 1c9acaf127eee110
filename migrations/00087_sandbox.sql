-- +goose NO TRANSACTION
-- +goose Up
-- A sandbox account may be reset: nothing sets the column of an account that exists. The default is a constant, so the
-- table is not rewritten. A migration may wait 3 s for the table; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE accounts ADD COLUMN IF NOT EXISTS sandbox boolean NOT NULL DEFAULT false;
RESET lock_timeout;
