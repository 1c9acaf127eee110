-- +goose Up
-- When a token was last seen, within an hour.
ALTER TABLE tokens ADD COLUMN last_used_at timestamptz;
