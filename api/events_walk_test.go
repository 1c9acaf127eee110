package api_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/blobs"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/workers"
	"bordero/workers/runtime"
)

// harness is a service with the dependencies of its workers.
type harness struct {
	*service
	workers.Deps
	client *broker.Client
	log    *slog.Logger
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	h := &harness{log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))}
	var err error
	installation := func(ctx context.Context) (string, error) { return h.store.Installation(ctx) }
	if h.client, err = broker.Open(storagetest.RedisURL(t), installation, h.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.client.Close() })
	h.service = serve(t, storagetest.Open(t, url, storage.Options{Offer: h.client.Offer}))
	h.db = storagetest.DB(t, url)
	h.Tenant = storagetest.NewTenant(t, h.store)
	files, err := blobs.Open(t.Context(), "file://"+h.files)
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation(storagetest.Timezone)
	if err != nil {
		t.Fatal(err)
	}
	h.Deps = workers.Deps{Store: h.store, Files: files, Zone: time.UTC, Now: time.Now,
		StatementChanges: func(before, after *finance.BankStatement) string {
			return api.StatementChanges(zone, before, after)
		}}
	return h
}

// waiting selects the jobs other than deliveries.
const waiting = ` FROM jobs WHERE kind <> 'deliver_webhook'`

// work runs the workers of all queues that have jobs until they have none.
func (h *harness) work(t *testing.T) {
	t.Helper()
	for _, queue := range strings.Fields(
		query[string](t, h.service, `SELECT coalesce(string_agg(DISTINCT queue, ' '), '')`+waiting)) {
		h.start(t, queue)()
	}
	equal(t, query[int](t, h.service, `SELECT count(*)`+waiting), 0)
}

// start runs the workers of a queue until end is called and the queue has no jobs.
func (h *harness) start(t *testing.T, queue string) (end func()) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- runtime.Run(ctx, runtime.Config{
			Store: h.store, Client: h.client, Logger: h.log, Queue: queue, Table: workers.Kinds(h.Deps),
			Concurrency: 8, Lease: 15 * time.Second,
		})
	}()
	return func() {
		t.Helper()
		testkit.Eventually(t, "no jobs of the queue "+queue, func() bool {
			return query[int](t, h.service, `SELECT count(*)`+waiting+` AND queue = $1`, queue) == 0
		})
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// takeEvents returns the events since its last call, sorted and without duplicates.
func (s *service) takeEvents(t testing.TB) string {
	t.Helper()
	told := query[string](t, s, `SELECT coalesce(string_agg(DISTINCT family || '.' || action,
		' ' ORDER BY family || '.' || action), '') FROM deliveries`)
	s.exec(t, `DELETE FROM deliveries`)
	return told
}

// changedOnce fails for a record that a request, or its jobs, changed twice: a reader of the feed would
// see a state between the two that never was.
func (s *service) changedOnce(t *testing.T, by string) {
	t.Helper()
	twice := query[string](t, s, `
		SELECT coalesce(string_agg(concat(family, ' ', record, ': ', actions), ', '), '') FROM (
			SELECT family, record, string_agg(action, ' ' ORDER BY id) AS actions FROM unsealed_changes,
				unnest(record_ids) AS record
			GROUP BY family, record HAVING count(*) > 1) c`)
	if twice != "" {
		t.Errorf("%s: changed twice: %s", by, twice)
	}
	s.forgetChanges(t)
}

// The requests below and their jobs cause every event of every family, and no other events.
func TestEveryFamilyEmitsItsEvents(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "error") // its deliveries are held: nothing is sent
	const entity = "/entities/1"
	account, card, saleAccount := s.newDepositAccount(t), s.newCard(t, 5, 15), s.newSaleAccount(t, `"consolidate":true`)
	person, category, center := s.newPerson(t, `{"name":"Moinho"}`), s.newCategory(t, `{"name":"Trigo"}`),
		s.newCenter(t, s.EntityID, "Loja")
	// More sales of one day than follow their receivable account within a request.
	s.newSaleRule(t, saleAccount, `"payment_method":"credit","issuer":"Visa","fixed_fee_amount":1`)
	s.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, issuer, occurred_at,
		competency_month, nominal_amount, total_amount)
		SELECT $1, $2, $3, 'credit', 'Visa', '2026-03-01', '2026-03-01', 10, 10 FROM generate_series(1, 501)`,
		s.AccountID, s.EntityID, lastID(saleAccount))
	s.newSale(t, saleAccount,
		`"payment_method":"credit","issuer":"Visa","nominal_amount":10,"occurred_at":"2026-03-01"`)
	s.work(t)
	many := paths.FinancialAccount(s.EntityID, "receivable",
		query[int64](t, s.service, `SELECT id FROM financial_accounts`))
	reconcile := s.newReconcile(t, account)
	debit := s.newTransaction(t, account, finance.Debit, "7", "2026-03-04")
	credit := s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "7", "2026-03-06")
	const statement = "OFXHEADER:100\n<OFX><BANKTRANLIST><STMTTRN><DTPOSTED>20260104<TRNAMT>-5.00<FITID>1</STMTTRN></" +
		"BANKTRANLIST></OFX>"

	told, last := map[string]bool{}, ""
	for _, c := range []struct {
		method, path, sent string
		byRequest, byJobs  string
	}{
		{"POST", accountsPath, `{"deposit_account":{"name":"a","deposit_account_type_id":1}}`,
			"deposit_accounts.created", ""},
		{"PUT", account, `{"deposit_account":{"name":"b"}}`, "deposit_accounts.updated", ""},
		{"POST", account + "/financial_transactions", `{"financial_transaction":{"type":"Debit","amount":1,` +
			`"occurred_at":"2026-01-02"}}`, "financial_transactions.created", ""},
		{"PUT", "last", `{"financial_transaction":{"amount":2}}`, "financial_transactions.updated", ""},
		{"DELETE", "last", ``, "financial_transactions.destroyed", ""},
		{"POST", account + "/bank_statements", statement, "bank_statements.created",
			"bank_statements.updated financial_transactions.created"},
		{"DELETE", "last", ``, "bank_statements.destroyed", "financial_transactions.destroyed"},
		{"POST", account + "/bank_statements?preview=true", statement, "", ""},
		{"POST", "last/confirm", ``, "bank_statements.created",
			"bank_statements.updated financial_transactions.created"},
		{"DELETE", "last", ``, "bank_statements.destroyed", "financial_transactions.destroyed"},
		{"POST", account + "/bank_statements?preview=true", statement, "", ""},
		{"DELETE", "last", ``, "", ""},
		{"POST", entity + "/payable_accounts", `{"payable_account":{"due_date":"2026-03-04","amount":10}}`,
			"payable_accounts.created", ""},
		{"PUT", "last", `{"payable_account":{"amount":11}}`, "payable_accounts.updated", ""},
		{"DELETE", "last", ``, "payable_accounts.destroyed", ""},
		{"POST", entity + "/receivable_accounts", `{"receivable_account":{"due_date":"2026-03-04","amount":10}}`,
			"receivable_accounts.created", ""},
		{"PUT", "last", `{"receivable_account":{"amount":11}}`, "receivable_accounts.updated", ""},
		{"DELETE", "last", ``, "receivable_accounts.destroyed", ""},
		{"DELETE", fmt.Sprintf("%s/reconciles/%d", entity, reconcile), ``,
			"financial_transactions.updated payable_accounts.updated", ""},
		{"POST", entity + "/transfers",
			fmt.Sprintf(`{"transfer":{"debit_transaction_id":%d,"credit_transaction_id":%d}}`, lastID(debit),
				lastID(credit)), "financial_transactions.updated", ""},
		{"DELETE", "last", ``, "financial_transactions.updated", ""},
		{"POST", entity + "/transfers",
			fmt.Sprintf(`{"transfer":{"debit_transaction_id":%d,"credit_transaction_id":%d}}`, lastID(debit),
				lastID(credit)), "financial_transactions.updated", ""},
		{"DELETE", debit, ``, "financial_transactions.destroyed financial_transactions.updated", ""},
		{"POST", "/sale_accounts", `{"sale_account":{"entity_id":1,"name":"a","provider":"stone",` +
			`"payment_methods":"pix"}}`, "sale_accounts.created", ""},
		{"PUT", saleAccount, `{"sale_account":{"name":"b"}}`, "sale_accounts.updated", ""},
		{"POST", saleAccount + "/rules", `{"sale_rule":{"payment_method":"pix","fixed_fee_amount":1}}`,
			"sale_rules.created", ""},
		{"POST", entity + "/sales", `{"sale":{"sale_account_id":1,` + sold + `}}`, "sales.created",
			"receivable_accounts.created sales.updated"},
		{"PUT", "last", `{"sale":{"nominal_amount":200}}`, "sales.updated",
			"receivable_accounts.updated sales.updated"},
		{"PUT", "day/receive", `{"receivable_account":{"occurred_at":"2026-09-01","total_amount":199}}`,
			"receivable_accounts.updated sales.updated", ""},
		{"PUT", "day/undo_receivement", ``, "receivable_accounts.updated sales.updated", ""},
		{"PUT", "last", `{"sale":{"payment_method":"cash"}}`, "sales.updated",
			"receivable_accounts.destroyed sales.updated"},
		{"PUT", "last", `{"sale":{"payment_method":"pix"}}`, "sales.updated",
			"receivable_accounts.created sales.updated"},
		{"DELETE", "last", ``, "receivable_accounts.destroyed sales.destroyed", ""},
		{"PUT", saleAccount + "/rules/2", `{"sale_rule":{"fixed_fee_amount":2,"apply_rules":1}}`, "sale_rules.updated",
			""},
		{"DELETE", saleAccount + "/rules/2", ``, "sale_rules.destroyed", ""},
		{"PUT", saleAccount + "/rules/1", `{"sale_rule":{"fixed_fee_amount":2,"apply_rules":1}}`, "sale_rules.updated",
			"receivable_accounts.updated sales.updated"},
		{"PUT", many + "/receive", `{"receivable_account":{"occurred_at":"2026-09-01","total_amount":1}}`,
			"receivable_accounts.updated", "sales.updated"},
		{"POST", entity + "/credit_cards", `{"credit_card":{"name":"a","flag":"Visa","closing_day":5,` +
			`"expiration_day":15}}`, "credit_cards.created", ""},
		{"PUT", card, `{"credit_card":{"name":"b"}}`, "credit_cards.updated", ""},
		{"POST", card + "/transactions", `{"credit_card_transaction":{"amount":10,"occurred_at":"2026-03-04"}}`,
			"credit_card_transactions.created payable_accounts.created", ""},
		{"PUT", "last", `{"credit_card_transaction":{"amount":11}}`,
			"credit_card_transactions.updated payable_accounts.updated", ""},
		{"DELETE", "last", ``, "credit_card_transactions.destroyed payable_accounts.destroyed", ""},
		{"POST", entity + "/attachments", pdf, "attachments.created", ""},
		{"PUT", "last", `{"attachment":{"title":"a"}}`, "attachments.updated", ""},
		{"DELETE", "last", ``, "attachments.destroyed", ""},
		{"POST", "/people", `{"person":{"name":"a"}}`, "people.created", ""},
		{"PUT", person, `{"person":{"name":"b"}}`, "people.updated", ""},
		{"DELETE", person, ``, "people.destroyed", ""},
		{"POST", "/categories", `{"category":{"name":"a"}}`, "categories.created", ""},
		{"PUT", category, `{"category":{"name":"b"}}`, "categories.updated", ""},
		{"DELETE", category, ``, "categories.destroyed", ""},
		{"POST", "/classification_centers", `{"classification_center":{"entity_id":1,"name":"a"}}`,
			"classification_centers.created", ""},
		{"PUT", center, `{"classification_center":{"name":"b"}}`, "classification_centers.updated", ""},
		{"DELETE", center, ``, "classification_centers.destroyed", ""},
		// Other tests check the events of the records that these deletions remove.
		{"DELETE", card, ``, "credit_cards.destroyed", "*"},
		{"DELETE", "/sale_accounts/2", ``, "sale_accounts.destroyed", "*"},
		{"DELETE", account, ``, "deposit_accounts.destroyed", "*"},
	} {
		path := strings.Replace(c.path, "last", last, 1)
		if strings.HasPrefix(path, "day") {
			path = strings.Replace(path, "day", paths.FinancialAccount(s.EntityID, "receivable",
				query[int64](t, s.service, `SELECT max(id) FROM financial_accounts`)), 1)
		}
		if list, _, _ := strings.Cut(path, "?"); !routed(c.method, list) {
			continue
		}
		sent := document(c.sent)
		switch c.sent {
		case statement:
			sent = parts(file("a.ofx", statement))
		case pdf:
			sent = parts(attachment("a.pdf", "application/pdf", pdf))
		}
		s.takeEvents(t)
		s.forgetChanges(t)
		a := s.call(t, c.method, path, sent)
		if a.status >= 300 {
			t.Fatalf("%s: %d %s", a.request, a.status, a.body)
		}
		if c.method == "POST" {
			last = a.header.Get("Location")[len(publicURL):]
		}
		byRequest := s.takeEvents(t)
		s.changedOnce(t, a.request)
		s.work(t)
		byJobs := s.takeEvents(t)
		s.changedOnce(t, "the jobs of "+a.request)
		if byRequest != c.byRequest || byJobs != c.byJobs && c.byJobs != "*" {
			t.Errorf("of %s %s the request told %q, its jobs %q, not %q and %q", a.request, c.sent, byRequest, byJobs,
				c.byRequest, c.byJobs)
		}
		for _, event := range strings.Fields(byRequest + " " + byJobs) {
			told[event] = true
		}
	}
	for _, family := range finance.Families {
		for _, action := range finance.Actions {
			event := string(family) + "." + string(action)
			if of := cannot[event]; told[event] == (of != "" && !routed(http.MethodDelete, of)) {
				t.Errorf("%s: told %v", event, told[event])
			}
		}
	}
}

// cannot maps the events that have no cause without a DELETE route to the path of that route.
var cannot = map[string]string{
	"deposit_accounts.destroyed": "/entities/1/deposit_accounts/1",
	"credit_cards.destroyed":     "/entities/1/credit_cards/1",
	"sale_accounts.destroyed":    "/sale_accounts/1",
}

// routed reports whether a route of the method matches the path.
func routed(method, path string) bool {
	for _, r := range api.Routes() {
		pattern := "^" + regexp.MustCompile(`:\w+`).ReplaceAllString(r.Path, `[^/]+`) + "$"
		if r.Method == method && regexp.MustCompile(pattern).MatchString(path) {
			return true
		}
	}
	return false
}
