-- +goose NO TRANSACTION
-- +goose Up
-- Operators see since when a webhook is in error, and which delivery caused it; both are
-- unknown if the previous release stored the status. The index finds the failed deliveries,
-- to send them again. A migration may wait 3 s for the table, no longer; what failed
-- half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE webhooks
  ADD COLUMN IF NOT EXISTS error_since timestamptz,
  ADD COLUMN IF NOT EXISTS error_delivery_id bigint; -- no foreign key: deliveries are removed before
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS deliveries_failed;
CREATE INDEX CONCURRENTLY deliveries_failed ON deliveries (account_id, webhook_id, id) WHERE status = 'failed';
