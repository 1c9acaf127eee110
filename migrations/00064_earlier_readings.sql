-- +goose Up
-- Whether an item is of a card, and has the mark of its description by the rule of today. Null: an earlier release
-- read it, by other rules of signs, days and marks, or a person imported it as a duplicate.
ALTER TABLE imported_items
  ADD COLUMN card       boolean,
  ADD COLUMN moved_from bigint; -- the transaction of the same booking on the day where an earlier file had it
