-- +goose Up
-- New days of a credit card until a job has dated its open invoices anew, as one of its billings then.
CREATE TABLE pending_card_days (
  account_id     bigint NOT NULL,
  credit_card_id bigint NOT NULL,
  starts_on      date NOT NULL, -- the open invoices end on this day or later; 0001-01-01 for all
  first_month    date NOT NULL CHECK (extract(day FROM first_month) = 1),
  closing_day    smallint NOT NULL CHECK (closing_day BETWEEN 1 AND 31),
  expiration_day smallint NOT NULL CHECK (expiration_day BETWEEN 1 AND 31),
  PRIMARY KEY (account_id, credit_card_id),
  FOREIGN KEY (account_id, credit_card_id) REFERENCES credit_cards (account_id, id) ON DELETE CASCADE
);
