package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
)

// If GET does not show a record, every verb on it and below it answers alike and changes nothing.
func TestBelowWhatIsHiddenEveryVerbIsRefusedAlike(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]func(*testing.T, *service, records) (token string){
		"an entity that the member may not see": func(t *testing.T, s *service, _ records) string {
			return s.member(t, finance.Access{EntityIDs: []int64{s.anotherEntity(t).ID}})
		},
		"families that are denied": func(t *testing.T, s *service, _ records) string {
			return s.member(t, finance.Access{AllEntities: true,
				Denied: []string{"financial_transactions", "payable_accounts", "receivable_accounts", "credit_cards"}})
		},
		"parents that are deleted": func(t *testing.T, s *service, ids records) string {
			s.destroy(t, ids, "deposit_accounts/:deposit_account_id", "credit_cards/:credit_card_id",
				"/sale_accounts/:sale_account_id",
				"/categories/:category_id", "/custom_classifiers/:custom_classifier_id", "/webhooks/:webhook_id",
				"/people/:person_id", "/classification_centers/:classification_center_id")
			return s.Token
		},
		"parts that are deleted": func(t *testing.T, s *service, ids records) string {
			s.destroy(t, ids, "/bank_statements/:bank_statement_id",
				"/financial_transactions/:financial_transaction_id", "/payable_accounts/:payable_account_id",
				"/receivable_accounts/:receivable_account_id", "/attachments/:attachment_id",
				"/reconciles/:reconcile_id", "/rules/:sale_rule_id",
				"/sales/:sale_id", "/transactions/:credit_card_transaction_id", "/values/:custom_classifier_value_id")
			return s.Token
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			ids := s.records(t)
			token := hide(t, s, ids)
			refused := s.refused(t, ids, token)
			before, files, verbs := s.tables(t), len(s.storedFiles(t)), map[string]bool{}
			for _, r := range api.Routes() {
				above, status := outermost(refused, r.Path)
				if status == 0 {
					continue
				}
				verbs[r.Method] = true
				if r.Method == "DELETE" && r.Path == "/entities/:entity_id" {
					status = http.StatusForbidden // only administrators may delete any entity
				}
				if a := s.call(t, r.Method, ids.path(r), as(token), valid(t, r)); a.status != status {
					t.Errorf("%s %s: %d, but GET %s is %d: %s", r.Method, r.Path, a.status, above, status, a.body)
				}
			}
			equal(t, verbs, map[string]bool{"GET": true, "POST": true, "PUT": true, "DELETE": true})
			equal(t, s.tables(t), before)
			equal(t, len(s.storedFiles(t)), files)
		})
	}
}

// The financial accounts of a deleted card or sale account are missing for every request about one of
// them, although the job has still to remove them: what it accepted would be lost.
func TestAnAccountThatGoesWithItsOwnerIsMissing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":10,"occurred_at":"2026-03-01"`)
	acquirer := s.newSaleAccount(t, `"consolidate":false`)
	s.newSaleRule(t, acquirer, `"payment_method":"pix","fee_percentage":0,"days_to_liquidation":1`)
	s.newSale(t, acquirer, `"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-14"`)
	s.price(t, lastID(acquirer))
	for _, c := range []struct{ owner, account, settle, undo, move string }{
		{card, s.payableOf(t, card, "2026-03"), "/pay", "/undo_payment", finance.Debit},
		{acquirer, paths.FinancialAccount(s.EntityID, "receivable", query[int64](t, s, `SELECT financial_account_id
			FROM sales`)), "/receive", "/undo_receivement", finance.Credit},
	} {
		root := strings.TrimSuffix(strings.Split(c.account, "/")[3], "s")
		id := lastID(c.account)
		with := lastID(s.newTransaction(t, below, c.move, "10", "2026-03-15"))
		s.call(t, "GET", c.account).want(t, 200)
		equal(t, len(s.suggestions(t, below)), 1)
		if a := s.call(t, "DELETE", c.owner); a.status >= 300 {
			t.Fatal(a)
		}
		before := s.tables(t)
		for _, r := range []struct{ method, path string }{
			{"GET", ""}, {"PUT", ""}, {"DELETE", ""}, {"PUT", c.settle}, {"PUT", c.undo}, {"DELETE", "/recurrence"},
		} {
			sent := document(fmt.Sprintf(`{%q:{"description":"a","total_amount":10,"occurred_at":"2026-03-15"}}`, root))
			if a := s.call(t, r.method, c.account+r.path, sent); a.status != 404 {
				t.Errorf("%s %s: %d %s", r.method, c.account+r.path, a.status, a.body)
			}
		}
		none := fmt.Sprintf(`["não existe: %d"]`, id)
		s.call(t, "DELETE", fmt.Sprintf("%s?selected_ids=%d", c.account[:strings.LastIndex(c.account, "/")], id)).
			wantBody(t, 422, `{"selected_ids":`+none+`}`)
		one := fmt.Sprintf(`{"selected_financial_account_ids":[%d],"selected_financial_transaction_ids":[%d],`+
			`"settle_open":true}`, id, with)
		s.call(t, "POST", paths.Reconciles(s.EntityID), document(one)).wantBody(t, 422,
			`{"selected_financial_account_ids":`+none+`}`)
		s.call(t, "POST", paths.Attachments(s.EntityID), parts(attachment("nota.pdf", "application/pdf", pdf),
			text("attachment[associated_financial_account_ids][]", fmt.Sprint(id)))).wantBody(t, 422,
			`{"associated_financial_account_ids":`+none+`}`)
		equal(t, len(s.suggestions(t, below)), 0)
		equal(t, s.tables(t), before)
	}
}

// destroy deletes the records of the routes with these suffixes.
func (s *service) destroy(t *testing.T, ids records, ends ...string) {
	t.Helper()
	for _, end := range ends {
		for _, r := range api.Routes() {
			if r.Method != "DELETE" || !strings.HasSuffix(r.Path, end) {
				continue
			}
			if a := s.call(t, "DELETE", ids.path(r)); a.status >= 300 {
				t.Fatal(a)
			}
		}
	}
}

// refused returns the routes whose GET answers the token with 404 or 403, with that status.
func (s *service) refused(t *testing.T, ids records, token string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, r := range api.Routes() {
		if r.Method != "GET" || strings.HasSuffix(r.Path, "/deletion") { // no deletion is pending
			continue
		}
		if a := s.call(t, "GET", ids.path(r), as(token)); a.status == http.StatusNotFound ||
			a.status == http.StatusForbidden {
			found[r.Path] = a.status
		}
	}
	return found
}

// outermost returns the shortest refused path that equals the path or is above it, and its
// status, or 0.
func outermost(refused map[string]int, path string) (string, int) {
	for i := 1; i <= len(path); i++ {
		if status := refused[path[:i]]; status != 0 && (i == len(path) || path[i] == '/') {
			return path[:i], status
		}
	}
	return "", 0
}

// tables returns a hash of the rows of each table except tokens, which store their last use.
func (s *service) tables(t *testing.T) map[string]string {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(), `
		SELECT tablename, (xpath('//h/text()', query_to_xml(format(
			'SELECT md5(coalesce(string_agg(t::text, '','' ORDER BY t::text), '''')) AS h FROM %I t', tablename), true,
				false, '')))[1]::text
		FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'tokens'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	hashes := map[string]string{}
	for rows.Next() {
		var table, hash string
		if err := rows.Scan(&table, &hash); err != nil {
			t.Fatal(err)
		}
		hashes[table] = hash
	}
	if rows.Err() != nil || len(hashes) == 0 {
		t.Fatal(rows.Err())
	}
	return hashes
}
