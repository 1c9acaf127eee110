-- +goose Up
-- Answers that are given again to a request that comes again (decision 0012).
CREATE TABLE idempotency_keys (
  account_id   bigint NOT NULL REFERENCES accounts (id),
  path         text NOT NULL,
  key          text NOT NULL,
  user_id      bigint NOT NULL,
  request      bytea NOT NULL, -- SHA-256 of query and body
  status       int NOT NULL,
  location     text NOT NULL,
  content_type text NOT NULL,
  body         bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, path, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
