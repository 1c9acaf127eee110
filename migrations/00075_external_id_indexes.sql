-- +goose NO TRANSACTION
-- +goose Up
-- Records without an external id are in none of these indexes: only a record that has one writes its index. The
-- external ids of transactions and purchases are unique in the entity (storage/external_ids.go), which their rows
-- do not name; the indexes hold this in each deposit account and card. What failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS people_external_id;
CREATE UNIQUE INDEX CONCURRENTLY people_external_id ON people (account_id, external_id)
  WHERE external_id IS NOT NULL AND deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS categories_external_id;
CREATE UNIQUE INDEX CONCURRENTLY categories_external_id ON categories (account_id, external_id)
  WHERE external_id IS NOT NULL AND deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS classification_centers_external_id;
CREATE UNIQUE INDEX CONCURRENTLY classification_centers_external_id
  ON classification_centers (account_id, external_id, entity_id)
  WHERE external_id IS NOT NULL AND deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS deposit_accounts_external_id;
CREATE UNIQUE INDEX CONCURRENTLY deposit_accounts_external_id
  ON deposit_accounts (account_id, external_id, entity_id)
  WHERE external_id IS NOT NULL AND deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_transactions_external_id;
CREATE UNIQUE INDEX CONCURRENTLY financial_transactions_external_id
  ON financial_transactions (account_id, external_id, deposit_account_id)
  WHERE external_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_external_id;
CREATE UNIQUE INDEX CONCURRENTLY financial_accounts_external_id
  ON financial_accounts (account_id, external_id, entity_id, kind)
  WHERE external_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sales_external_id;
CREATE UNIQUE INDEX CONCURRENTLY sales_external_id ON sales (account_id, external_id, entity_id)
  WHERE external_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS credit_card_transactions_external_id;
CREATE UNIQUE INDEX CONCURRENTLY credit_card_transactions_external_id
  ON credit_card_transactions (account_id, external_id, credit_card_id)
  WHERE external_id IS NOT NULL;
