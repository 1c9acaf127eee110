-- +goose NO TRANSACTION
-- +goose Up
-- The items of a statement in their order; it takes the place of the index by
-- statement alone. What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS imported_items_number;
CREATE UNIQUE INDEX CONCURRENTLY imported_items_number ON imported_items (bank_statement_id, number);
DROP INDEX CONCURRENTLY IF EXISTS imported_items_statement;
