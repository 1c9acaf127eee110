-- +goose Up
-- What the last look at each of the newest statements of a deposit account found, for the events of proofs that turn.
-- balance_proofs keeps the newest one, for the metrics and for processes of the release before.
CREATE TABLE statement_proofs (
  account_id         bigint NOT NULL,
  deposit_account_id bigint NOT NULL,
  bank_statement_id  bigint NOT NULL,
  status             text NOT NULL CHECK (status IN ('agrees', 'differs', 'unknown')),
  PRIMARY KEY (account_id, deposit_account_id, bank_statement_id),
  FOREIGN KEY (account_id, deposit_account_id) REFERENCES deposit_accounts (account_id, id) ON DELETE CASCADE
);
