-- +goose Up
-- One statement keeps the texts of all sales that a statement inserts: batches and imports called a function for each.
-- +goose StatementBegin
CREATE FUNCTION keep_texts_of_new_sales() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
  SELECT account_id, entity_id, id, fold(description), fold(observation) FROM created
  WHERE description IS NOT NULL OR observation IS NOT NULL
  ON CONFLICT (account_id, entity_id, sale_id) DO UPDATE
  SET description = EXCLUDED.description, observation = EXCLUDED.observation;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER sale_texts_of_new AFTER INSERT ON sales REFERENCING NEW TABLE AS created FOR EACH STATEMENT
  EXECUTE FUNCTION keep_texts_of_new_sales();
