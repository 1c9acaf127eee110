-- +goose NO TRANSACTION
-- +goose Up
-- The texts of the sales that were there before, in transactions of 10,000 sales, and
-- their index. What failed half-way begins again.
-- +goose StatementBegin
DO $$
DECLARE
  account bigint := 0;
  after   bigint := 0;
BEGIN
  LOOP
    -- The lock keeps a sale from being removed before its texts are written. Texts that
    -- are there already were written by a trigger, and are newer.
    WITH old AS MATERIALIZED (
      SELECT account_id, entity_id, id, description, observation FROM sales
      WHERE (account_id, id) > (account, after) ORDER BY account_id, id LIMIT 10000 FOR KEY SHARE),
    kept AS (
      INSERT INTO sale_texts (account_id, entity_id, sale_id, description, observation)
      SELECT account_id, entity_id, id, fold(description), fold(observation) FROM old
      WHERE description IS NOT NULL OR observation IS NOT NULL
      ON CONFLICT DO NOTHING)
    SELECT account_id, id INTO account, after FROM old ORDER BY account_id DESC, id DESC LIMIT 1;
    EXIT WHEN account IS NULL;
    COMMIT;
  END LOOP;
END $$;
-- +goose StatementEnd
-- Short lists of what is to be put in the index: each search reads the whole list.
DROP INDEX CONCURRENTLY IF EXISTS sale_texts_trigrams;
CREATE INDEX CONCURRENTLY sale_texts_trigrams ON sale_texts USING gin (description gin_trgm_ops, observation gin_trgm_ops)
  WITH (gin_pending_list_limit = 256);
ANALYZE sale_texts;
