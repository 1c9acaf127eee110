-- +goose NO TRANSACTION
-- +goose Up
-- The tokens of a user that are not revoked, among many sessions that are.
DROP INDEX CONCURRENTLY IF EXISTS tokens_valid;
CREATE INDEX CONCURRENTLY tokens_valid ON tokens (user_id) WHERE revoked_at IS NULL;
