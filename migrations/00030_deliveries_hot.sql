-- +goose Up
-- Opening an attempt changes no indexed column, and closing one no key: there is
-- room for the new version of the row on its page.
ALTER TABLE deliveries SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE delivery_attempts SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
