-- +goose Up
-- What became of each item of a file. One that came in is the row that remembers
-- it, the others are in ignored_items; number counts all of a file from 1, and the
-- two share it. The release before knows none of it: what it imports has no number.
ALTER TABLE imported_items
  ADD COLUMN number                   int,
  ADD COLUMN line                     int,
  ADD COLUMN document                 text,
  ADD COLUMN financial_transaction_id bigint; -- without a key: a transaction may go, and the memory stays

CREATE TABLE ignored_items (
  account_id        bigint NOT NULL,
  bank_statement_id bigint NOT NULL,
  number            int NOT NULL,
  line              int NOT NULL,
  day               date,
  amount            numeric(15,2), -- null if it was not read
  mark              text NOT NULL, -- of an instalment on a card, else ''
  outcome           text NOT NULL CHECK (outcome IN ('invalid_date', 'zero', 'balance', 'future', 'duplicate', 'other_account')),
  fitid             text,
  document          text,
  description       text,
  PRIMARY KEY (account_id, bank_statement_id, number),
  FOREIGN KEY (account_id, bank_statement_id) REFERENCES bank_statements (account_id, id)
);

-- items_count is null if the items are not stored. A deleted statement is hidden
-- at once; its transactions are removed later.
ALTER TABLE bank_statements
  ADD COLUMN items_count int,
  ADD COLUMN deleted_at  timestamptz;

-- Undoing an import changes one balance: no side of a transfer is imported. The
-- existing rows comply; this does not scan the table.
ALTER TABLE financial_transactions
  ADD CONSTRAINT financial_transactions_imported_alone CHECK (bank_statement_id IS NULL OR transfer_id IS NULL) NOT VALID;
