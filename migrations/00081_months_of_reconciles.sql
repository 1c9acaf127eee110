-- +goose NO TRANSACTION
-- +goose Up
-- The month of all transactions of a reconcile, which no transaction leaves while it is reconciled: income statements by
-- cash then read no transactions. Null if they are of several months, or if the release before, which does not know the
-- column, made the reconcile: such a statement reads the transactions. A migration may wait 3 s for the table; what
-- failed half-way begins again.
SET lock_timeout = '3s';
ALTER TABLE reconciles ADD COLUMN IF NOT EXISTS month date;
RESET lock_timeout;

-- +goose StatementBegin
DO $$
DECLARE
  past reconciles%ROWTYPE;
BEGIN
  past.account_id := 0;
  past.id := 0;
  LOOP
    WITH page AS (
      SELECT account_id, id FROM reconciles WHERE (account_id, id) > (past.account_id, past.id)
      ORDER BY account_id, id LIMIT 10000
    ), filled AS (
      UPDATE reconciles r SET month = m.first
      FROM page p CROSS JOIN LATERAL (
        SELECT date_trunc('month', min(occurred_at)) AS first, date_trunc('month', max(occurred_at)) AS last
        FROM financial_transactions WHERE account_id = p.account_id AND reconcile_id = p.id) m
      WHERE r.account_id = p.account_id AND r.id = p.id AND r.month IS NULL AND m.first = m.last
    )
    SELECT account_id, id INTO past.account_id, past.id FROM page ORDER BY account_id DESC, id DESC LIMIT 1;
    EXIT WHEN NOT FOUND;
    COMMIT;
  END LOOP;
END $$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS reconciles_month;
CREATE INDEX CONCURRENTLY reconciles_month ON reconciles (account_id, entity_id, month) INCLUDE (id);
