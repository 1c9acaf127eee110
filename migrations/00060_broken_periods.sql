-- +goose Up
-- The file states several periods of the account, and they do not touch: it does not cover all days from
-- period_start to period_end. The release before does not know it.
ALTER TABLE bank_statements ADD COLUMN period_broken boolean NOT NULL DEFAULT false;
