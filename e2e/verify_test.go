package e2e

import (
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
)

func TestVerifyFindsWhatDoesNotAgree(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	s.Import(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
	s.NewDepositAccount(t, "")
	s.Settled()
	for damage, want := range map[string]string{
		`UPDATE deposit_accounts SET transactions_sum = transactions_sum + 0.01 WHERE id = 1`:               "deposit account 1 keeps",
		`UPDATE deposit_accounts SET last_transaction_date = last_transaction_date + 1`:                     "deposit account 1 keeps",
		`DELETE FROM financial_transactions WHERE id = 1`:                                                   "deposit account 1 keeps",
		`DELETE FROM imported_items WHERE ordinal = 1`:                                                      "statement 1, success, says that it imported 10 items; 0 are remembered",
		`UPDATE bank_statements SET imported_items_count = 9`:                                               "statement 1, success, says that it imported 9",
		`UPDATE bank_statements SET event_status = 'queued', event_finished_at = NULL`:                      "statement 1 is queued with 0 jobs",
		`UPDATE bank_statements SET event_finished_at = NULL`:                                               "statement 1 is success with 0 jobs, ended at ",
		`INSERT INTO jobs (kind, queue, args) VALUES ('import_statement', 'x', '{"bank_statement_id": 1}')`: "statement 1 is success with 1 jobs",
		`UPDATE financial_transactions SET deposit_account_id = 2 WHERE id = 1`:                             "transaction 1 of deposit account 2 is from statement 1",
	} {
		tx, err := s.DB.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(damage); err != nil {
			t.Fatal(err)
		}
		problems, err := e2etest.Verify(t.Context(), tx)
		if err != nil || !strings.Contains(strings.Join(problems, "\n"), want) {
			t.Errorf("after %s it says %q, %v", damage, problems, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}
