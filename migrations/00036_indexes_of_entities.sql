-- +goose NO TRANSACTION
-- +goose Up
-- Categories and people are an account's, lists are an entity's, and of one kind: the
-- indexes contain both, so that no query scans the records of other entities. A
-- migration that failed half-way begins again.
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_of_category;
CREATE INDEX CONCURRENTLY financial_accounts_of_category ON financial_accounts (account_id, category_id, entity_id, kind) WHERE category_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_category;
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_of_person;
CREATE INDEX CONCURRENTLY financial_accounts_of_person ON financial_accounts (account_id, person_id, entity_id, kind) WHERE person_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_person;
DROP INDEX CONCURRENTLY IF EXISTS sales_of_category;
CREATE INDEX CONCURRENTLY sales_of_category ON sales (account_id, category_id, entity_id) WHERE category_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sales_category;
DROP INDEX CONCURRENTLY IF EXISTS sales_of_person;
CREATE INDEX CONCURRENTLY sales_of_person ON sales (account_id, person_id, entity_id) WHERE person_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sales_person;
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_of_center;
CREATE INDEX CONCURRENTLY financial_accounts_of_center ON financial_accounts (account_id, classification_center_id, kind)
  WHERE classification_center_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS financial_accounts_center;
