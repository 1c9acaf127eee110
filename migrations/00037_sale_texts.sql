-- +goose Up
-- The texts of sales that are searched, as fold() makes them. They are apart from
-- the sales because their index has dozens of entries for each text: in sales, every
-- pricing would write them again.
CREATE EXTENSION IF NOT EXISTS pg_trgm; -- trusted: the owner of the database may create it
CREATE TABLE sale_texts (
  account_id  bigint NOT NULL,
  entity_id   bigint NOT NULL,
  sale_id     bigint NOT NULL, -- no foreign key: the triggers below remove the row with its sale
  description text,
  observation text,
  PRIMARY KEY (account_id, entity_id, sale_id)
);

-- Triggers maintain them, not our statements: a process of the previous release, which
-- may still be running, does not write them.
-- +goose StatementBegin
CREATE FUNCTION keep_sale_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
  VALUES (NEW.account_id, NEW.entity_id, NEW.id, fold(NEW.description), fold(NEW.observation))
  ON CONFLICT (account_id, entity_id, sale_id) DO UPDATE SET description = EXCLUDED.description, observation = EXCLUDED.observation;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER sale_texts_of_new AFTER INSERT ON sales FOR EACH ROW
  WHEN (NEW.description IS NOT NULL OR NEW.observation IS NOT NULL) EXECUTE FUNCTION keep_sale_texts();
CREATE TRIGGER sale_texts_of_changed AFTER UPDATE OF description, observation ON sales FOR EACH ROW
  WHEN ((OLD.description, OLD.observation) IS DISTINCT FROM (NEW.description, NEW.observation)) EXECUTE FUNCTION keep_sale_texts();

-- +goose StatementBegin
CREATE FUNCTION remove_sale_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sale_texts t USING removed r
  WHERE t.account_id = r.account_id AND t.entity_id = r.entity_id AND t.sale_id = r.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER sale_texts_of_removed AFTER DELETE ON sales REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
  EXECUTE FUNCTION remove_sale_texts();
