-- +goose NO TRANSACTION
-- +goose Up
-- The history of jobs (decision 0050). The claim of a job keeps when it fell due and began for the first time, and when
-- the current run began; null until an updated process claims it. A migration may wait 3 s for the table; what failed
-- half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE jobs
  ADD COLUMN IF NOT EXISTS first_due_at timestamptz,
  ADD COLUMN IF NOT EXISTS started_at   timestamptz,
  ADD COLUMN IF NOT EXISTS claimed_at   timestamptz;

-- A row for each run that finished or failed for good. Each day of UTC has one of ten partitions in turn: eight hold
-- the last seven days and today, one is empty for tomorrow, and the last is emptied (empty_finished_jobs). So a
-- partition for the next row always exists, and nothing is deleted row by row. Foreign keys are missing on purpose:
-- a row stays after its account, and has ids and an error, but no content of a record.
CREATE TABLE IF NOT EXISTS finished_jobs (
  part         smallint NOT NULL DEFAULT extract(epoch FROM now())::bigint / 86400 % 10,
  attempts     smallint NOT NULL, -- since the job last made progress
  jobs         int NOT NULL,      -- coalesced into the run
  id           bigint NOT NULL,   -- of the newest of them
  account_id   bigint,
  record_id    bigint,            -- what the kind is about
  created_at   timestamptz NOT NULL,
  first_due_at timestamptz,
  started_at   timestamptz,       -- the first run
  claimed_at   timestamptz,       -- the last run
  ended_at     timestamptz NOT NULL DEFAULT now(),
  kind         text NOT NULL,
  queue        text NOT NULL,
  result       text NOT NULL CHECK (result IN ('done', 'failed')),
  request_id   text,
  error        text               -- of the last attempt that failed
) PARTITION BY LIST (part);
CREATE INDEX IF NOT EXISTS finished_jobs_account ON finished_jobs (account_id, ended_at);
CREATE INDEX IF NOT EXISTS finished_jobs_record ON finished_jobs (account_id, record_id, ended_at)
  WHERE record_id IS NOT NULL;
-- For the last hour of all accounts. Rows are in the order of time, so the index is small and seldom written.
CREATE INDEX IF NOT EXISTS finished_jobs_time ON finished_jobs USING brin (ended_at) WITH (pages_per_range = 16);
-- +goose StatementBegin
DO $do$
BEGIN
  FOR n IN 0..9 LOOP
    EXECUTE format('CREATE TABLE IF NOT EXISTS finished_jobs_%s PARTITION OF finished_jobs FOR VALUES IN (%s)', n, n);
  END LOOP;

  -- empty_finished_jobs empties the partition of the day after tomorrow, which has the rows of eight days ago, and
  -- reports whether it had any. Two days are apart from each write, so it meets no writer, whatever a clock says. It is
  -- the owner's, so that processes that may not truncate can call it. Twice is harmless.
  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION empty_finished_jobs() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %I, pg_temp SET lock_timeout = '1s' AS $$
    DECLARE
      oldest text := 'finished_jobs_' || (extract(epoch FROM now())::bigint / 86400 + 2) %% 10;
      filled boolean;
    BEGIN
      EXECUTE format('SELECT EXISTS (SELECT FROM %%I)', oldest) INTO filled;
      IF filled THEN
        EXECUTE format('TRUNCATE %%I', oldest);
      END IF;
      RETURN filled;
    END $$
  $create$, current_schema());
END $do$;
-- +goose StatementEnd
RESET lock_timeout;

-- The attempts of the last hour, for the slowest endpoints: each insert appends to the index, and the end of an attempt
-- changes no indexed column.
DROP INDEX CONCURRENTLY IF EXISTS delivery_attempts_started;
CREATE INDEX CONCURRENTLY delivery_attempts_started ON delivery_attempts (started_at);
