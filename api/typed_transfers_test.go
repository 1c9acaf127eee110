package api_test

import (
	"fmt"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/internal/tier"
	"bordero/storage/storagetest"
)

// transferred makes a transfer between two deposit accounts of entity 1 and returns the paths of
// both sides.
func (s *service) transferred(t testing.TB, from, to, amount, day string) (here, there string) {
	t.Helper()
	a := s.call(t, "POST", from+"/financial_transactions", document(fmt.Sprintf(
		`{"financial_transaction":{"type":"Debit","amount":%q,"occurred_at":%q,"document":"D",`+
			`"transfer_deposit_account_id":%d}}`, amount, day, lastID(to)))).want(t, 201)
	return a.header.Get("Location")[len(publicURL):], to + "/financial_transactions/" +
		a.at(t, "financial_transaction.transfer_id")
}

// sides returns the visible fields of the transactions at the paths, each with the balance of its
// deposit account.
func (s *service) sides(t testing.TB, paths ...string) (texts []string) {
	t.Helper()
	for _, path := range paths {
		a := s.call(t, "GET", path).want(t, 200)
		text := ""
		for _, name := range []string{"type", "amount", "occurred_at", "document", "transfer_id",
			"transfer_deposit_account_id"} {
			text += a.at(t, "financial_transaction."+name) + " "
		}
		account := s.call(t, "GET", "/entities/1/deposit_accounts/"+a.at(t, "financial_transaction.deposit_account_id"))
		texts = append(texts, text+"= "+account.at(t, "deposit_account.calculated_balance")+" "+
			account.at(t, "deposit_account.last_transaction_date"))
	}
	return texts
}

func TestATransferHasTwoSides(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.newDepositAccount(t), s.newDepositAccount(t)
	here, there := s.transferred(t, first, second, "10", "2026-01-02")
	equal(t, []string{here, there}, []string{first + "/financial_transactions/1", second + "/financial_transactions/2"})
	is := func(texts ...string) {
		t.Helper()
		equal(t, s.sides(t, here, there), texts)
	}
	put := func(path, fields string) {
		t.Helper()
		s.call(t, "PUT", path, document(`{"financial_transaction":{`+fields+`}}`)).want(t, 200)
	}
	is("Debit -10.0 2026-01-02 D 2 2 = -10.0 2026-01-02", "Credit 10.0 2026-01-02 D 1 1 = 10.0 2026-01-02")
	t.Run("which change together, from either", func(t *testing.T) {
		put(here, `"amount":"12.5"`)
		is("Debit -12.5 2026-01-02 D 2 2 = -12.5 2026-01-02", "Credit 12.5 2026-01-02 D 1 1 = 12.5 2026-01-02")
		put(there, `"amount":"7","occurred_at":"2026-01-01"`)
		is("Debit -7.0 2026-01-01 D 2 2 = -7.0 2026-01-01", "Credit 7.0 2026-01-01 D 1 1 = 7.0 2026-01-01")
		put(there, `"type":"Debit"`)
		is("Credit 7.0 2026-01-01 D 2 2 = 7.0 2026-01-01", "Debit -7.0 2026-01-01 D 1 1 = -7.0 2026-01-01")
	})
	t.Run("but keep texts of their own", func(t *testing.T) {
		put(here, `"document":"E"`)
		is("Credit 7.0 2026-01-01 E 2 2 = 7.0 2026-01-01", "Debit -7.0 2026-01-01 D 1 1 = -7.0 2026-01-01")
	})
	t.Run("and go together", func(t *testing.T) {
		s.call(t, "DELETE", there).wantBody(t, 200, "")
		for path, account := range map[string]string{here: first, there: second} {
			s.call(t, "GET", path).want(t, 404)
			equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"), "0.0")
			equal(t, s.call(t, "GET", account+"/financial_transactions").body, "[]")
		}
	})
	t.Run("and begin with the higher account as well", func(t *testing.T) {
		here, there = s.transferred(t, second, first, "1", "2026-01-05")
		is("Debit -1.0 2026-01-05 D 4 1 = -1.0 2026-01-05", "Credit 1.0 2026-01-05 D 3 2 = 1.0 2026-01-05")
	})
	s.agrees(t)
}

func TestATransferIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, other := s.newDepositAccount(t), s.newDepositAccount(t)
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	elsewhere := *s
	elsewhere.EntityID = s.anotherEntity(t).ID
	beside := elsewhere.newDepositAccount(t)
	for name, c := range map[string]struct {
		to      int64
		message string
	}{
		"into an account that is not there":  {9999, "não existe"},
		"into one of another entity":         {lastID(beside), "não existe"},
		"into itself":                        {lastID(account), "deve ser outra conta"},
		"into an account of other currency":  {lastID(dollars), "deve ser de uma conta na mesma moeda"},
		"into an account that cannot be one": {-1, "não existe"},
	} {
		t.Run(name, func(t *testing.T) {
			s.call(t, "POST", account+"/financial_transactions", document(fmt.Sprintf(
				`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-01-02",`+
					`"transfer_deposit_account_id":%d}}`, c.to))).
				wantBody(t, 422, `{"transfer_deposit_account":["`+c.message+`"]}`)
		})
	}
	equal(t, s.call(t, "GET", account+"/financial_transactions").body, "[]")
	t.Run("as a change", func(t *testing.T) {
		const refusal = `{"transfer_deposit_account":["não pode ser alterada"]}`
		plain := s.newTransaction(t, account, "Debit", "1", "2026-01-02")
		send := func(path, to string) answer {
			t.Helper()
			return s.call(t, "PUT", path, document(`{"financial_transaction":{"transfer_deposit_account_id":`+to+`}}`))
		}
		send(plain, "2").wantBody(t, 422, refusal)
		here, _ := s.transferred(t, account, other, "1", "2026-01-02")
		send(here, "null").wantBody(t, 422, refusal)
		send(here, "3").wantBody(t, 422, refusal)
		send(here, "2").want(t, 200)
	})
	s.agrees(t)
}

func TestBothSidesOfATransferNotifyTheirWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.newDepositAccount(t), s.newDepositAccount(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	wantEvents := func(action string) {
		t.Helper()
		equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', family || '.' || action, record_id, entity_id,
			parent_id), ', ' ORDER BY record_id) FROM deliveries`),
			fmt.Sprintf("financial_transactions.%s 1 1 1, financial_transactions.%[1]s 2 1 2", action))
		s.exec(t, `DELETE FROM deliveries`)
	}
	here, there := s.transferred(t, first, second, "10", "2026-01-02")
	wantEvents("created")
	s.call(t, "PUT", there, document(`{"financial_transaction":{"amount":2}}`)).want(t, 200)
	wantEvents("updated")
	s.call(t, "DELETE", here).want(t, 200)
	wantEvents("destroyed")
}

// agrees fails if bordero verify finds anything.
func (s *service) agrees(t testing.TB) {
	t.Helper()
	storagetest.Agrees(t, s.store)
}

// Clients transfer in both directions concurrently, and change and delete both sides. No request
// fails, and verify finds nothing.
func TestTransfersThatCross(t *testing.T) {
	t.Parallel()
	s := newService(t)
	accounts := []string{s.newDepositAccount(t), s.newDepositAccount(t)}
	shared, other := s.transferred(t, accounts[0], accounts[1], "1", "2026-01-02")
	sharedSides := []string{shared, other}
	var clients sync.WaitGroup
	n := tier.Size(8, 16)
	for i := range n {
		clients.Go(func() {
			from, to := accounts[i%2], accounts[1-i%2]
			for j := range 6 {
				a := s.must(t, 201, "POST", from+"/financial_transactions", document(fmt.Sprintf(
					`{"financial_transaction":{"type":"Debit","amount":%d,"occurred_at":"2026-01-%02d",`+
						`"transfer_deposit_account_id":%d}}`, i+1, j+1, lastID(to))))
				if a.status != 201 {
					return
				}
				s.must(t, 200, "PUT", sharedSides[(i+j)%2],
					document(fmt.Sprintf(`{"financial_transaction":{"amount":%d,"occurred_at":"2026-02-%02d"}}`, i+j+1,
						i+1)))
				if j%2 == 0 {
					s.must(t, 200, "DELETE", a.header.Get("Location")[len(publicURL):])
				}
			}
		})
	}
	clients.Wait()
	equal(t, query[int](t, s, `SELECT count(*) FROM financial_transactions`), 2+n*3*2)
	s.agrees(t)
}
