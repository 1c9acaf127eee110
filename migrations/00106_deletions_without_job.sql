-- +goose Up
-- The progress of a deletion went with its record only. If another deletion, as that of its entity, had removed the
-- record, it stayed, and the monitor showed it for ever.
DELETE FROM deletions d
WHERE NOT EXISTS (
  SELECT FROM jobs j WHERE j.kind = 'delete_cascade' AND j.account_id = d.account_id
    AND j.args::json->>'root' = d.root AND (j.args::json->>'id')::bigint = d.record_id);
