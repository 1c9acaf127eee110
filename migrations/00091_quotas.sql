-- +goose NO TRANSACTION
-- +goose Up
-- The quotas of an account that an operator has set; NULL, or no row, is the default (finance.DefaultQuotas). The
-- lookup of a token reads the row.
SET lock_timeout = '3s';
CREATE TABLE IF NOT EXISTS account_quotas (
  account_id          bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  requests_per_minute bigint CHECK (requests_per_minute >= 1),
  held_requests       bigint CHECK (held_requests >= 1),
  exports             bigint CHECK (exports >= 0),
  running_imports     bigint CHECK (running_imports >= 1),
  file_bytes          bigint CHECK (file_bytes >= 0),
  statement_rows      bigint CHECK (statement_rows >= 0),
  webhooks            bigint CHECK (webhooks >= 0),
  updated_at          timestamptz NOT NULL DEFAULT now()
);

-- What an account keeps is the sum of its rows. Each transaction that adds or removes files adds a row with the
-- difference: a row that all of them update would make them wait for each other, and deadlock. The scheduler replaces
-- the rows of an account by their sum (decision 0049).
CREATE TABLE IF NOT EXISTS account_usage (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id     bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  file_bytes     bigint NOT NULL,
  statement_rows bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS account_usage_account ON account_usage (account_id, id) INCLUDE (file_bytes, statement_rows);

-- Triggers maintain them, not our statements: the previous release, which may still serve, does not write them, and
-- files are removed in many ways. The rows of a statement are the items that are stored for it, imported and ignored;
-- an import that ends sets their number, and a statement outlasts its items.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION add_statement_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  bytes bigint := 0;
  items bigint := 0;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    bytes := -OLD.file_file_size;
    items := -coalesce(OLD.items_count, OLD.imported_items_count);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    bytes := bytes + NEW.file_file_size;
    items := items + coalesce(NEW.items_count, NEW.imported_items_count);
  END IF;
  IF bytes <> 0 OR items <> 0 THEN
    INSERT INTO account_usage (account_id, file_bytes, statement_rows)
    VALUES (CASE TG_OP WHEN 'INSERT' THEN NEW.account_id ELSE OLD.account_id END, bytes, items);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER usage_of_statement
  AFTER INSERT OR DELETE OR UPDATE OF file_file_size, items_count, imported_items_count ON bank_statements
  FOR EACH ROW EXECUTE FUNCTION add_statement_usage();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION add_attachment_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_usage (account_id, file_bytes, statement_rows)
  SELECT account_id, CASE TG_OP WHEN 'DELETE' THEN -sum(attachment_file_size) ELSE sum(attachment_file_size) END, 0
  FROM changed GROUP BY account_id HAVING sum(attachment_file_size) <> 0;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER usage_of_new_attachments AFTER INSERT ON attachments
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_attachment_usage();
CREATE OR REPLACE TRIGGER usage_of_removed_attachments AFTER DELETE ON attachments
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_attachment_usage();
RESET lock_timeout;

-- What was kept before. The statement has one snapshot, and each difference commits with its file, so that no file
-- that comes or goes meanwhile is missed or counted twice. Run again, it adds nothing.
INSERT INTO account_usage (account_id, file_bytes, statement_rows)
SELECT account_id, sum(bytes), sum(items) FROM (
  SELECT account_id, file_file_size AS bytes, coalesce(items_count, imported_items_count) AS items FROM bank_statements
  UNION ALL SELECT account_id, attachment_file_size, 0 FROM attachments
  UNION ALL SELECT account_id, -file_bytes, -statement_rows FROM account_usage
) kept GROUP BY account_id HAVING sum(bytes) <> 0 OR sum(items) <> 0;
