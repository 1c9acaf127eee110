-- +goose Up
-- A day without a run of the scheduler leaves the partition of that day filled, and its turn comes ten days later.
-- +goose StatementBegin
DO $do$
BEGIN
  -- empty_finished_jobs removes the finished jobs of eight days ago and before, and reports whether there were any. It
  -- empties the partition of the day after tomorrow, which has those of eight days ago. Two days are apart from each
  -- write, so it meets no writer, whatever a clock says. Of days that the scheduler missed it deletes the rows: their
  -- partition is, or will soon be, written again. The DELETE comes first, so that nobody waits for the end of the
  -- TRUNCATE meanwhile. Without such days it reads little more than the index of the time. It is the owner's, so that
  -- processes that may not truncate can call it. Twice is harmless.
  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION empty_finished_jobs() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %I, pg_temp SET lock_timeout = '1s' AS $$
    DECLARE
      turn smallint := (extract(epoch FROM now())::bigint / 86400 + 2) %% 10;
      oldest text := 'finished_jobs_' || turn;
      missed boolean;
      filled boolean;
    BEGIN
      DELETE FROM finished_jobs
      WHERE part <> turn AND ended_at < date_trunc('day', now(), 'UTC') - interval '7 days';
      missed := FOUND;
      EXECUTE format('SELECT EXISTS (SELECT FROM %%I)', oldest) INTO filled;
      IF filled THEN
        EXECUTE format('TRUNCATE %%I', oldest);
      END IF;
      RETURN missed OR filled;
    END $$
  $create$, current_schema());
END $do$;
-- +goose StatementEnd
