package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

func TestWhatStandsInTheWayOfTheDeletionOfAnEntity(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "DELETE", "/entities/1").wantBody(t, 422, `{"base":["Só existe uma entidade.","Não é possível apagar `+
		`esta entidade."]}`)
	s.newDepositAccount(t)
	s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)
	s.newCenter(t, s.EntityID, "Loja")
	s.call(t, "DELETE", "/entities/1", with("Accept", "application/xml")).wantBody(t, 422,
		`<?xml version="1.0" encoding="UTF-8"?><errors>`+
			`<error>base Só existe uma entidade.</error><error>base Não é possível apagar esta entidade.</error>`+
			`<error>base Existem Contas que precisam ser apagadas</error>`+
			`<error>base Existem Contas a Pagar/Contas a Receber que precisam ser apagadas</error>`+
			`<error>base Existem Centro de Custo/Receita que precisam ser apagados</error></errors>`)
	other := s.anotherEntity(t).ID
	s.call(t, "DELETE", "/entities/1?force_destroy=false").want(t, 422)
	s.call(t, "DELETE", "/entities/1?force_destroy=maybe").wantBody(t, 422,
		`{"force_destroy":["deve ser true ou false"]}`)
	s.call(t, "DELETE", "/entities/1", document(`{"force_destroy":"maybe"}`)).wantBody(t, 422,
		`{"force_destroy":["deve ser true ou false"]}`)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs`), 0)

	// An empty entity that is not the last is deleted.
	empty := s.call(t, "POST", "/entities", document(`{"entity":{"name":"Vazia"}}`)).want(t, 201).header.Get(
		"Location")[len(publicURL):]
	a := s.call(t, "DELETE", empty).want(t, 202)
	equal(t, a.body, "")
	s.call(t, "PUT", empty, document(`{"entity":{"name":"Outra"}}`)).wantBody(t, 422,
		`{"base":["A entidade está sendo excluída."]}`)
	before := s.call(t, "GET", empty).want(t, 200)
	if before.at(t, "entity.deleted_at") == "<nil>" {
		t.Error("it has no deleted_at")
	}
	s.call(t, "DELETE", empty).want(t, 202)
	equal(t, s.call(t, "GET", empty).body, before.body)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'delete_cascade'`), 1)
	// An entity that is being deleted does not count as a remaining one.
	s.call(t, "DELETE", "/entities/2?force_destroy=true").want(t, 202)
	s.exec(t, `DELETE FROM deposit_accounts`)
	s.exec(t, `DELETE FROM financial_accounts`)
	s.exec(t, `UPDATE classification_centers SET deleted_at = now()`)
	s.call(t, "DELETE", "/entities/1").wantBody(t, 422, `{"base":["Só existe uma entidade.","Não é possível apagar `+
		`esta entidade."]}`)
	equal(t, other, int64(2))
}

func TestForceDestroyComesInManyWays(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(t *testing.T, s *service) answer{
		"query": func(t *testing.T, s *service) answer {
			return s.call(t, "DELETE", "/entities/1?force_destroy=true")
		},
		"number": func(t *testing.T, s *service) answer { return s.call(t, "DELETE", "/entities/1?force_destroy=1") },
		"body": func(t *testing.T, s *service) answer {
			return s.call(t, "DELETE", "/entities/1", document(`{"force_destroy":true}`))
		},
		"document": func(t *testing.T, s *service) answer {
			return s.call(t, "DELETE", "/entities/1", document(`{"entity":{"force_destroy":"true"}}`))
		},
		"XML": func(t *testing.T, s *service) answer {
			return s.call(t, "DELETE", "/entities/1",
				document(`<entity><force-destroy type="boolean">true</force-destroy></entity>`))
		},
		"attribute": func(t *testing.T, s *service) answer {
			s.call(t, "PUT", "/entities/1", document(`{"entity":{"force_destroy":true}}`)).want(t, 200)
			return s.call(t, "DELETE", "/entities/1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.newDepositAccount(t)
			ask(t, s).want(t, 202)
		})
	}
}

// Two simultaneous deletions of the last two entities leave one. Both requests wait for the lock
// before either can proceed.
func TestTwoDeletionsAtOnceLeaveOneEntity(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 20 {
		s.exec(t, `UPDATE entities SET deleted_at = now()`)
		first, second := s.anotherEntity(t).ID, s.anotherEntity(t).ID
		gate, err := s.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.ExecContext(t.Context(), `SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE`,
			s.AccountID); err != nil {
			t.Fatal(err)
		}
		answers := make(chan answer, 2)
		for _, id := range []int64{first, second} {
			go func() { answers <- s.call(t, "DELETE", paths.Entity(id)) }()
		}
		testkit.Eventually(t, "both wait for the lock", func() bool {
			return query[int](t, s, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM accounts%'`) == 2
		})
		if err := gate.Rollback(); err != nil {
			t.Fatal(err)
		}
		one, other := <-answers, <-answers
		if one.status != http.StatusAccepted {
			one, other = other, one
		}
		equal(t, one.want(t, 202).body, "")
		other.wantBody(t, 422, `{"base":["Só existe uma entidade.","Não é possível apagar esta entidade."]}`)
		equal(t, query[int](t, s, `SELECT count(*) FROM entities WHERE deleted_at IS NULL`), 1)
	}
}

func TestAnotherVersionOfAnEntityIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.anotherEntity(t)
	tag := s.call(t, "GET", "/entities/1").header.Get("ETag")
	s.call(t, "PUT", "/entities/1", document(`{"entity":{"name":"Outra"}}`)).want(t, 200)
	s.call(t, "DELETE", "/entities/1", with("If-Match", tag)).want(t, 412)
	s.call(t, "DELETE", "/entities/1", with("If-Match", s.call(t, "GET", "/entities/1").header.Get("ETag"))).want(t,
		202)
}

func TestGoldensOfDeletions(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "xml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.call(t, "GET", "/entities/1/deletion").want(t, 404)
			s.call(t, "DELETE", "/entities/1?force_destroy=true").want(t, 202)
			equal(t, len(s.call(t, "GET", "/entities/1/deletion").want(t, 200).all(t, "kinds")), 0)
			s.exec(t, `INSERT INTO deletions (account_id, root, record_id, kind, place, deleted, estimated)
				VALUES (1, 'entities', 1, 'financial_accounts', 2, 0, 120), (1, 'entities', 1, 'sales', 1, 4000, 9500)`)
			s.golden(t, format, "GET", "/entities/1/deletion", 200)
		})
	}
}

// A deleted record and everything below it are a 404 at once.
func TestWhatIsDeletedIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	kept := s.newDepositAccount(t)
	for _, c := range []struct {
		list, path, family string
		status             int
		below              []string
	}{
		{"/entities/1/deposit_accounts", "/entities/1/deposit_accounts/1", "deposit_accounts", 200,
			[]string{"/financial_transactions", "/financial_transactions/1", "/bank_statements", "/bank_statements/1",
				"/bank_statements/1/items"}},
		{"/entities/1/credit_cards", "/entities/1/credit_cards/1", "credit_cards", 200, []string{
			"/invoices", "/invoices/2026-03", "/transactions/1"}},
		{"/sale_accounts", "/sale_accounts/1", "sale_accounts", 204, []string{"/rules", "/rules/1"}},
	} {
		before := len(s.call(t, "GET", c.list).want(t, 200).value(t).([]any))
		equal(t, s.call(t, "DELETE", c.path).want(t, c.status).body, "")
		equal(t, len(s.call(t, "GET", c.list).want(t, 200).value(t).([]any)), before-1)
		s.call(t, "GET", c.path).want(t, 404)
		s.call(t, "PUT", c.path, document(`{"`+strings.TrimSuffix(c.family, "s")+`":{"name":"X"}}`)).want(t, 404)
		s.call(t, "DELETE", c.path).want(t, 404)
		for _, below := range c.below {
			s.call(t, "GET", c.path+below).want(t, 404)
		}
		equal(t, query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'delete_cascade'
			AND args::json ->> 'root' = $1`, c.family), 1)
	}
	equal(t, ids["deposit_account_id"], int64(1))
	s.call(t, "POST", "/entities/1/payable_accounts",
		document(`{"payable_account":{"due_date":"2026-03-04","amount":1,"expected_deposit_account_id":1}}`)).
		wantBody(t, 422, `{"expected_deposit_account":["não existe"]}`)
	s.call(t, "POST", kept+"/financial_transactions",
		document(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04",`+
			`"transfer_deposit_account_id":1}}`)).
		wantBody(t, 422, `{"transfer_deposit_account":["não existe"]}`)
	s.call(t, "POST", "/entities/1/sales", document(`{"sale":{"sale_account_id":1,"payment_method":"pix",`+
		`"nominal_amount":1,"occurred_at":"2026-03-04"}}`)).
		wantBody(t, 422, `{"sale_account":["não existe"]}`)
}

func TestPaidInvoicesAndLiquidatedSalesRefuseTheDeletionOfTheirAccounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.records(t)
	s.exec(t, `UPDATE financial_accounts SET status = 2, occurred_at = '2026-03-04', total_amount = amount
		WHERE credit_card_invoice_id = 1`)
	s.call(t, "DELETE", "/entities/1/credit_cards/1").wantBody(t, 422,
		`{"base":["A fatura já está paga: desfaça o pagamento antes."]}`)
	s.exec(t, `WITH f AS (INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at,
		amount, total_amount, sales_count,
			competency_month, sale_account_id) VALUES (1, 1, 'receivable', 2, '2026-03-04', '2026-03-04', 10, 10, 1,
				'2026-03-01', 1) RETURNING id)
		UPDATE sales SET status = 2, awaiting_pricing = false, financial_account_id = f.id, receivable_amount = 10,
			estimated_liquidated_at = '2026-03-04',
			liquidated_at = '2026-03-04' FROM f`)
	s.call(t, "DELETE", "/sale_accounts/1").wantBody(t, 422, `{"base":["Há vendas liquidadas: desfaça os `+
		`recebimentos antes."]}`)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'delete_cascade'`), 0)
}

// The reports of an account have nothing of an entity that is being deleted, however far its deletion has come.
func TestReportsLeaveOutAnEntityThatGoes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	e := s.anotherEntity(t)
	center, own := lastID(s.newCenter(t, e.ID, "Loja")), lastID(s.newCenter(t, 1, "Matriz"))
	account := s.settled(t, finance.Payable, "10")
	s.match(t, ids(account), ids(lastID(s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "10",
		"2026-03-04")))).want(t, 200)
	s.call(t, "DELETE", "/entities/1?force_destroy=true").want(t, 202)
	s.exec(t, `DELETE FROM financial_accounts`) // as the job does first
	const statement = "/reports/income_statement?basis=cash&from=2026-03&to=2026-03&center_id="
	for _, path := range []string{statement + fmt.Sprint(center), "/entities/1" + statement + fmt.Sprint(own)} {
		shown := s.call(t, "GET", path).want(t, 200).value(t).(map[string]any)["income_statement"].(map[string]any)
		equal(t, len(shown["rows"].([]any)), 0)
	}
	flow := s.call(t, "GET", "/cash_flow?from=2026-04-01&to=2026-04-30").want(t, 200)
	equal(t, flow.at(t, "cash_flow.opening"), "0.0")
}
