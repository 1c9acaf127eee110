-- +goose Up
-- Attempts to deliver, and what a subscription needs beside its address.

ALTER TABLE webhooks
  ADD deleted_at            timestamptz, -- gone for clients; its deliveries go in the background
  ADD previous_secret       text,        -- signs beside the new one until its time is over
  ADD previous_secret_until timestamptz,
  ADD CONSTRAINT webhooks_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL));

-- A redelivery allows five more.
ALTER TABLE deliveries ADD attempts_allowed int NOT NULL DEFAULT 5;

-- Opened before the POST and closed after it: one that a dead worker left open
-- counts all the same.
CREATE TABLE delivery_attempts (
  account_id       bigint NOT NULL,
  delivery_id      bigint NOT NULL,
  number           int NOT NULL,
  request_id       text NOT NULL, -- X-Service-RequestId: new for each attempt
  started_at       timestamptz NOT NULL DEFAULT now(),
  finished_at      timestamptz,
  response_code    int,
  error            text,
  response_excerpt text,
  PRIMARY KEY (account_id, delivery_id, number),
  FOREIGN KEY (account_id, delivery_id) REFERENCES deliveries (account_id, id)
);
