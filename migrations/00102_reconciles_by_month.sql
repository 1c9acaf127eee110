-- +goose NO TRANSACTION
-- +goose Up
-- The reconciles of a month, of one entity or of all: lists by the month of a reconcile name no entity of it. It takes
-- the place of the index of 00081, which begins with the entity.
DROP INDEX CONCURRENTLY IF EXISTS reconciles_by_month;
CREATE INDEX CONCURRENTLY reconciles_by_month ON reconciles (account_id, month, entity_id) INCLUDE (id);
DROP INDEX CONCURRENTLY IF EXISTS reconciles_month;
