-- +goose Up
-- The id that this installation's tasks and keys in Redis carry: one row. A copy of
-- the database has the same, until it is given another (docs/operations/backup.md).
CREATE TABLE installation (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  text NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12)
);
INSERT INTO installation DEFAULT VALUES;
