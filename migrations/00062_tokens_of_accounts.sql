-- +goose NO TRANSACTION
-- +goose Up
-- The account that a token opens; null: every account of its user, as all tokens did before. The release
-- before ignores the column, and needs the cascade to delete an account. A migration may wait 3 s for the
-- tables, no longer; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS account_id bigint REFERENCES accounts ON DELETE CASCADE;
RESET lock_timeout;

-- To delete the tokens of an account, and to list them.
DROP INDEX CONCURRENTLY IF EXISTS tokens_account;
CREATE INDEX CONCURRENTLY tokens_account ON tokens (account_id) WHERE account_id IS NOT NULL;
