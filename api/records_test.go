package api_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// newDepositAccount makes a deposit account of the tenant and returns its path.
func (s *service) newDepositAccount(t testing.TB, change ...func(*finance.DepositAccount)) string {
	t.Helper()
	d := storagetest.NewDepositAccount(t, s.store, s.Scope, change...)
	return paths.DepositAccount(d.EntityID, d.ID)
}

// register changes a deposit account into a cash register.
func register(d *finance.DepositAccount) {
	kind := int64(finance.CashRegister)
	d.DepositAccountTypeID = &kind
}

// newTransaction makes a transaction of the deposit account at the path below and returns its path.
func (s *service) newTransaction(t testing.TB, below, kind, amount, day string) string {
	t.Helper()
	a := s.call(t, "POST", below+"/financial_transactions", document(fmt.Sprintf(
		`{"financial_transaction":{"type":%q,"amount":%q,"occurred_at":%q}}`, kind, amount, day))).want(t, 201)
	return a.header.Get("Location")[len(publicURL):]
}

// member makes a user of the tenant's account with the rights a, and returns the token.
func (s *service) member(t testing.TB, a finance.Access) string {
	t.Helper()
	a.AccountID = s.AccountID
	_, token := storagetest.NewUser(t, s.store, a)
	return token
}

// join makes the tenant's user an administrator of another account, which the tenant's token does not open.
func (s *service) join(t testing.TB, account int64) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.PutMembership(t.Context(), tx, finance.Access{UserID: s.UserID, AccountID: account,
			Administrator: true,
			AllEntities:   true})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anotherEntity makes one more entity of the tenant's account.
func (s *service) anotherEntity(t testing.TB) (e finance.Entity) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		e = storagetest.NewEntity(t, tx, s.AccountID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newAccount makes a payable or receivable account of the tenant's entity and returns its path.
func (s *service) newAccount(t testing.TB, kind finance.AccountKind, fields string) string {
	t.Helper()
	return s.made(t, paths.FinancialAccounts(s.EntityID, string(kind)), fmt.Sprintf(`{"%s_account":{%s}}`, kind,
		fields))
}

// newCard makes a credit card of the tenant's entity with the days and returns its path.
func (s *service) newCard(t testing.TB, closing, expiration int) string {
	t.Helper()
	return s.made(t, paths.CreditCards(s.EntityID), fmt.Sprintf(
		`{"credit_card":{"name":"Loja","flag":"Visa","closing_day":%d,"expiration_day":%d}}`, closing, expiration))
}

// buy makes a transaction of the card at the path and returns the transaction's path.
func (s *service) buy(t testing.TB, card, fields string) string {
	t.Helper()
	return s.made(t, card+"/transactions", `{"credit_card_transaction":{`+fields+`}}`)
}

// newPerson, newCategory and newCenter make a record of the tenant's account and return its path.
func (s *service) newPerson(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, "/people", `{"person":`+fields+`}`)
}

func (s *service) newCategory(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, "/categories", `{"category":`+fields+`}`)
}

func (s *service) newCenter(t testing.TB, entity int64, name string) string {
	t.Helper()
	return s.made(t, "/classification_centers", fmt.Sprintf(`{"classification_center":{"entity_id":%d,"name":%q}}`,
		entity, name))
}

// newClassifier makes a custom classifier, and newValue a value of the classifier at the path below.
// Both return the path of the new record.
func (s *service) newClassifier(t testing.TB, name string) string {
	t.Helper()
	return s.made(t, "/custom_classifiers", fmt.Sprintf(`{"custom_classifier":{"name":%q}}`, name))
}

func (s *service) newValue(t testing.TB, below, value string) string {
	t.Helper()
	return s.made(t, below+"/values", fmt.Sprintf(`{"custom_classifier_value":{"value":%q}}`, value))
}

func (s *service) made(t testing.TB, path, text string) string {
	t.Helper()
	return s.call(t, "POST", path, document(text)).want(t, 201).header.Get("Location")[len(publicURL):]
}

// newAttachment makes an attachment of the tenant's entity and returns its path.
func (s *service) newAttachment(t testing.TB, more ...part) string {
	t.Helper()
	a := s.call(t, "POST", paths.Attachments(s.EntityID),
		parts(append(more, attachment("nota.pdf", "application/pdf", pdf))...)).want(t, 201)
	return a.header.Get("Location")[len(publicURL):]
}

// pdf is a small file.
const pdf = "%PDF-1.7\n%%EOF\n"

// newSaleAccount makes a sale account of the tenant's entity with the fields, which follow the
// required ones, and returns its path.
func (s *service) newSaleAccount(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, "/sale_accounts", fmt.Sprintf(
		`{"sale_account":{"entity_id":%d,"name":"Maquininha","provider":"stone","payment_methods":"%s",%s}}`,
		s.EntityID,
		strings.Join(finance.PaymentMethods, ","), fields))
}

// newSaleRule makes a rule of the sale account at the path and returns the rule's path.
func (s *service) newSaleRule(t testing.TB, saleAccount, fields string) string {
	t.Helper()
	return s.made(t, saleAccount+"/rules", `{"sale_rule":{`+fields+`}}`)
}

// newSale makes a sale of the sale account at the path and returns the sale's path.
func (s *service) newSale(t testing.TB, saleAccount, fields string) string {
	t.Helper()
	return s.made(t, paths.Entity(s.EntityID)+"/sales", fmt.Sprintf(`{"sale":{"sale_account_id":%d,%s}}`,
		lastID(saleAccount), fields))
}

// newReconcile makes a payable account and, in the deposit account at the path below, the
// transaction that paid it. It reconciles them and returns the id of the reconcile.
func (s *service) newReconcile(t testing.TB, below string) int64 {
	t.Helper()
	account := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","occurred_at":"2026-03-04","amount":2.5`)
	a := s.match(t, ids(lastID(account)), ids(lastID(s.newTransaction(t, below, finance.Debit, "2.5", "2026-03-04")))).
		want(t, 200)
	id, _ := strconv.ParseInt(a.at(t, "reconcile_id"), 10, 64)
	return id
}

// newReconciliationRule makes a rule of the entity and returns its path.
func (s *service) newReconciliationRule(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, paths.ReconciliationRules(s.EntityID), `{"reconciliation_rule":{"name":"Regra",`+fields+`}}`)
}

// newBudget makes a budget of the entity and returns its path.
func (s *service) newBudget(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, paths.Budgets(s.EntityID), `{"budget":{`+fields+`}}`)
}

func ids(list ...int64) []int64 { return list }

// match sends the request of a reconcile.
func (s *service) match(t testing.TB, accounts, transactions []int64, options ...option) answer {
	t.Helper()
	return s.call(t, "POST", paths.Reconciles(s.EntityID),
		append(options, document(reconciling(accounts, transactions)))...)
}

func reconciling(accounts, transactions []int64) string {
	text, _ := json.Marshal(map[string][]int64{finance.SelectedAccounts: accounts,
		finance.SelectedTransactions: transactions})
	return string(text)
}

// subscribe makes a webhook of the tenant's entity and returns its path.
func (s *service) subscribe(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, "/integrations/webhooks", fmt.Sprintf(`{"webhook":{"entity_id":%d,%s}}`, s.EntityID, fields))
}

// newDelivery makes a pending delivery of the webhook at the path, with two failed attempts, and
// returns its path.
func (s *service) newDelivery(t testing.TB, webhook string) string {
	t.Helper()
	id := query[int64](t, s, `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id,
		status, attempts_count, next_at, body)
		SELECT account_id, id, 'sales', 'created', 7, entity_id, 'pending', 2, '2026-01-02 03:04:05-03',
			'{"event":"sales.created"}' FROM webhooks WHERE id = $1 RETURNING id`, lastID(webhook))
	s.exec(t, `INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, started_at, finished_at,
		response_code, error, response_excerpt)
		SELECT account_id, id, n, 'r' || n, '2026-01-02 03:04:05-03', '2026-01-02 03:04:05-03', CASE n WHEN 1
			THEN 500 END,
			CASE n WHEN 2 THEN 'timeout' END, CASE n WHEN 1 THEN '<h1>Erro</h1>' END
		FROM deliveries, generate_series(1, 2) n WHERE id = $1`, id)
	return fmt.Sprintf("%s/deliveries/%d", webhook, id)
}
