-- +goose Up
-- The events that a webhook asks for; null: all. A process of the previous release sends the
-- others too, until it is replaced.
ALTER TABLE webhooks ADD COLUMN events text[];
