-- +goose Up
-- A statement that inserts sales keeps their texts by one statement more; the trigger called a function for each sale.
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
