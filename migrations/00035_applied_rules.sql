-- +goose Up
-- A rule is applied as it was when that was asked for, to the sales that were there:
-- one that is changed meanwhile, for later sales only, changes nothing of it. What the
-- release before asks for has no up_to, and is done by the rule as it is.
ALTER TABLE sale_rule_applications
  ADD COLUMN sale_rule_id        bigint, -- null: no rule is for them any more
  ADD COLUMN fee_percentage      numeric(9,4),
  ADD COLUMN fixed_fee_amount    numeric(15,2),
  ADD COLUMN minimum_fee_amount  numeric(15,2),
  ADD COLUMN days_to_liquidation int,
  ADD COLUMN weekdays            text,
  ADD COLUMN up_to               bigint; -- the id of the last sale that was there
