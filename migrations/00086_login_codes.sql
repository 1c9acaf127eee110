-- +goose NO TRANSACTION
-- +goose Up
-- A migration may wait 3 s for a table; what failed half-way begins again.
SET lock_timeout = '3s';
-- Codes that log a member of an account in, once. A member that is removed takes them along.
CREATE TABLE IF NOT EXISTS login_codes (
  sha256             bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
  account_id         bigint NOT NULL,
  user_id            bigint NOT NULL,
  expires_at         timestamptz NOT NULL,
  session_expires_at timestamptz, -- the latest end of the session; null: 12 hours after the code is redeemed
  FOREIGN KEY (account_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS login_codes_membership ON login_codes (account_id, user_id);

-- A token has a name, may be barred from some of its user's accounts, and ends with the token that it is a session
-- of. Processes of the release before ignore all three, and need the cascade to delete an account.
ALTER TABLE tokens
  ADD COLUMN IF NOT EXISTS name            text,
  ADD COLUMN IF NOT EXISTS barred_accounts bigint[] NOT NULL DEFAULT '{}', -- of a token for every account
  ADD COLUMN IF NOT EXISTS session_of      bigint REFERENCES tokens (id) ON DELETE CASCADE,
  ADD COLUMN IF NOT EXISTS makes_until     timestamptz; -- of a session: the latest end of what it makes
-- A member who may only read. Processes of the release before let it write.
ALTER TABLE memberships
  ADD COLUMN IF NOT EXISTS read_only boolean NOT NULL DEFAULT false
    CONSTRAINT memberships_read_only CHECK (NOT (administrator AND read_only));
RESET lock_timeout;
DROP INDEX CONCURRENTLY IF EXISTS tokens_session_of;
CREATE INDEX CONCURRENTLY tokens_session_of ON tokens (session_of) WHERE session_of IS NOT NULL;
