package e2e

import (
	"net/http"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// kill -9 of a worker that does five things at once: it reads a preview, and a file that was confirmed; it has
// written another one of each, and committed nothing; and it looks whether a proof has turned. And of the
// API, in a confirmation that its client sends again. Each happens once.
func TestWhatIsKilledInAPhaseOfAPreviewHappensOnce(t *testing.T) {
	t.Parallel()
	const few = 200
	s := e2etest.New(t, short)
	api, worker := s.Start("api").Ready(), s.Worker()
	file := statementtest.OFX(few)
	preview := func() e2etest.Statement {
		t.Helper()
		b, err := s.Preview(s.NewDepositAccount(t, ""), file)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	confirm := func(b e2etest.Statement) (status int, err error) {
		answer, err := s.Do(http.MethodPost, paths.BankStatement(s.Entity, b.DepositAccountID, b.ID)+"/confirm", "",
			nil)
		return answer.Status, err
	}
	wantConfirm := func(b e2etest.Statement, want int) {
		t.Helper()
		if status, err := confirm(b); err != nil || status != want {
			t.Errorf("a confirmation is answered with %d, %v, not %d", status, err, want)
		}
	}
	ready := func() e2etest.Statement { return s.AwaitEnd(t, preview()) }
	importRead, importWritten, unanswered, lost := ready(), ready(), ready(), ready()
	proven := s.Import(t, s.NewDepositAccount(t, ""), file)
	testkit.Eventually(t, "its balance is proven", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM balance_proofs WHERE deposit_account_id = $1)`,
			proven.DepositAccountID)
	})
	worker.Terminate()

	previewRead, previewWritten := preview(), preview()
	wantConfirm(importRead, http.StatusAccepted)
	wantConfirm(importWritten, http.StatusAccepted)
	half, whole := []*e2etest.Feed{s.Feed(previewRead.ID), s.Feed(importRead.ID)}, s.Feed(previewWritten.ID)
	err := s.Post(paths.FinancialTransactions(s.Entity, proven.DepositAccountID), map[string]any{
		"financial_transaction": map[string]any{
			"type": finance.Credit, "amount": "1.00", "occurred_at": "2025-01-02",
		}}, &struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	s.Start("scheduler").Ready() // it asks for the proofs of what has changed
	releases := []func(){
		s.Hold(`SELECT FROM balance_proofs WHERE deposit_account_id = $1 FOR UPDATE`, proven.DepositAccountID),
		s.LockBalance(importWritten.DepositAccountID).Release,
	}
	worker = s.Worker()
	for _, f := range append(half, whole) {
		f.Give(f.Half())
	}
	for _, b := range []e2etest.Statement{previewWritten, unanswered} {
		releases = append(releases, s.Hold(`SELECT FROM bank_statements WHERE id = $1 FOR NO KEY UPDATE`, b.ID))
	}
	whole.Finish()
	for _, text := range []string{"SELECT FROM balance_proofs", "UPDATE deposit_accounts", "UPDATE bank_statements"} {
		s.AwaitBlocked(text)
	}
	answered := make(chan error)
	go func() { // within the limit of its statements
		_, err := confirm(unanswered)
		answered <- err
	}()
	s.AwaitBlocked("SELECT b.id, b.account_id") // PostgreSQL shows the beginning of a statement
	for _, b := range []e2etest.Statement{previewRead, previewWritten, importRead, importWritten} {
		isInvisible(t, s, b)
	}
	worker.Kill()
	api.Kill()
	if err := <-answered; err == nil {
		t.Error("the confirmation was answered")
	}
	for _, f := range append(half, whole) {
		f.Restore()
	}
	for _, release := range releases {
		release()
	}

	s.Worker()
	proxy := s.Proxy()
	s.Start("api").Ready()
	wantConfirm(unanswered, http.StatusAccepted)
	proxy.LoseCommit(1)
	wantConfirm(lost, http.StatusServiceUnavailable)
	for _, b := range []e2etest.Statement{unanswered, lost} {
		wantConfirm(b, http.StatusUnprocessableEntity) // it is confirmed
	}
	s.Settled()
	ended := func(status string, balance finance.Amount, statements ...e2etest.Statement) {
		t.Helper()
		for _, b := range statements {
			b, has := s.Statement(t, b), s.Balance(t, b.DepositAccountID)
			if b.Event.Status != status || b.Counts != (e2etest.Counts{Imported: few}) || has != balance {
				t.Errorf("it ended as %+v, balance %s", b, has)
			}
		}
	}
	ended(finance.ImportPreviewed, 0, previewRead, previewWritten)
	ended(finance.ImportSuccess, statementtest.Total(few), importRead, importWritten, unanswered, lost)
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM previewed_items`); n != 2*few {
		t.Errorf("%d previewed items are left, not those of two previews", n)
	}
	// Of the import and of the proof that has turned.
	if n := e2etest.Value[int](t, s.DB, `
		SELECT count(*) FROM (SELECT family, action, record_ids FROM unsealed_changes UNION ALL SELECT family, action,
			record_ids FROM changes) c
		WHERE family = 'bank_statements' AND action = 'updated' AND record_ids = ARRAY[$1::bigint]`,
		proven.ID); n != 2 {
		t.Errorf("%d events of the statement whose proof has turned", n)
	}
}
