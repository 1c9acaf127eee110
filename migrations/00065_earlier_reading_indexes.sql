-- +goose NO TRANSACTION
-- +goose Up
-- New imports write nothing to the first index, and hardly anything to the second. What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS imported_items_of_earlier;
CREATE INDEX CONCURRENTLY imported_items_of_earlier ON imported_items (deposit_account_id, fitid) WHERE card IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS imported_items_moved;
CREATE INDEX CONCURRENTLY imported_items_moved ON imported_items (deposit_account_id, day) WHERE moved_from IS NOT NULL;
