-- Prepares a database of the pool, and the session that empties it between two tests. Functions and copies of rows
-- are temporary, so that tests do not see them.

-- storagetest.ddl has a row after a change of the schema, temporary tables excepted.
CREATE SCHEMA storagetest;
CREATE TABLE storagetest.ddl (command text);
CREATE FUNCTION storagetest.note() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO storagetest.ddl SELECT command_tag FROM pg_event_trigger_ddl_commands()
  WHERE schema_name IS DISTINCT FROM 'pg_temp';
END $$;
CREATE FUNCTION storagetest.note_drop() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO storagetest.ddl SELECT tg_tag FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary;
END $$;
CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION storagetest.note();
CREATE EVENT TRIGGER note_drop ON sql_drop EXECUTE FUNCTION storagetest.note_drop();

-- Neither triggers nor foreign keys for this session: the order of the tables does not matter.
SET session_replication_role = replica;

-- analyzed() returns a number that ANALYZE and VACUUM change: with statistics, the plans of another test would differ.
CREATE FUNCTION pg_temp.analyzed() RETURNS bigint STABLE LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE reltuples >= 0) + sum(relpages) FROM pg_class WHERE relpersistence <> 't'
$$;

-- empty(sessions) empties the tables, except for the rows of migrations, and resets the sequences. It returns why the
-- database cannot be used again, or an empty text. DELETE takes less time than TRUNCATE, after which each session
-- reads the catalog again.
DO $do$
DECLARE
  emptying text := '';
  name text;
  filled boolean;
BEGIN
  FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
    emptying := emptying || format(E'DELETE FROM %s;\n', name);
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO filled;
    IF filled THEN
      EXECUTE format('CREATE TEMP TABLE migrated_%s AS TABLE %1$s', name);
      emptying := emptying || format(E'INSERT INTO %s OVERRIDING SYSTEM VALUE TABLE pg_temp.migrated_%1$s;\n', name);
    END IF;
  END LOOP;
  SELECT emptying || string_agg(format(E'PERFORM setval(%L, %s, %L);\n', sequencename,
    coalesce(last_value, start_value), last_value IS NOT NULL), '') INTO emptying
  FROM pg_sequences WHERE schemaname = 'public';

  EXECUTE format($create$
    CREATE FUNCTION pg_temp.empty(sessions int) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      others int;
      busy int;
    BEGIN
      FOR i IN 1..100 LOOP -- a session ends some milliseconds after the end of its connection
        SELECT count(*), count(*) FILTER (WHERE state <> 'idle') INTO others, busy FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
        EXIT WHEN others <= sessions AND busy = 0;
        PERFORM pg_sleep(0.005), pg_stat_clear_snapshot();
      END LOOP;
      IF others > sessions THEN
        RETURN 'a session remains';
      ELSIF busy > 0 THEN
        RETURN 'a session is busy';
      ELSIF EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
          WHERE locktype = 'advisory' AND datname = current_database()) THEN
        RETURN 'a session has an advisory lock';
      ELSIF EXISTS (SELECT FROM storagetest.ddl) THEN
        RETURN 'its schema has changed';
      ELSIF pg_temp.analyzed() <> %s THEN
        RETURN 'it has statistics';
      ELSIF EXISTS (SELECT FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
          WHERE datname = current_database()) THEN
        RETURN 'it has settings';
      ELSIF (SELECT sum(pg_relation_size(oid)) FROM pg_class
          WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) > 2 << 20 THEN
        RETURN 'it has grown';
      END IF;
      %s
      RETURN '';
    END $$
  $create$, pg_temp.analyzed(), emptying);
END $do$;
