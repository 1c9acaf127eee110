-- +goose Up
-- A number from the ids of sale_rule_applications, drawn when a change of the sale last asked for its pricing:
-- applications with a lower id were asked for before, and leave the sale to the rules of its sale account. Null if
-- nothing has asked since the sale was made, or only a process of the release before, which does not draw it.
ALTER TABLE sales ADD COLUMN asked_pricing bigint;
