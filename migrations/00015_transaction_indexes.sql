-- +goose NO TRANSACTION
-- +goose Up
-- Lists by what a transaction is sorted by, and what a deletion clears. Most
-- transactions are imported and have none of it, so the indexes are partial. What
-- failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_category;
CREATE INDEX CONCURRENTLY financial_transactions_category ON financial_transactions (account_id, category_id) WHERE category_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_person;
CREATE INDEX CONCURRENTLY financial_transactions_person ON financial_transactions (account_id, person_id) WHERE person_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_center;
CREATE INDEX CONCURRENTLY financial_transactions_center ON financial_transactions (account_id, classification_center_id)
  WHERE classification_center_id IS NOT NULL;

-- Each transaction is the other side of one at most. The two come and go in one
-- statement, after which the key is checked.
ALTER TABLE financial_transactions DROP CONSTRAINT IF EXISTS financial_transactions_transfer_fk;
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_transfer;
CREATE UNIQUE INDEX CONCURRENTLY financial_transactions_transfer ON financial_transactions (account_id, transfer_id)
  WHERE transfer_id IS NOT NULL;
ALTER TABLE financial_transactions ADD CONSTRAINT financial_transactions_transfer_fk
  FOREIGN KEY (account_id, transfer_id) REFERENCES financial_transactions (account_id, id) NOT VALID;

-- What was added without looking at the rows; reading them blocks no write.
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_category_fk;
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_person_fk;
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_center_fk;
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_transfer_fk;
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_transfer_whole;
ALTER TABLE financial_transactions VALIDATE CONSTRAINT financial_transactions_transfer_elsewhere;
