package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/storagetest"
)

// fee makes a transaction of 9.90 with a text in the deposit account and returns its id.
func (s *service) fee(t testing.TB, below, text string) int64 {
	t.Helper()
	id := s.moved(t, below, finance.Debit, "9.90")
	s.exec(t, `UPDATE financial_transactions SET original_description = $2 WHERE id = $1`, id, text)
	return id
}

// proposed returns "score by rule: accounts + new ones with transactions" of each suggestion.
func (s *service) proposed(t testing.TB, below string, options ...option) (all []string) {
	t.Helper()
	a := s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+period(below), options...).want(t, 200)
	for _, one := range a.value(t).(map[string]any)["suggestions"].([]any) {
		body := one.(map[string]any)["reconcile"].(map[string]any)
		all = append(all, fmt.Sprintf("%s by %s: %v + %d with %v", within(t, one, "score"), within(t, one, "rule_id"),
			body[finance.SelectedAccounts], len(body["new_accounts"].([]any)), body[finance.SelectedTransactions]))
	}
	return all
}

// What a rule proposes is suggested, and can be posted as it is.
func TestARuleProposesANewAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	category := lastID(s.newCategory(t, `{"name":"Tarifas"}`))
	rule := lastID(s.newReconciliationRule(t, `"text_contains":["MENSALIDADE","tarífa"],`+
		`"new_account":{"category_full_name":"tarifas","description":"Tarifa"}`))
	at := s.fee(t, below, "TARIFA MENSALIDADE")
	s.fee(t, below, "TARIFA TED")
	equal(t, s.proposed(t, below), []string{fmt.Sprintf("85 by %d: [] + 1 with [%d]", rule, at)})

	a := s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+period(below))
	equal(t, a.at(t, "suggestions.0.reasons.0"), "Regra de conciliação: Regra")
	body, err := json.Marshal(a.value(t).(map[string]any)["suggestions"].([]any)[0].(map[string]any)["reconcile"])
	if err != nil {
		t.Fatal(err)
	}
	a = s.call(t, "POST", paths.Reconciles(s.EntityID), document(string(body))).want(t, 200)
	equal(t, a.at(t, "financial_accounts.0.category_id"), fmt.Sprint(category))
	equal(t, a.at(t, "financial_accounts.0.description"), "Tarifa")
	equal(t, a.at(t, "financial_accounts.0.total_amount"), "9.9")
	equal(t, len(s.proposed(t, below)), 0)
	s.agrees(t)
}

func TestTheFirstFittingRuleCounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	at := s.fee(t, below, "TARIFA")
	first, second := s.newReconciliationRule(t, `"type":"Debit","new_account":{}`),
		s.newReconciliationRule(t, `"text_contains":["tarifa"],"new_account":{}`)
	by := func(rule string) {
		t.Helper()
		equal(t, s.proposed(t, below), []string{fmt.Sprintf("85 by %d: [] + 1 with [%d]", lastID(rule), at)})
	}
	by(first)
	s.call(t, "PUT", first, document(`{"reconciliation_rule":{"position":3}}`)).want(t, 200)
	by(second)
	s.call(t, "PUT", second, document(`{"reconciliation_rule":{"position":null}}`)).want(t, 200) // the last again
	equal(t, s.call(t, "GET", second).at(t, "reconciliation_rule.position"), "4")
	by(first)
	s.call(t, "PUT", first, document(`{"reconciliation_rule":{"position":4}}`)).want(t, 200)
	by(first) // of one position the older one
	s.call(t, "DELETE", first).want(t, 200)
	by(second)
}

// A rule matches the only open account that it describes, also beyond the window of other suggestions.
func TestARuleMatchesAnOpenAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	person := lastID(s.newPerson(t, `{"name":"Moinho"}`))
	at := s.fee(t, below, "PIX 11222333000181 MOINHO")
	due := func(fields string) int64 {
		return lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-02-10","amount":9.90`+fields))
	}
	of := due(fmt.Sprintf(`,"person_id":%d`, person))
	due(``)
	rule := s.newReconciliationRule(t, `"counterpart_document":"11.222.333/0001-81","match":{"days":30}`)
	equal(t, len(s.proposed(t, below)), 0) // two accounts
	s.call(t, "PUT", rule, document(fmt.Sprintf(`{"reconciliation_rule":{"match":{"days":30,"person_id":%d}}}`,
		person))).want(t, 200)
	equal(t, s.proposed(t, below), []string{fmt.Sprintf("85 by %d: [%d] + 0 with [%d]", lastID(rule), of, at)})
	s.call(t, "PUT", rule, document(fmt.Sprintf(`{"reconciliation_rule":{"match":{"person_id":%d}}}`, person))).want(t,
		200)
	equal(t, len(s.proposed(t, below)), 0) // 7 days again
}

func TestAPreviewSaysWhatARuleWouldDo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	at, doubtful := s.fee(t, below, "TARIFA"), s.fee(t, below, "TARIFA ADIANTAMENTO")
	s.fee(t, below, "PIX")
	s.exec(t, `UPDATE financial_transactions SET document = '77' WHERE id = $1`, doubtful)
	s.settled(t, finance.Payable, "9.90", `,"document":"NF 77"`) // the doubtful one paid it, surely
	path := paths.ReconciliationRules(s.EntityID) + "/preview"
	const rule = `{"reconciliation_rule":{"name":"Tarifas","text_contains":["tarifa"],` +
		`"new_account":{"description":"Tarifa"}}}`
	a := s.call(t, "POST", path+period(below), document(rule)).want(t, 200)
	for at, want := range map[string]string{
		"transactions_count": "3", "proposed_count": "1", "undecided_count": "1",
		"undecided.0.id": fmt.Sprint(doubtful),
		"proposed.0.reconcile.selected_financial_transaction_ids.0": fmt.Sprint(at),
		"proposed.0.reconcile.new_accounts.0.amount":                "9.9",
		"proposed.0.reconcile.new_accounts.0.description":           "Tarifa",
		"proposed.0.financial_transactions.0.id":                    fmt.Sprint(at),
	} {
		equal(t, a.at(t, at), want)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM reconciliation_rules`), 0)
	s.call(t, "POST", path, document(rule)).wantBody(t, 422,
		`{"search.deposit_account_id":["não pode ser vazio"],"search.occurred_at_gte":["não pode ser vazio"],`+
			`"search.occurred_at_lte":["não pode ser vazio"]}`)
	s.call(t, "POST", path+period(below), document(`{"reconciliation_rule":{"name":"a"}}`)).wantBody(t, 422,
		`{"base":["Precisa ter pelo menos uma condição","Deve ter new_account ou match: um dos dois, e só um"]}`)
}

// A preview lists 100 of each, and takes the same statements whatever it finds.
func TestAPreviewIsBounded(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	below := s.newDepositAccount(t)
	s.fee(t, below, "TARIFA")
	count := func() (answer, int64) {
		before := statements.Load()
		a := s.call(t, "POST", paths.ReconciliationRules(s.EntityID)+"/preview"+period(below),
			document(`{"reconciliation_rule":{"name":"a","type":"Debit","new_account":{}}}`)).want(t, 200)
		return a, statements.Load() - before
	}
	count() // prepares the statements
	_, few := count()
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		SELECT $1, $2, -1, '2026-03-04', 1 FROM generate_series(1, 200)`, s.AccountID, lastID(below))
	a, lots := count()
	equal(t, few, lots)
	equal(t, a.at(t, "proposed_count"), "201")
	equal(t, len(a.value(t).(map[string]any)["proposed"].([]any)), 100)
}

// Suggestions by rules are for those kinds of accounts that the user may make.
func TestRulesProposeOnlyKindsThatTheUserSees(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	s.newReconciliationRule(t, `"amount_gte":1,"new_account":{}`)
	s.fee(t, below, "TARIFA")
	received := s.moved(t, below, finance.Credit, "5")
	token := s.member(t, finance.Access{AllEntities: true, Denied: []string{"payable_accounts"}})
	equal(t, s.proposed(t, below, as(token)), []string{fmt.Sprintf("85 by 1: [] + 1 with [%d]", received)})
}

func TestReferencesOfARuleThatTheUserCannotSee(t *testing.T) {
	t.Parallel()
	s := newService(t)
	stranger := *s
	stranger.Tenant = storagetest.NewTenant(t, s.store)
	other := s.anotherEntity(t)
	there := lastID(stranger.newPerson(t, `{"name":"Ana"}`))
	center := query[int64](t, s, `INSERT INTO classification_centers (account_id, entity_id, name, cost_center,
		revenue_center)
		VALUES ($1, $2, 'Z', true, true) RETURNING id`, s.AccountID, other.ID)
	rules := paths.ReconciliationRules(s.EntityID)
	for _, person := range []int64{there, missingID} {
		s.call(t, "POST", rules, document(fmt.Sprintf(`{"reconciliation_rule":{"name":"a","deposit_account_id":%[1]d,
			"new_account":{"person_id":%[2]d,"category_id":%[1]d,"classification_center_id":%[3]d}}}`, missingID,
			person, center))).wantBody(t, 422,
			`{"deposit_account":["não existe"],"new_account.category":["não existe"],"new_account.person":["não `+
				`existe"],"new_account.classification_center":["não existe"]}`)
		s.call(t, "POST", rules, document(fmt.Sprintf(`{"reconciliation_rule":{"name":"a","type":"Debit",`+
			`"match":{"person_id":%d}}}`, person))).wantBody(t, 422,
			`{"match.person":["não existe"]}`)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM reconciliation_rules`), 0)
}

// An entity has at most 100 rules, also when many come at once.
func TestAnEntityHasSoManyRules(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `INSERT INTO reconciliation_rules (account_id, entity_id, name, position, new_account, match)
		SELECT $1, $2, 'R', n, true, false FROM generate_series(1, 97) n`, s.AccountID, s.EntityID)
	const rule = `{"reconciliation_rule":{"name":"a","type":"Debit","new_account":{}}}`
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			a, err := s.send(t.Context(), "POST", paths.ReconciliationRules(s.EntityID), document(rule))
			if err != nil || a.status != 201 && !strings.Contains(a.body, "100 regras") {
				t.Errorf("%d %s, %v", a.status, a.body, err)
			}
		})
	}
	all.Wait()
	equal(t, query[string](t, s, `SELECT count(*) || ' to ' || count(DISTINCT position) FROM reconciliation_rules`),
		"100 to 100")
	s.call(t, "POST", paths.ReconciliationRules(s.EntityID), document(rule)).wantBody(t, 422,
		`{"base":["A entidade já tem o máximo de 100 regras de conciliação."]}`)
}

func TestRulesAreInTheChangeFeed(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	s.forgetChanges(t)
	rule := s.newReconciliationRule(t, `"type":"Debit","new_account":{}`)
	s.call(t, "PUT", rule, document(`{"reconciliation_rule":{"automatic":true}}`)).want(t, 200)
	s.call(t, "DELETE", rule).want(t, 200)
	seal()
	var got []string
	for _, c := range s.feed(t, "").Changes {
		attributes, _ := json.Marshal(c.Change.Attributes)
		got = append(got, fmt.Sprintf("%s %v %s", c.Change.Event, c.Change.RecordIDs, attributes))
	}
	equal(t, got, []string{"reconciliation_rules.created [1] null", `reconciliation_rules.updated [1] ` +
		`{"automatic":[false,true]}`, "reconciliation_rules.destroyed [1] null"})
}
