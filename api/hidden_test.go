package api_test

import (
	"net/http"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
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
			s.destroy(t, ids, "deposit_accounts/:deposit_account_id", "credit_cards/:credit_card_id", "/sale_accounts/:sale_account_id",
				"/categories/:category_id", "/custom_classifiers/:custom_classifier_id", "/webhooks/:webhook_id",
				"/people/:person_id", "/classification_centers/:classification_center_id")
			return s.Token
		},
		"parts that are deleted": func(t *testing.T, s *service, ids records) string {
			s.destroy(t, ids, "/bank_statements/:bank_statement_id", "/financial_transactions/:financial_transaction_id", "/payable_accounts/:payable_account_id",
				"/receivable_accounts/:receivable_account_id", "/attachments/:attachment_id", "/reconciles/:reconcile_id", "/rules/:sale_rule_id",
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
		if a := s.call(t, "GET", ids.path(r), as(token)); a.status == http.StatusNotFound || a.status == http.StatusForbidden {
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
			'SELECT md5(coalesce(string_agg(t::text, '','' ORDER BY t::text), '''')) AS h FROM %I t', tablename), true, false, '')))[1]::text
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
