-- +goose NO TRANSACTION
-- +goose Up
-- The deliveries of webhooks in error, to be sent later or to expire.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_held ON deliveries (account_id, webhook_id, id) WHERE status = 'held';
