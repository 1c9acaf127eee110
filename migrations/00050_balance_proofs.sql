-- +goose Up
-- An item that was ignored as a duplicate although neither its id nor its text is known.
ALTER TABLE ignored_items ADD COLUMN suspect boolean NOT NULL DEFAULT false;
-- The number of the account that the file names.
ALTER TABLE bank_statements ADD COLUMN file_account_number text;

-- What the last look at the newest statement of a deposit account found (decision 0033): for the
-- event of a proof that turns, and for the metrics. Proofs are computed when they are asked for.
CREATE TABLE balance_proofs (
  account_id         bigint NOT NULL,
  deposit_account_id bigint NOT NULL,
  bank_statement_id  bigint NOT NULL,
  status             text NOT NULL CHECK (status IN ('agrees', 'differs', 'unknown')),
  proven_at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, deposit_account_id),
  FOREIGN KEY (account_id, deposit_account_id) REFERENCES deposit_accounts (account_id, id) ON DELETE CASCADE
);
