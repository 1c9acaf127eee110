-- +goose Up
-- What is deleted is hidden at once, and goes with all below it in the background.
ALTER TABLE deposit_accounts ADD COLUMN deleted_at timestamptz;
ALTER TABLE credit_cards ADD COLUMN deleted_at timestamptz;

-- How far a deletion in the background has come: a row for each table that it
-- empties. No foreign key: nothing stands in the way of what goes.
CREATE TABLE deletions (
  account_id bigint NOT NULL,
  root       text NOT NULL,   -- the table of the record that goes
  record_id  bigint NOT NULL,
  kind       text NOT NULL,   -- a table
  place      int NOT NULL,    -- in the order in which they are emptied
  deleted    bigint NOT NULL DEFAULT 0,
  estimated  bigint NOT NULL, -- rows that it had at the beginning
  started_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, root, record_id, kind)
) WITH (fillfactor = 50); -- each chunk changes a row

-- Attempts go with their delivery.
ALTER TABLE delivery_attempts
  DROP CONSTRAINT delivery_attempts_account_id_delivery_id_fkey,
  ADD CONSTRAINT delivery_attempts_delivery_fk FOREIGN KEY (account_id, delivery_id) REFERENCES deliveries (account_id, id) ON DELETE CASCADE;

-- What was deleted before is still referred to.
INSERT INTO jobs (kind, queue, args, account_id)
SELECT 'delete_cascade', 'deletions', json_build_object('account_id', account_id, 'root', root, 'id', id), account_id
FROM (
  SELECT account_id, 'people' AS root, id FROM people WHERE deleted_at IS NOT NULL
  UNION ALL SELECT account_id, 'classification_centers', id FROM classification_centers WHERE deleted_at IS NOT NULL
  UNION ALL SELECT account_id, 'custom_classifiers', id FROM custom_classifiers WHERE deleted_at IS NOT NULL
  UNION ALL SELECT v.account_id, 'custom_classifier_values', v.id
    FROM custom_classifier_values v JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
    WHERE v.deleted_at IS NOT NULL AND k.deleted_at IS NULL
  UNION ALL SELECT c.account_id, 'categories', c.id
    FROM categories c LEFT JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
    WHERE c.deleted_at IS NOT NULL AND p.deleted_at IS NULL) gone;
