-- +goose Up
-- A partition that began while the clock of PostgreSQL was ahead has a beginning in the future once the clock is set
-- back. No other one began until then and 30 days more, so that its changes were kept longer than they may be.
-- +goose StatementBegin
DO $do$
BEGIN
  -- begin_changes begins a new partition when the newest is older than the period. A partition that began in the future
  -- begins now. It is the owner's, so that processes that may not change the schema can call it. Twice is harmless.
  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION begin_changes(period interval) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %1$I, pg_temp SET lock_timeout = '1s' AS $$
    DECLARE
      newest change_parts;
    BEGIN
      SELECT * INTO newest FROM change_parts ORDER BY number DESC LIMIT 1 FOR UPDATE;
      UPDATE change_parts SET began_at = now() WHERE began_at > now();
      IF newest.began_at < now() - period THEN
        EXECUTE format('CREATE TABLE changes_%%s (LIKE changes INCLUDING ALL)', newest.number + 1);
        EXECUTE format('ALTER TABLE changes ATTACH PARTITION changes_%%s FOR VALUES IN (%%s)', newest.number + 1, newest.number + 1);
        INSERT INTO change_parts (number) VALUES (newest.number + 1);
      END IF;
    END $$
  $create$, current_schema());
END $do$;
-- +goose StatementEnd
