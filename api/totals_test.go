package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
)

func TestTotalsRefuseWhatTheyCannotSum(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-08-03")
	s.newTransaction(t, s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 }), finance.Debit,
		"2", "2026-08-03")
	s.exec(t, `INSERT INTO people (id, account_id, name, customer, supplier)
		SELECT n, $1, 'P' || n, true, false FROM generate_series(1, 10001) n`,
		s.AccountID)
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount,
		person_id)
		SELECT $1, $2, 'payable', '2026-08-03', '2026-08-01', 1, n FROM generate_series(1, 10001) n`, s.AccountID,
		s.EntityID)
	// of some people with two categories each, and of others with two centers and a rest
	s.exec(t, `INSERT INTO categories (account_id, id, parent_id, name, full_name, revenue, cost) VALUES
			(1, 9001, NULL, 'A', 'A', true, true), (1, 9002, 9001, 'B', 'A > B', true, true);
		UPDATE financial_accounts SET due_date = '2026-09-03', category_id = 9002 WHERE person_id <= 5001;
		UPDATE financial_transactions SET category_id = 9000 + id;
		INSERT INTO classification_centers (account_id, entity_id, id, name, cost_center, revenue_center)
			VALUES (1, 1, 1, 'Z1', true, true), (1, 1, 2, 'Z2', true, true);
		INSERT INTO financial_account_center_classifications (account_id, financial_account_id,
				classification_center_id, percentage)
			SELECT f.account_id, f.id, c.id, 40 FROM financial_accounts f, classification_centers c
			WHERE f.person_id > 5001`)
	const transactions, payables = "/entities/1/financial_transactions/totals", "/entities/1/payable_accounts/totals"
	for path, want := range map[string]string{
		transactions + "?group_by=month,person,center":                              "too_many_keys",
		transactions + "?group_by=category,category_tree":                           "repeated_key",
		transactions + "?group_by=status":                                           "not_in_list",
		transactions + "?group_by=entity":                                           "not_in_list",
		transactions:                                                                "several_currencies",
		transactions + "?group_by=category_tree":                                    "several_currencies",
		payables + "?group_by=person":                                               "too_many_groups",
		payables + "?group_by=person,category_tree&search[due_date_gte]=2026-09-01": "too_many_groups",
		payables + "?group_by=center,person&search[due_date_lte]=2026-08-31":        "too_many_groups",
		payables + "?group_by=classifier:9":                                         "not_existing",
		payables + "?group_by=classifier:a":                                         "not_an_integer",
		"/payable_accounts/totals?entities=1,9":                                     "not_existing",
		payables + "?search[nothing]=1":                                             "unknown_filter",
	} {
		a := s.call(t, "GET", path).want(t, 422)
		if code := a.header.Get("X-Error-Code"); code != want {
			t.Errorf("%s: %s, want %s: %s", path, code, want, a.body)
		}
	}
	s.call(t, "GET", payables+"?group_by=person").wantBody(t, 422, `{"group_by":["resulta em mais de 10.000 grupos"]}`)
	s.call(t, "GET", "/entities/9/payable_accounts/totals").want(t, 404)
	a := s.call(t, "GET", transactions+"?group_by=deposit_account").want(t, 200)
	equal(t, a.at(t, "totals.0.total.sum")+" "+a.at(t, "totals.1.total.sum"), "-1.0 -2.0")
	a = s.call(t, "GET", transactions+"?group_by=category_tree&search[currency_id]=1").want(t, 200)
	equal(t, a.at(t, "totals.0.total.sum"), "-1.0")
	months := s.call(t, "GET", payables+"?group_by=month").want(t, 200)
	equal(t, months.at(t, "totals.0.total.amount")+" "+months.at(t, "totals.1.total.amount"), "5000.0 5001.0")
	s.exec(t, `DELETE FROM financial_accounts WHERE person_id = 1`)
	most, err := s.send(t.Context(), "GET", payables+"?group_by=person") // call takes long to check the document
	if err != nil {
		t.Fatal(err)
	}
	equal(t, strings.Count(most.want(t, 200).body, `"total":`), 10000)
}

// The status 0 is a status, not a missing key, which comes last.
func TestTotalsByStatusAreInItsOrder(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"deposit_account_id":`+fmt.Sprint(lastID(s.newDepositAccount(t))))
	s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":"0.5"`)
	for _, method := range []string{"pix", "cash"} { // a sale with a price, of status 1, and one without a rule
		s.newSale(t, account, `"occurred_at":"2026-08-03","nominal_amount":10,"payment_method":"`+method+`"`)
	}
	s.price(t, lastID(account))
	a := s.call(t, "GET", paths.Entity(s.EntityID)+"/sales/totals?group_by=status").want(t, 200)
	equal(t, a.at(t, "totals.0.total.status")+a.at(t, "totals.1.total.status"), "01")
}

// While references to a deleted category are being cleared, filters, totals and income statements count its records
// beside those without a category. The records keep its id until then, but sheets do not name it.
func TestADeletedCategoryCountsAsNone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	deposit, card := s.newDepositAccount(t), s.newCard(t, 10, 20)
	acquirer := s.newSaleAccount(t, `"deposit_account_id":`+fmt.Sprint(lastID(deposit)))
	category := lastID(s.newCategory(t, `{"name":"Farinha","cost":true}`))
	s.newTransaction(t, deposit, finance.Debit, "5", "2026-03-04")
	s.exec(t, `UPDATE financial_transactions SET category_id = $1`, category)
	s.newTransaction(t, deposit, finance.Debit, "50", "2026-03-04")
	for zeros, of := range map[string]string{"": fmt.Sprintf(`,"category_id":%d`, category), "0": ""} {
		of = zeros + `,"competency_month":"2026-03"` + of
		s.newAccount(t, finance.Payable, `"due_date":"2026-03-10","amount":7`+of)
		s.newAccount(t, finance.Receivable, `"due_date":"2026-03-10","amount":9`+of)
		s.buy(t, card, `"occurred_at":"2026-03-03","amount":3`+of)
		s.newSale(t, acquirer, `"occurred_at":"2026-03-03","payment_method":"pix","nominal_amount":10`+of)
	}
	s.exec(t, `UPDATE categories SET deleted_at = now()`)

	for list, c := range map[string]struct{ member, sum, want string }{
		"/financial_transactions":    {"financial_transaction", "sum", "2 -55.0"},
		"/payable_accounts":          {"payable_account", "amount", "3 110.0"}, // with the invoice of the card
		"/receivable_accounts":       {"receivable_account", "amount", "2 99.0"},
		"/credit_cards/transactions": {"credit_card_transaction", "amount", "2 33.0"},
		"/sales":                     {"sale", "nominal_amount", "2 110.0"},
	} {
		list = paths.Entity(s.EntityID) + list
		all := s.call(t, "GET", list).want(t, 200).all(t, c.member+".id")
		s.searched(t, list, c.member, map[string][]string{"category_id_is_null=true": all,
			"category_id_is_null=false": {}})
		for _, key := range []string{"category", "category_tree", "category,month"} {
			a := s.call(t, "GET", list+"/totals?group_by="+key).want(t, 200)
			got := a.at(t, "totals.0.total.category_id") + " " + a.at(t, "totals.0.total.count") + " " +
				a.at(t, "totals.0.total."+c.sum)
			if strings.Count(a.body, `"count":`) != 1 || got != "<nil> "+c.want {
				t.Errorf("%s by %s: %s, want %s", list, key, a.body, c.want)
			}
		}
		rows := s.call(t, "GET", list+".csv").rows(t, ',')
		id, name := slices.Index(rows[0], "category_id"), slices.Index(rows[0], "category_name")
		ids, names := "", ""
		for _, row := range rows[1:] {
			ids, names = ids+row[id], names+row[name]
		}
		equal(t, ids+" "+names, fmt.Sprintf("%d ", category))
	}

	shown := s.incomeStatement(t, paths.Entity(s.EntityID)+"/reports/income_statement?from=2026-03&to=2026-03")
	for _, c := range []struct {
		rows []shownIncomeRow
		want string
	}{{shown.Statement.Rows, "99.0"}, {shown.Statement.WithoutAccount, "-55.0"}} {
		if len(c.rows) != 1 || c.rows[0].Kind != finance.UncategorisedRow || c.rows[0].Total.String() != c.want {
			t.Fatalf("%+v, want %s", c.rows, c.want)
		}
		s.checkIncomeRow(t, c.rows[0])
	}
}

// A family is grouped by its own keys: by one, or by two that differ.
func TestTotalsRefuseKeys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newClassifier(t, "Canal")
	of := func(families string, keys ...string) (paths []string) {
		for _, list := range strings.Split(families, " ") {
			for _, key := range keys {
				paths = append(paths, "/entities/1/"+list+"/totals?group_by="+key, "/"+list+"/totals?group_by="+key)
			}
		}
		return paths
	}
	const all = "financial_transactions payable_accounts receivable_accounts sales credit_cards/transactions"
	for code, paths := range map[string][]string{
		"not_in_list": slices.Concat(
			of(all, "", "cor", "PERSON", "person,", "person_id", "person,cor", "classifier:"),
			of("financial_transactions credit_cards/transactions", "status", "competency_month,person"),
			of("financial_transactions", "classifier:1", "person,classifier:1"),
			of("sales credit_cards/transactions", "deposit_account"),
			[]string{"/entities/1/sales/totals?group_by=entity",
				"/entities/1/payable_accounts/totals?group_by=month,entity",
				"/entities/1/credit_cards/transactions/totals?group_by=entity"}),
		"too_many_keys": of(all, "person,month,center", "person,person,person", ",,"),
		"repeated_key": append(of(all, "person,person", "category,category_tree", "category_tree,category_tree"),
			of("payable_accounts sales credit_cards/transactions", "classifier:1,classifier:1")...),
		"invalid":        of(all, ",", "cor,cor"), // for two reasons
		"not_an_integer": of("sales", "classifier:x", "person,classifier:1.5"),
		"not_existing":   of("sales credit_cards/transactions", "classifier:2", "classifier:1,classifier:2"),
	} {
		for _, path := range paths {
			p := s.refusal(t, "GET", path)
			if p.Code != code || p.Errors[0].Parameter != "group_by" {
				t.Errorf("%s: %s of %s, want %s", path, p.Code, p.Errors[0].Parameter, code)
			}
		}
	}
}

// Totals have the filters of their list, in a body too.
func TestTotalsObeyTheFiltersOfABody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	asked := 0
	for _, r := range api.Routes() {
		if !strings.HasSuffix(r.Path, "/totals") {
			continue
		}
		asked++
		path := ids.path(r)
		if s.call(t, "GET", path).want(t, 200).at(t, "totals.count") == "0" {
			t.Errorf("%s sums nothing", path)
		}
		for _, text := range []string{`{"search":{"ids":[77777]}}`,
			`<hash><search><ids><id>77777</id></ids></search></hash>`} {
			a := s.call(t, "GET", path, document(text), strict, with("Accept", "application/json")).want(t, 200)
			equal(t, a.at(t, "totals.count"), "0")
		}
		p := s.refusal(t, "GET", path+"?group_by=cor", document(`{"search":{"ids":"a"}}`))
		equal(t, p.places(), "group_by not_in_list, /search/ids not_an_integer")
	}
	equal(t, asked, 12)
}

// Totals need the permission of their list, and show what the user sees.
func TestTotalsNeedThePermissionOfTheirList(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bank, card, second := s.newDepositAccount(t), s.newCard(t, 10, 20), s.anotherEntity(t).ID
	all := map[string]string{bank + "/financial_transactions": "financial_transactions",
		card + "/transactions": "credit_cards"}
	for list, permission := range map[string]string{"financial_transactions": "financial_transactions",
		"payable_accounts": "payable_accounts", "receivable_accounts": "receivable_accounts",
		"sales": "receivable_accounts", "credit_cards/transactions": "credit_cards"} {
		all["/"+list], all["/entities/1/"+list] = permission, permission
	}
	confined := as(s.member(t, finance.Access{EntityIDs: []int64{second}}))
	for _, p := range finance.Permissions {
		token := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{string(p)}}))
		for list, permission := range all {
			status := 200
			if permission == string(p) {
				status = 403
			}
			s.call(t, "GET", list+"/totals", token).want(t, status)
			s.call(t, "GET", list+"/totals.csv", token).want(t, status)
		}
	}
	for list := range all {
		if strings.HasPrefix(list, "/entities") {
			s.call(t, "GET", list+"/totals", confined).want(t, 404)
			continue
		}
		s.call(t, "GET", list+"/totals?group_by=entity", confined).wantBody(t, 200, `{"totals":[]}`)
		p := s.refusal(t, "GET", list+"/totals?entities=1", confined)
		equal(t, p.Code+" "+p.Errors[0].Parameter, "not_existing entities")
	}
}
