package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
)

// searched checks the ids that each search of a list finds, in the order of the list.
func (s *service) searched(t *testing.T, list, root string, searches map[string][]string) {
	t.Helper()
	for text, want := range searches {
		got := s.call(t, "GET", list+"?"+search(text)).want(t, 200).all(t, root+".id")
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: %v, want %v", list, text, got, want)
		}
	}
}

// walked returns the ids of a list, read by cursors.
func (s *service) walked(t *testing.T, list, root string) (ids []string) {
	t.Helper()
	for next := list + "?per_page=2&cursor="; next != ""; {
		a := s.call(t, "GET", next).want(t, 200)
		ids = append(ids, a.all(t, root+".id")...)
		next = ""
		if cursor := a.header.Get("X-Next-Cursor"); cursor != "" {
			next = list + "?per_page=2&cursor=" + cursor
		}
	}
	return ids
}

// twoCategories makes a category and one below it.
func (s *service) twoCategories(t *testing.T) (above, below int64) {
	t.Helper()
	path := s.newCategory(t, `{"name":"Frota"}`)
	return lastID(path), lastID(s.made(t, path+"/create_subcategory", `{"category":{"name":"Pneus"}}`))
}

func TestTransactionsOfAnEntityAreMerged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, b, hidden := s.newDepositAccount(t), s.newDepositAccount(t), s.newDepositAccount(t)
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	other := lastID(s.made(t, "/entities", `{"entity":{"name":"Filial"}}`))
	elsewhere := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.EntityID = other })
	above, below := s.twoCategories(t)
	s.newTransaction(t, a, finance.Debit, "1", "2026-08-03") // 1
	credit := s.newTransaction(t, b, finance.Credit, "2", "2026-08-05")
	debit := s.newTransaction(t, a, finance.Debit, "2", "2026-08-05")
	s.newTransaction(t, b, finance.Debit, "4", "2026-08-01")       // 4
	s.newTransaction(t, dollars, finance.Debit, "5", "2026-08-04") // 5
	s.newTransaction(t, hidden, finance.Debit, "6", "2026-08-06")  // 6
	s.newTransaction(t, elsewhere, finance.Debit, "7", "2026-08-06")
	s.newPair(t, debit, credit)
	s.exec(t, `UPDATE deposit_accounts SET deleted_at = now() WHERE id = $1`, lastID(hidden))
	s.exec(t, `UPDATE financial_transactions SET category_id = $1 WHERE id = 1`, above)
	s.exec(t, `UPDATE financial_transactions SET category_id = $1 WHERE id = 4`, below)

	const list = "/entities/1/financial_transactions"
	all := []string{"3", "2", "5", "1", "4"}
	first := s.call(t, "GET", list+"?per_page=2").want(t, 200)
	equal(t, first.all(t, "financial_transaction.id"), all[:2])
	equal(t, first.header.Get("X-Total-Count"), "5")
	equal(t, s.call(t, "GET", list+"?per_page=2&page=3").want(t, 200).all(t, "financial_transaction.id"), all[4:])
	equal(t, s.walked(t, list, "financial_transaction"), all)
	s.searched(t, list, "financial_transaction", map[string][]string{
		"deposit_account_id=1": {"3", "1"}, "deposit_account_id=9": {}, "deposit_account_id_equals=2": {"2", "4"},
		"currency_id=1": {"3", "2", "1", "4"}, "currency_id=2": {"5"},
		"transfer_id_is_null=true": {"5", "1", "4"}, "transfer_id_is_null=false": {"3", "2"},
		"left=true": {"5", "1", "4"}, "left=false": {"3", "2"}, "left=true&type=Debit&currency_id=1": {"1", "4"},
		fmt.Sprint("category_tree=", above): {"1", "4"}, fmt.Sprint("category_tree=", below): {"4"},
		fmt.Sprint("category_id=", above): {"1"}, "category_tree=9999": {},
		"occurred_at_gte=2026-08-04": {"3", "2", "5"}, "ids=4,2,6": {"2", "4"},
	})
	s.call(t, "GET", list+"?search[deposit_account_id]=x").wantBody(t, 422,
		`{"deposit_account_id":["não é um número inteiro"]}`)
	s.call(t, "GET", "/entities/9/financial_transactions").want(t, 404)
	limited := s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}})
	s.call(t, "GET", list, as(limited)).want(t, 403)
}

func TestPurchasesOfAnEntityAreMerged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, b, hidden := s.newCard(t, 10, 20), s.newCard(t, 15, 25), s.newCard(t, 15, 25)
	s.newPerson(t, `{"name":"Ana"}`)
	buy := func(card, amount, day, more string) {
		s.buy(t, card, fmt.Sprintf(`"amount":%s,"occurred_at":%q%s`, amount, day, more))
	}
	buy(a, "10", "2026-08-03", `,"description":"Toner"`)
	buy(b, "20.5", "2026-08-05", `,"person_id":1,"document":"NF 9"`)
	buy(a, "-3", "2026-08-05", "")
	buy(b, "7", "2026-07-01", "")
	buy(hidden, "8", "2026-08-09", "")
	s.exec(t, `UPDATE credit_cards SET deleted_at = now() WHERE id = $1`, lastID(hidden))

	const list = "/entities/1/credit_cards/transactions"
	all := []string{"3", "2", "1", "4"}
	equal(t, s.call(t, "GET", list).want(t, 200).all(t, "credit_card_transaction.id"), all)
	equal(t, s.call(t, "GET", list+"?per_page=3&page=2").want(t, 200).header.Get("X-Total-Count"), "4")
	equal(t, s.walked(t, list, "credit_card_transaction"), all)
	s.searched(t, list, "credit_card_transaction", map[string][]string{
		"credit_card_id=1": {"3", "1"}, "amount_lte=0": {"3"}, "amount_gte=10": {"2", "1"}, "amount=7": {"4"},
		"occurred_at_gte=2026-08-04": {"3", "2"}, "occurred_at_lte=2026-07-31": {"4"}, "document=NF 9": {"2"},
		"description_contains=TON": {"1"}, "person_id=1": {"2"}, "person_id_is_null=false": {"2"},
		"category_id_is_null=true": all, "classification_center_id_is_null=false": {}, "category_tree=1": {},
	})
}

func TestAccountsAreSearchedForSums(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newDepositAccount(t)
	s.newPerson(t, `{"name":"Ana"}`)
	above, below := s.twoCategories(t)
	s.newCenter(t, s.EntityID, "Loja")
	for _, fields := range []string{
		fmt.Sprintf(`"due_date":"2026-03-10","person_id":1,"category_id":%d,"expected_deposit_account_id":1`, above),
		fmt.Sprintf(`"due_date":"2026-04-10","competency_month":"2026-02","category_id":%d,`+
			`"classification_center_id":1`, below),
		`"due_date":"2026-05-10","total_amount":5,"occurred_at":"2026-04-20"`,
	} {
		s.newAccount(t, finance.Payable, `"amount":5,`+fields)
	}
	s.exec(t, `UPDATE financial_accounts SET created_at = '2026-03-31 23:30-03'`)
	const list = "/entities/1/payable_accounts"
	s.searched(t, list, "payable_account", map[string][]string{
		"person_id_is_null=true": {"2", "3"}, "category_id_is_null=false": {"1", "2"},
		fmt.Sprint("category_tree=", above): {"1", "2"}, fmt.Sprint("category_tree=", below): {"2"},
		"classification_center_id_is_null=false": {"2"},
		"competency_month_gte=2026-03":           {"1", "3"}, "competency_month_lte=2026-02": {"2"},
		"expected_deposit_account_id=1": {"1"}, "expected_deposit_account_id_is_null=true": {"2", "3"},
		// The first was due before it was created, and the third was paid before it was due.
		"open_on=2026-03-09": {}, "open_on=2026-03-10": {"1"}, "open_on=2026-03-30": {"1"},
		"open_on=2026-03-31": {"1", "2", "3"}, "open_on=2026-04-19": {"1", "2", "3"}, "open_on=2026-04-20": {"1", "2"},
		"open_on=9999-12-31": {"1", "2"},
	})
	s.buy(t, s.newCard(t, 10, 20), `"amount":9,"occurred_at":"2026-08-03"`)
	s.searched(t, list, "payable_account", map[string][]string{"credit_card_invoice_id_is_null=true": {"1", "2", "3"},
		"credit_card_invoice_id_is_null=false": {"4"}})
	for _, text := range []string{"open_on=x", "competency_month_gte=2026", "category_tree=a", "person_id_is_null=2"} {
		name, _, _ := strings.Cut(text, "=")
		if _, is := s.call(t, "GET", list+"?"+search(text)).want(t, 422).value(t).(map[string]any)[name]; !is {
			t.Errorf("%s: no fault under %s", text, name)
		}
	}
}
