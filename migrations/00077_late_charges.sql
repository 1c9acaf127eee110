-- +goose Up
-- The highest fine and interest that suggestions of reconciliation expect of a late payment (decision 0040).
ALTER TABLE entities
  ADD COLUMN suggested_fine_percentage             numeric(9, 4) NOT NULL DEFAULT 2
    CHECK (suggested_fine_percentage BETWEEN 0 AND 100),
  ADD COLUMN suggested_monthly_interest_percentage numeric(9, 4) NOT NULL DEFAULT 1
    CHECK (suggested_monthly_interest_percentage BETWEEN 0 AND 100);
