-- +goose NO TRANSACTION
-- +goose Up
-- The first and the last day of the imported and the known items of a file, from which follows what the file
-- covers: to read them from the items of all files would take a second of a large account. Null if there are none,
-- or if the release before, which does not know the columns, imported the file. A migration may wait 3 s for the
-- table; what failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE bank_statements
  ADD COLUMN IF NOT EXISTS first_item_on date,
  ADD COLUMN IF NOT EXISTS last_item_on  date;
RESET lock_timeout;

UPDATE bank_statements b SET first_item_on = i.first, last_item_on = i.last
FROM (
  SELECT account_id, bank_statement_id, min(day) AS first, max(day) AS last FROM (
    SELECT account_id, bank_statement_id, day FROM imported_items
    UNION ALL SELECT account_id, bank_statement_id, day FROM ignored_items WHERE outcome = 'duplicate') d
  GROUP BY account_id, bank_statement_id) i
WHERE b.account_id = i.account_id AND b.id = i.bank_statement_id AND b.first_item_on IS NULL;
