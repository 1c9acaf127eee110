-- +goose NO TRANSACTION
-- +goose Up
-- A claim changes no indexed column any more, so that the new version of the row
-- goes beside the old one, into the half of the page that is left free, and into
-- no index: the relay finds lapsed leases among the due rows.
ALTER TABLE jobs SET (fillfactor = 50);
DROP INDEX CONCURRENTLY IF EXISTS jobs_lease;
