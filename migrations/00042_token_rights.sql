-- +goose Up
-- What a token may less than its user. The release before looks at none of this.
ALTER TABLE tokens
  ADD COLUMN denied     text[] NOT NULL DEFAULT '{}', -- permissions
  ADD COLUMN entity_ids bigint[],                     -- null: those of the user
  ADD COLUMN read_only  boolean NOT NULL DEFAULT false;
