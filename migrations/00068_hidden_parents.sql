-- +goose NO TRANSACTION
-- +goose Up
-- Every request about what is below a sale account, a card or a deposit account asks which of them are
-- hidden; hardly ever is one. What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS sale_accounts_hidden;
CREATE INDEX CONCURRENTLY sale_accounts_hidden ON sale_accounts (account_id, id) WHERE deleted_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS credit_cards_hidden;
CREATE INDEX CONCURRENTLY credit_cards_hidden ON credit_cards (account_id, id) WHERE deleted_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS deposit_accounts_hidden;
CREATE INDEX CONCURRENTLY deposit_accounts_hidden ON deposit_accounts (account_id, id) WHERE deleted_at IS NOT NULL;
