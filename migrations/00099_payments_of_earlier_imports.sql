-- +goose NO TRANSACTION
-- +goose Up
-- 00078 found the statements of its moment. Workers of release 0.2.0, which read nothing about payments in texts and
-- store no format, import others until they are replaced: each of these imports enqueues the job itself.
SET lock_timeout = '3s';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION read_payments_of_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (kind, queue, args, account_id)
  VALUES ('read_payments', 'statements', json_build_object('account_id', NEW.account_id, 'bank_statement_id', NEW.id),
    NEW.account_id);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER read_payments_of_earlier AFTER UPDATE OF event_status ON bank_statements FOR EACH ROW
  WHEN (NEW.event_status = 'success' AND NEW.file_format IS NULL AND NEW.imported_items_count > 0)
  EXECUTE FUNCTION read_payments_of_import();
RESET lock_timeout;

-- The imports between 00078 and this one.
INSERT INTO jobs (kind, queue, args, account_id, due_at)
SELECT 'read_payments', 'statements', json_build_object('account_id', account_id, 'bank_statement_id', id), account_id,
  now() + row_number() OVER (ORDER BY id DESC) * interval '100 milliseconds'
FROM bank_statements b
WHERE deleted_at IS NULL AND file_format IS NULL AND event_finished_at > (
    SELECT max(tstamp) - interval '1 day' FROM goose_db_version WHERE version_id = 78)
  AND EXISTS (SELECT FROM financial_transactions t WHERE t.account_id = b.account_id AND t.bank_statement_id = b.id);
