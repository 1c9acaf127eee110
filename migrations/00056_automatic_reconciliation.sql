-- +goose Up
-- What the worker reconciles: where it may, and what its reconciles say. Nothing here reads a
-- table: the defaults are constants, and the existing rows comply.
ALTER TABLE deposit_accounts ADD COLUMN automatic_reconciliation boolean NOT NULL DEFAULT false;

ALTER TABLE reconciles
  ADD COLUMN made_by text NOT NULL DEFAULT 'user',
  ADD COLUMN rule_id bigint, -- the rule that decided, which may be gone
  ADD COLUMN reasons jsonb,  -- texts for the user
  ADD CONSTRAINT reconciles_made_by CHECK (made_by IN ('user', 'automatic')) NOT VALID,
  ADD CONSTRAINT reconciles_reasons CHECK ((made_by = 'automatic') = (reasons IS NOT NULL) AND (made_by = 'automatic' OR rule_id IS NULL)) NOT VALID;

-- A person undid its automatic reconcile: it is never reconciled automatically again.
ALTER TABLE financial_transactions ADD COLUMN left_to_people boolean NOT NULL DEFAULT false;
