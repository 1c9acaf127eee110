-- +goose NO TRANSACTION
-- +goose Up
-- The identifiers of a Pix and the counterpart that the bank's text names (finance/memo); null in older rows, of
-- which the text was not read. A migration may wait 3 s for the table; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE financial_transactions
  ADD COLUMN IF NOT EXISTS end_to_end_id        text,
  ADD COLUMN IF NOT EXISTS txid                 text,
  ADD COLUMN IF NOT EXISTS counterpart_name     text,
  ADD COLUMN IF NOT EXISTS counterpart_document text;
RESET lock_timeout;

-- Each finds one record, or those of one person, among all of an account. They are partial: few banks write the
-- identifiers, so that the first two cost an import nothing; the last costs it an entry for each text with a document.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_end_to_end_id;
CREATE INDEX CONCURRENTLY financial_transactions_end_to_end_id
  ON financial_transactions (account_id, end_to_end_id)
  WHERE end_to_end_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_txid;
CREATE INDEX CONCURRENTLY financial_transactions_txid ON financial_transactions (account_id, txid)
  WHERE txid IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_counterpart;
CREATE INDEX CONCURRENTLY financial_transactions_counterpart
  ON financial_transactions (account_id, counterpart_document)
  WHERE counterpart_document IS NOT NULL;
