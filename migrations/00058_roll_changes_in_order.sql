-- +goose Up
-- The sealer locks changes before change_heads. roll_changes locked them the other way around, so
-- that one of the two failed, and with a large month it was roll_changes, each time, with the new
-- partition in the same transaction. It is two functions now, each for a transaction of its own. The
-- release before calls roll_changes.

-- begin_changes begins a new partition when the newest is older than the period. It is the owner's,
-- so that processes that may not change the schema can call it. Twice is harmless.
-- +goose StatementBegin
DO $do$
BEGIN
  EXECUTE format($create$
    CREATE FUNCTION begin_changes(period interval) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %1$I, pg_temp SET lock_timeout = '1s' AS $$
    DECLARE
      newest change_parts;
    BEGIN
      SELECT * INTO newest FROM change_parts ORDER BY number DESC LIMIT 1 FOR UPDATE;
      IF newest.began_at < now() - period THEN
        EXECUTE format('CREATE TABLE changes_%%s (LIKE changes INCLUDING ALL)', newest.number + 1);
        EXECUTE format('ALTER TABLE changes ATTACH PARTITION changes_%%s FOR VALUES IN (%%s)', newest.number + 1, newest.number + 1);
        INSERT INTO change_parts (number) VALUES (newest.number + 1);
      END IF;
    END $$
  $create$, current_schema());

  -- drop_changes drops the oldest partition if its last change is older than what is kept, at least
  -- 90 days, and reports whether it did. It reads it before it locks changes: a month is long.
  EXECUTE format($create$
    CREATE FUNCTION drop_changes(kept interval) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %1$I, pg_temp SET lock_timeout = '1s' AS $$
    DECLARE
      old int;
      accounts bigint[];
      sequences bigint[];
      hashes bytea[];
    BEGIN
      PERFORM FROM change_parts ORDER BY number DESC LIMIT 1 FOR UPDATE;
      SELECT number INTO old FROM (SELECT number, lead(began_at) OVER (ORDER BY number) AS ended_at FROM change_parts) p
      WHERE ended_at < now() - greatest(kept, interval '90 days') ORDER BY number LIMIT 1;
      IF old IS NULL THEN
        RETURN false;
      END IF;
      SELECT array_agg(account_id), array_agg(sequence), array_agg(hash) INTO accounts, sequences, hashes FROM (
        SELECT DISTINCT ON (account_id) account_id, sequence, hash FROM changes WHERE part = old ORDER BY account_id, sequence DESC) l;
      LOCK TABLE changes IN ACCESS EXCLUSIVE MODE;
      UPDATE change_heads h SET dropped = l.sequence, dropped_hash = l.hash
      FROM unnest(accounts, sequences, hashes) l (account_id, sequence, hash) WHERE l.account_id = h.account_id;
      EXECUTE format('DROP TABLE changes_%%s', old);
      DELETE FROM change_parts WHERE number = old;
      RETURN true;
    END $$
  $create$, current_schema());

  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION roll_changes(period interval, kept interval) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %1$I, pg_temp SET lock_timeout = '1s' AS $$
    BEGIN
      PERFORM begin_changes(period);
      WHILE drop_changes(kept) LOOP
      END LOOP;
    END $$
  $create$, current_schema());
END $do$;
-- +goose StatementEnd
