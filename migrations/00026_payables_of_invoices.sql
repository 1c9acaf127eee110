-- +goose Up
-- A payable account may be that of a credit card's invoice; its amount is then the
-- sum of the invoice. 00027 adds the index and validates the rows.
ALTER TABLE financial_accounts
  ADD COLUMN credit_card_invoice_id bigint,
  ADD CONSTRAINT financial_accounts_invoice_fk FOREIGN KEY (account_id, credit_card_invoice_id)
    REFERENCES credit_card_invoices (account_id, id) NOT VALID,
  ADD CONSTRAINT financial_accounts_invoice_payable CHECK (credit_card_invoice_id IS NULL OR kind = 'payable') NOT VALID;
