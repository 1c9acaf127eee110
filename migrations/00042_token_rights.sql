-- +goose Up
-- How a token is narrower than its user. Processes of the release before ignore it.
ALTER TABLE tokens
  ADD COLUMN denied     text[] NOT NULL DEFAULT '{}', -- permissions
  ADD COLUMN entity_ids bigint[],                     -- null: those of the user
  ADD COLUMN read_only  boolean NOT NULL DEFAULT false;
