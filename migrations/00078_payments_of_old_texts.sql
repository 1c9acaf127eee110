-- +goose Up
-- The statements that were imported before 00076: their texts are read by jobs, ten a second, so that new statements
-- do not wait behind them.
INSERT INTO jobs (kind, queue, args, account_id, due_at)
SELECT 'read_payments', 'statements', json_build_object('account_id', account_id, 'bank_statement_id', id), account_id,
  now() + row_number() OVER (ORDER BY id DESC) * interval '100 milliseconds'
FROM bank_statements b
WHERE deleted_at IS NULL AND EXISTS (SELECT FROM financial_transactions t WHERE t.bank_statement_id = b.id);
