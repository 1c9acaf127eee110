-- +goose Up
-- The audit searches by user. What jobs do has none. Only the sealer writes to changes, and waits
-- while the index is built; each new partition has one too.
CREATE INDEX changes_user ON changes (account_id, user_id, sequence) WHERE user_id IS NOT NULL;
