-- +goose Up
-- The trace that a notification belongs to: its attempts carry it, whichever job
-- makes them.
ALTER TABLE deliveries ADD traceparent text;
