-- +goose Up
-- What a transaction is sorted by, and the other side of a transfer: transfer_id
-- is the transaction there, transfer_deposit_account_id a copy of its account,
-- without a key of its own: each is a trigger for every imported row. The release
-- before knows neither, and leaves them null. Indexes, and the key of transfer_id,
-- which needs one, come in 00015; nothing here reads the table.
ALTER TABLE financial_transactions
  ADD COLUMN category_id                 bigint,
  ADD COLUMN person_id                   bigint,
  ADD COLUMN classification_center_id    bigint,
  ADD COLUMN transfer_id                 bigint,
  ADD COLUMN transfer_deposit_account_id bigint,
  ADD CONSTRAINT financial_transactions_category_fk FOREIGN KEY (account_id, category_id)
    REFERENCES categories (account_id, id) NOT VALID,
  ADD CONSTRAINT financial_transactions_person_fk FOREIGN KEY (account_id, person_id)
    REFERENCES people (account_id, id) NOT VALID,
  ADD CONSTRAINT financial_transactions_center_fk FOREIGN KEY (account_id, classification_center_id)
    REFERENCES classification_centers (account_id, id) NOT VALID,
  ADD CONSTRAINT financial_transactions_transfer_whole CHECK ((transfer_id IS NULL) = (transfer_deposit_account_id IS NULL)) NOT VALID,
  ADD CONSTRAINT financial_transactions_transfer_elsewhere CHECK (transfer_deposit_account_id <> deposit_account_id) NOT VALID;
