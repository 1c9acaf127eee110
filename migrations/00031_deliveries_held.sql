-- +goose NO TRANSACTION
-- +goose Up
-- What is kept for a webhook in error, to be sent or to expire.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_held ON deliveries (account_id, webhook_id, id) WHERE status = 'held';
