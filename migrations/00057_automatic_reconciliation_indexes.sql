-- +goose NO TRANSACTION
-- +goose Up
-- Every change of a payable or receivable account asks whether its entity has one of these; most
-- have none. What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS deposit_accounts_automatic;
CREATE INDEX CONCURRENTLY deposit_accounts_automatic ON deposit_accounts (account_id, entity_id) WHERE automatic_reconciliation;
