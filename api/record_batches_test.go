package api_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/storage/storagetest"
)

// batchOutcome is the part of an answer to a batch that tests compare: each status, with the id of the record or the
// attributes of the errors.
func batchOutcome(t *testing.T, a answer) string {
	t.Helper()
	var result struct {
		Results []struct {
			Status *int
			Body   map[string]struct{ ID int64 }
			Errors map[string][]string
		}
		Sums struct{ Created, Failed int }
	}
	if err := json.Unmarshal([]byte(a.body), &result); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	var all []string
	for _, r := range result.Results {
		text := "null"
		if r.Status != nil {
			text = fmt.Sprint(*r.Status)
		}
		for _, record := range r.Body {
			text += fmt.Sprintf(" %d", record.ID)
		}
		for _, attribute := range slices.Sorted(maps.Keys(r.Errors)) {
			text += " " + attribute
		}
		all = append(all, text)
	}
	return fmt.Sprintf("%s; %d %d", strings.Join(all, ", "), result.Sums.Created, result.Sums.Failed)
}

// newChanges returns the changes since the last call, with their records.
func (s *service) newChanges(t *testing.T) string {
	t.Helper()
	return query[string](t, s, `WITH taken AS (DELETE FROM unsealed_changes RETURNING *)
		SELECT coalesce(string_agg(family || '.' || action || ' ' || array_to_string(record_ids, '+')
			|| CASE WHEN attributes IS NULL THEN '' ELSE ' changed' END, ', ' ORDER BY id), '') FROM taken`)
}

func TestABatchMakesRecords(t *testing.T) {
	t.Parallel()
	s := newService(t)
	item := func(fields string) string { return `{"person":{` + fields + `}}` }
	send := func(more string, items ...string) answer {
		return s.call(t, "POST", "/people/batch", document(`{`+more+`"items":[`+strings.Join(items, ",")+`]}`))
	}
	s.newChanges(t)
	good, bad := item(`"name":"Ana","external_id":"A"`), item(`"name":""`)
	equal(t, batchOutcome(t, send("", good, bad, item(`"name":"Bia"`)).want(t, 200)), "201 1, 422 name, 201 2; 2 1")
	equal(t, s.newChanges(t), "people.created 1, people.created 2")
	equal(t, batchOutcome(t, send(`"atomic":true,`, item(`"name":"Caio"`), bad).want(t, 422)), "null, 422 name; 0 1")
	equal(t, s.newChanges(t), "")

	// Of external ids
	equal(t, batchOutcome(t, send("", good, item(`"name":"B","external_id":"B"`), item(`"name":"C","external_id":"B"`),
		`{"pessoa":{}}`)), "422 external_id, 201 4, 422 external_id, 422 base; 1 3")
	equal(t, s.newChanges(t), "people.created 4")
	equal(t, batchOutcome(t, send(`"on_conflict":"update",`, item(`"email":"ana@example.com","external_id":"A"`),
		item(`"name":"D","external_id":"D"`), item(`"phone":"1","external_id":"D"`),
		item(`"name":"","external_id":"A"`), item(`"name":"","external_id":"E"`),
		item(`"name":"E","external_id":"E"`))),
		"200 1, 201 5, 200 5, 422 name, 422 name, 201 6; 4 2")
	equal(t, s.newChanges(t), "people.updated 1 changed, people.created 5, people.updated 5 changed, people.created 6")
	first := s.call(t, "GET", "/people/1")
	equal(t, first.at(t, "person.name")+first.at(t, "person.email"), "Anaana@example.com")
	send(`"on_conflict":"replace",`, good).wantBody(t, 422, `{"on_conflict":["não está incluso na lista"]}`)
	send("").wantBody(t, 422, `{"items":["não pode ser vazio"]}`)

	// A key stands for the batch.
	key := with("Idempotency-Key", "batch")
	body := document(`{"items":[` + item(`"name":"Gil"`) + `]}`)
	once := s.call(t, "POST", "/people/batch", body, key).want(t, 200)
	equal(t, s.call(t, "POST", "/people/batch", body, key).want(t, 200).body, once.body)
	equal(t, s.newChanges(t), "people.created 7")

	p := s.refusal(t, "POST", "/people/batch", document(`{"atomic":true,"items":[`+item(`"name":"Gil"`)+`,`+good+`]}`))
	last := p.Errors[len(p.Errors)-1]
	equal(t, fmt.Sprintf("%s %s %d", last.Pointer, last.Code, last.ID), "/items/1/person/external_id taken 1")
}

// A batch that updates creates the records that others delete, or give another external id, while it is on the way to
// their items.
func TestABatchCreatesWhatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	item := func(name, id string) string { return `{"person":{"name":"` + name + `","external_id":"` + id + `"}}` }
	send := func(more string) answer {
		return s.call(t, "POST", "/people/batch", document(`{`+more+`"items":[`+item("Ana", "A")+`,`+item("Bia", "B")+
			`,`+item("", "B")+`,`+item("Eva", "A")+`]}`))
	}
	equal(t, batchOutcome(t, send("")), "201 1, 201 2, 422 external_id name, 422 external_id; 2 2")
	for _, step := range []struct{ meanwhile, outcome, people string }{
		{`DELETE FROM people WHERE account_id = $1`, "201 3, 201 4, 422 name, 200 3; 3 1", "Eva A, Bia B"},
		{`UPDATE people SET external_id = 'X' || external_id WHERE account_id = $1`,
			"201 5, 201 6, 422 name, 200 5; 3 1", "Eva XA, Bia XB, Eva A, Bia B"},
	} {
		gate, err := s.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.ExecContext(t.Context(), step.meanwhile, s.AccountID); err != nil {
			t.Fatal(err)
		}
		done := make(chan answer)
		go func() { done <- send(`"on_conflict":"update",`) }()
		storagetest.AwaitLock(t, s.db, 1)
		if err := gate.Commit(); err != nil {
			t.Fatal(err)
		}
		equal(t, batchOutcome(t, <-done), step.outcome)
		equal(t, query[string](t, s, `SELECT string_agg(name || ' ' || external_id, ', ' ORDER BY id) FROM people`),
			step.people)
	}
}

// An external id of a transaction is unique in its entity: a batch of another deposit account does not update it.
func TestABatchUpdatesNoTransactionOfAnotherAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const item = `{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04","external_id":"A"}}`
	s.call(t, "POST", s.newDepositAccount(t)+"/financial_transactions", document(item)).want(t, 201)
	other := s.newDepositAccount(t) + "/financial_transactions"
	a := s.call(t, "POST", other+"/batch", document(`{"on_conflict":"update","items":[`+item+`]}`)).want(t, 200)
	equal(t, batchOutcome(t, a), "422 external_id; 0 1")
}

// The categories of a batch may be a tree: a parent is a stored category, or one of an earlier item.
func TestABatchOfCategories(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newChanges(t)
	item := func(name, more string) string { return `{"category":{"name":"` + name + `"` + more + `}}` }
	of := func(parent string) string { return `,"parent_full_name":"` + parent + `"` }
	send := func(more string, items ...string) string {
		body := `{` + more + `"items":[` + strings.Join(items, ",") + `]}`
		return batchOutcome(t, s.call(t, "POST", "/categories/batch", document(body)).want(t, 200))
	}
	first := query[int64](t, s, `SELECT max(id) + 1 FROM categories`)
	got := send("", item("Frota", `,"external_id":"F"`), item("Óleo", of("FROTA")), item("Diesel", of("frota / oleo")),
		item("Só depois", of("Pneus")), item("Pneus", ""), item("frotá", ""), item("Óleo", of("Frota")),
		item("Aro", fmt.Sprintf(`,"parent_id":%d`, first)), item(strings.Repeat("ã", 250), of("Frota / Óleo")),
		item("Frota / Óleo", ""), item("Folha", `,"parent_id":1`), item("", of("Frota")))
	equal(t, regexp.MustCompile(`201 \d+`).ReplaceAllString(got, "201"),
		"201, 201, 201, 422 parent, 201, 422 name, 422 name, 422 parent, 422 full_name, 422 name, 201, "+
			"422 full_name name; 5 7")
	equal(t, query[string](t, s, fmt.Sprintf(`SELECT string_agg(c.full_name || ' < ' || coalesce(p.full_name, ''), ', '
		ORDER BY c.id) FROM categories c LEFT JOIN categories p ON p.id = c.parent_id WHERE c.id >= %d`, first)),
		"Frota < , Frota / Óleo < Frota, Frota / Óleo / Diesel < Frota / Óleo, Pneus < , "+
			"Receitas de vendas / Folha < Receitas de vendas")
	equal(t, strings.Count(s.newChanges(t), "categories.created"), 5)

	// An update sees the items before it.
	got = send(`"on_conflict":"update",`, item("Veículos", ""), item("Frota", `,"external_id":"F"`+of("Veículos")),
		item("Seguro", of("Veículos / Frota")))
	equal(t, regexp.MustCompile(`20(.) \d+`).ReplaceAllString(got, "20$1"), "201, 200, 201; 3 0")

	// A refused item has all its faults, and is no parent of later ones.
	equal(t, send("", `{"category":{"name":"Obras","revenue":"x"}}`, item("Tinta", of("Obras")), item("", of("Nada")),
		item("Veículos", `,"external_id":"F","cost":"x"`)),
		"422 revenue, 422 parent, 422 full_name name parent, 422 cost external_id name; 0 4")
}

// The rows of a series or of installments are one change, and missing references are faults of their item.
func TestABatchOfSeriesAndInstallments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	saleAccount := s.newSaleAccount(t, `"payment_methods":"pix"`)
	s.newChanges(t)
	payable := `{"payable_account":{"due_date":"2026-01-31","amount":10,"create_as_parcelled":"monthly",` +
		`"number_of_parcels":2,"category_full_name":"administrativas / contabilidade"}}`
	unknown := `{"payable_account":{"due_date":"2026-01-31","amount":10,"person_id":99,"category_id":9999,` +
		`"expected_deposit_account_id":99,"attachment_id_list":[99]}}`
	a := s.call(t, "POST", "/entities/1/payable_accounts/batch", document(`{"items":[`+payable+`,`+unknown+`,`+
		payable+`]}`)).want(t, 200)
	if got := batchOutcome(t, a); !strings.HasPrefix(got, "201 1, 422 ") || !strings.HasSuffix(got, ", 201 3; 2 1") {
		t.Error(got)
	}
	for _, name := range []string{"person", "category", "expected_deposit_account", "attachment_id_list"} {
		if !strings.Contains(a.body, `"`+name+`":["`) {
			t.Errorf("%s is no fault: %s", name, a.body)
		}
	}
	equal(t, s.newChanges(t), "payable_accounts.created 1+2, payable_accounts.created 3+4")
	list := s.call(t, "GET", "/entities/1/payable_accounts")
	equal(t, fmt.Sprint(list.all(t, "payable_account.current_parcel"), list.all(t, "payable_account.recurrence_id")),
		"[1 1 2 2] [1 3 1 3]")

	sale := func(account int64, method string) string {
		return fmt.Sprintf(`{"sale":{"sale_account_id":%d,"payment_method":%q,"nominal_amount":100,`+
			`"occurred_at":"2026-01-31","installment_count":3}}`, account, method)
	}
	id := lastID(saleAccount)
	equal(t, batchOutcome(t, s.call(t, "POST", "/entities/1/sales/batch", document(`{"items":[`+sale(id, "pix")+`,`+
		sale(99, "pix")+`,`+sale(id, "cheque")+`,`+sale(id, "pix")+`]}`))),
		"201 1, 422 sale_account, 422 payment_method, 201 4; 2 2")
	equal(t, s.newChanges(t), "sales.created 1+2+3, sales.created 4+5+6")
	equal(t, query[string](t, s, `SELECT string_agg(nominal_amount || ' ' || occurred_at, ', ' ORDER BY id) FROM sales
		WHERE original_sale_id = 4 OR id = 4`), "33.34 2026-01-31, 33.33 2026-02-28, 33.33 2026-03-31")
}

// An item has all its faults at once: of its values, its references and its external_id, as a request of its own.
func TestTheFaultsOfAnItemComeAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.made(t, "/entities/1/payable_accounts",
		`{"payable_account":{"due_date":"2026-01-31","amount":10,"external_id":"A"}}`)
	sale := fmt.Sprintf(`{"sale":{"sale_account_id":%d,"payment_method":"pix","nominal_amount":10,`+
		`"occurred_at":"2026-01-31","external_id":"A"}}`, lastID(s.newSaleAccount(t, `"payment_methods":"pix"`)))
	s.made(t, "/entities/1/sales", sale)
	for path, items := range map[string]map[string]string{
		"/entities/1/payable_accounts": {
			`{"payable_account":{"due_date":"2026-01-31","amount":-1,"person_id":99,"external_id":"A"}}`: "" +
				"amount external_id person",
			`{"payable_account":{"due_date":"2026-01-31","amount":10,"category_id":9999,"external_id":"A"}}`: "" +
				"category external_id",
		},
		"/entities/1/sales": {
			`{"sale":{"sale_account_id":99,"payment_method":"pix","nominal_amount":0,"occurred_at":"2026-01-31",` +
				`"category_id":9999}}`: "category nominal_amount sale_account",
		},
	} {
		for item, faults := range items {
			var alone map[string]any
			a := s.call(t, "POST", path, document(item)).want(t, 422)
			if err := json.Unmarshal([]byte(a.body), &alone); err != nil {
				t.Fatal(err)
			}
			equal(t, strings.Join(slices.Sorted(maps.Keys(alone)), " "), faults)
			a = s.call(t, "POST", path+"/batch", document(`{"items":[`+item+`]}`)).want(t, 200)
			equal(t, batchOutcome(t, a), "422 "+faults+"; 0 1")
		}
	}
}

// Attachments, taxes and classifications count in the bound of a batch, like the records that have them.
func TestABatchMakesABoundedNumberOfRows(t *testing.T) {
	t.Parallel()
	s := newService(t)
	entity, account := fmt.Sprintf("/entities/%d", s.EntityID), s.newDepositAccount(t)
	list := func(name, element string, count int) string {
		var all []string
		for n := range count {
			all = append(all, strings.ReplaceAll(element, "N", fmt.Sprint(n+1)))
		}
		return `,"` + name + `":[` + strings.Join(all, ",") + `]`
	}
	files, taxes := list("attachment_id_list", `N`, 19), list("tax_charges", `{"tax_id":N,"amount":1}`, 9)
	values := list("custom_classifications", `{"custom_classifier_id":1,"name":"N"}`, 9)
	centers := list("classification_center_classifications", `{"classification_center_id":N}`, 9)
	payable := `{"payable_account":{"due_date":"2026-01-31","amount":900`
	sale := `{"sale":{"sale_account_id":1,"payment_method":"pix","nominal_amount":900,"occurred_at":"2026-01-31"`
	transaction := `{"financial_transaction":{"type":"Debit","amount":9,"occurred_at":"2026-01-31"`
	reconcile := `{"reconcile":{"selected_financial_transaction_ids":[1],"new_accounts":[{"amount":900`
	for _, b := range []struct {
		path, item string
		rows       int // of an item
	}{
		{entity + "/payable_accounts/batch", payable + `,"create_as_recurrent":"monthly"}}`, 120},
		{entity + "/payable_accounts/batch", payable + files + taxes + values + centers + `}}`, 47},
		{entity + "/payable_accounts/batch", payable + taxes + `,"create_as_recurrent":"annual"}}`, 100},
		{entity + "/sales/batch", sale + files + taxes + values + centers + `,"installment_count":3}}`, 123},
		{account + "/financial_transactions/batch", transaction + files + `}}`, 20},
		{account + "/financial_transactions/batch", `{"financial_transaction":{"external_id":"A"` + files + `}}`, 20},
		{entity + "/sales/batch", `{"sale":{"external_id":"A","installment_count":99` + files + taxes + `}}`, 29},
		{entity + "/payable_accounts/batch", `{"payable_account":{"external_id":"A","create_as_recurrent":"monthly"` +
			files + taxes + `}}`, 29},
		{entity + "/reconciles/batch", reconcile + files + taxes + values + centers + `}]}}`, 48},
	} {
		n := 5000/b.rows + 1
		items := strings.TrimSuffix(strings.Repeat(b.item+",", n), ",")
		batch := document(`{"on_conflict":"update","items":[` + items + `]}`)
		s.call(t, "POST", b.path, batch).wantBody(t, 422, fmt.Sprintf(
			`{"items":["teria %d registros, entre criados e selecionados (máximo: 5000)"]}`, n*b.rows))
	}
}

// The change of each center of a batch is its entity's.
func TestABatchOfCentersOfSeveralEntities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.anotherEntity(t).ID
	var items []string
	for i, entity := range []int64{other, s.EntityID, other} {
		items = append(items, fmt.Sprintf(`{"classification_center":{"name":"C%d","entity_id":%d}}`, i, entity))
	}
	a := s.call(t, "POST", "/classification_centers/batch", document(`{"items":[`+strings.Join(items, ",")+`]}`))
	equal(t, batchOutcome(t, a.want(t, 200)), "201 1, 201 2, 201 3; 3 0")
	equal(t, query[string](t, s, `SELECT string_agg(entity_id || ': ' || array_to_string(record_ids, '+'), ', '
		ORDER BY id) FROM unsealed_changes WHERE family = 'classification_centers'`),
		fmt.Sprintf("%d: 2, %d: 1, %d: 3", s.EntityID, other, other))
}

// Both sides of a transfer are changes below their own deposit accounts.
func TestABatchOfTransactions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bank := s.newDepositAccount(t)
	cash := lastID(s.newDepositAccount(t))
	dollars := lastID(s.call(t, "POST", "/entities/1/deposit_accounts", document(
		`{"deposit_account":{"name":"New York","deposit_account_type_id":1,"currency_id":2}}`)).want(t, 201).
		header.Get("Location"))
	file := lastID(s.newAttachment(t))
	s.newChanges(t)
	item := func(amount int, more string) string {
		return fmt.Sprintf(`{"financial_transaction":{"type":"Debit","amount":%d,"occurred_at":"2026-03-04"%s}}`,
			amount, more)
	}
	to := func(account int64) string { return fmt.Sprintf(`,"transfer_deposit_account_id":%d`, account) }
	items := []string{item(1, fmt.Sprintf(`,"attachment_id_list":[%d]`, file)), item(2, to(cash)+`,"external_id":"A"`),
		item(3, to(dollars)), item(4, `,"person_id":99`+to(99)), item(5, ``)}
	a := s.call(t, "POST", bank+"/financial_transactions/batch", document(`{"items":[`+strings.Join(items, ",")+`]}`))
	equal(t, a.at(t, "results.3.errors.person.0")+", "+a.at(t, "results.3.errors.transfer_deposit_account.0"),
		"não existe, não existe")
	a.body = strings.ReplaceAll(a.body, `"person":["não existe"],`, ``)
	equal(t, batchOutcome(t, a),
		"201 1, 201 2, 422 transfer_deposit_account, 422 transfer_deposit_account, 201 4; 3 2")
	equal(t, query[string](t, s, `SELECT string_agg(parent_id || ': ' || array_to_string(record_ids, '+'), ', '
		ORDER BY id) FROM unsealed_changes`), fmt.Sprintf("%[1]d: 1, %[2]d: 3, %[1]d: 2, %[1]d: 4", lastID(bank), cash))
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', id, deposit_account_id, amount, transfer_id,
		external_id), ', ' ORDER BY id) FROM financial_transactions`), fmt.Sprintf(
		"1 %[1]d -1.00, 2 %[1]d -2.00 3 A, 3 %[2]d 2.00 2, 4 %[1]d -5.00", lastID(bank), cash))
	equal(t, s.call(t, "GET", bank+"/financial_transactions/1").at(t, "financial_transaction.attachments_count"), "1")
	s.agrees(t)
}

// Of two pairs with the same transaction the first is accepted.
func TestABatchOfPairs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bank, cash := s.newDepositAccount(t), s.newDepositAccount(t)
	for range 2 {
		s.newTransaction(t, bank, finance.Debit, "7", "2026-03-04")
		s.newTransaction(t, cash, finance.Credit, "7", "2026-03-05")
	}
	s.newChanges(t)
	var items []string
	for _, pair := range [][2]int64{{1, 2}, {1, 4}, {3, 4}, {3, 2}} {
		items = append(items, fmt.Sprintf(`{"transfer":{"debit_transaction_id":%d,"credit_transaction_id":%d}}`,
			pair[0], pair[1]))
	}
	a := s.call(t, "POST", "/entities/1/transfers/batch", document(`{"items":[`+strings.Join(items, ",")+`]}`))
	equal(t, batchOutcome(t, a.want(t, 200)), "201 1, 422 base, 201 2, 422 base; 2 2")
	equal(t, s.newChanges(t), "transfers.created 1, transfers.created 2, financial_transactions.updated 1+3, "+
		"financial_transactions.updated 2+4")
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', pair_id, transfer_id, transfer_deposit_account_id),
		', ' ORDER BY id) FROM financial_transactions`), fmt.Sprintf("1 2 %[2]d, 1 1 %[1]d, 2 4 %[2]d, 2 3 %[1]d",
		lastID(bank), lastID(cash)))
	s.agrees(t)
}

func TestManyAccountsAreSettled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bank := lastID(s.newDepositAccount(t))
	open := lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10,"interest_amount":0.5`))
	second := lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":20`))
	other := lastID(s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`))
	s.newChanges(t)
	a := s.call(t, "POST", "/entities/1/payable_accounts/pay_many", document(fmt.Sprintf(`{"items":[`+
		`{"id":%d,"occurred_at":"2026-03-05"},{"id":%d,"occurred_at":"2026-03-06"},`+
		`{"id":%d,"occurred_at":"2026-03-05"},{"id":%d},`+
		`{"id":%d,"occurred_at":"2026-03-05","expected_deposit_account_id":99},`+
		`{"id":%d,"occurred_at":"2026-03-07","total_amount":"19.99","expected_deposit_account_id":%d},{},`+
		`{"account_id":1,"occurred_at":"2026-03-05"},{"id":null},{"id":0},{"id":"x"}]}`,
		open, open, other, second, second, second, bank))).want(t, 200)
	equal(t, batchOutcome(t, a), fmt.Sprintf("200 %d, 422 base, 404 base, 422 occurred_at, "+
		"422 expected_deposit_account, 200 %d, 422 id, 422 id, 422 id, 422 id, 422 id; 2 9", open, second))
	equal(t, s.newChanges(t), fmt.Sprintf("payable_accounts.updated %d changed, payable_accounts.updated %d changed",
		open, second))
	for id, want := range map[int64]string{open: "2 2026-03-05 10.5 <nil>", second: fmt.Sprintf("2 2026-03-07 19.99 %d",
		bank), other: "1 <nil> <nil> <nil>"} {
		kind := "payable_account"
		if id == other {
			kind = "receivable_account"
		}
		shown := s.call(t, "GET", fmt.Sprintf("/entities/1/%ss/%d", kind, id))
		equal(t, fmt.Sprint(shown.at(t, kind+".status"), " ", shown.at(t, kind+".occurred_at"), " ",
			shown.at(t, kind+".total_amount"), " ", shown.at(t, kind+".expected_deposit_account_id")), want)
	}
}

// People and categories are updated by members who see all entities, also in a batch.
// The sales of a day may sum up to more than an account may have received: the others of the batch are.
func TestAReceivableBeyondTheLimitIsRefusedInItsPlace(t *testing.T) {
	t.Parallel()
	s := newService(t)
	sales := s.newSaleAccount(t, `"consolidate":true`)
	s.newSaleRule(t, sales, `"payment_method":"pix","fixed_fee_amount":"0.5"`)
	for range 2 {
		s.newSale(t, sales, `"payment_method":"pix","occurred_at":"2026-03-04","nominal_amount":6000000000000`)
	}
	s.price(t, lastID(sales))
	good := lastID(s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`))
	a := s.call(t, "POST", "/entities/1/receivable_accounts/receive_many", document(fmt.Sprintf(
		`{"items":[{"id":1,"occurred_at":"2026-03-05"},{"id":%d,"occurred_at":"2026-03-05"}]}`, good)))
	equal(t, batchOutcome(t, a.want(t, 200)), fmt.Sprintf("422 total_amount, 200 %d; 1 1", good))
}

func TestABatchUpdatesWithTheRightsOfAnUpdate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	member := as(s.member(t, finance.Access{EntityIDs: []int64{s.EntityID}}))
	for list, root := range map[string]string{"/people": "person", "/categories": "category"} {
		item := func(name string) string {
			return `"items":[{"` + root + `":{"name":"` + name + `","external_id":"A"}}]}`
		}
		created := s.call(t, "POST", list+"/batch", document(`{`+item("Ana")), member).want(t, 200)
		path := fmt.Sprintf("%s/%s", list, within(t, created.value(t), "results.0.body."+root+".id"))
		s.call(t, "PUT", path, document(`{"`+root+`":{"name":"Bia"}}`), member).want(t, 403)
		s.call(t, "POST", list+"/batch", document(`{"on_conflict":"update",`+item("Bia")), member).want(t, 403)
		equal(t, s.call(t, "GET", path).at(t, root+".name"), "Ana")
		s.call(t, "POST", list+"/batch", document(`{"on_conflict":"update",`+item("Bia"))).want(t, 200)
		equal(t, s.call(t, "GET", path).at(t, root+".name"), "Bia")
	}
}

// A batch of 30 items takes as many statements as one of 2, whatever they refer to.
func TestABatchTakesAConstantNumberOfStatements(t *testing.T) {
	t.Parallel()
	var log lines
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
	})
	s.db = database.Owner
	s.Tenant = storagetest.NewTenant(t, s.store)
	account, other := s.newDepositAccount(t), lastID(s.newDepositAccount(t))
	saleAccount := lastID(s.newSaleAccount(t, `"payment_methods":"pix"`))
	categories := query[string](t, s, `SELECT string_agg(id::text, ' ' ORDER BY id) FROM categories`)
	person := func(i int) []string { return []string{"name", "Ana", "external_id", fmt.Sprint("P", i)} }
	s.call(t, "POST", "/people/batch", batchDocument("json", "person", true, person(0), person(1))).want(t, 200)
	refers := func(i int, item ...string) []string {
		return append(item, "external_id", fmt.Sprint("X", i), "person_id", fmt.Sprint(1+i%2),
			"category_id", strings.Fields(categories)[i%2])
	}
	entity := fmt.Sprintf("/entities/%d", s.EntityID)
	query[int](t, s, fmt.Sprintf(`WITH made AS (
		INSERT INTO financial_transactions (account_id, deposit_account_id, id, currency_id, amount, occurred_at)
		SELECT %d, CASE n %% 2 WHEN 0 THEN %d ELSE %d END, 1000 + n, 1, (n %% 2) * 2 - 1, '2026-03-04'
		FROM generate_series(0, 67) n RETURNING 1) SELECT count(*) FROM made`, s.AccountID, lastID(account), other))
	for _, b := range []struct {
		path, root string
		item       func(i int) []string
	}{
		{entity + "/transfers/batch", "transfer", func(i int) []string {
			return []string{"debit_transaction_id", fmt.Sprint(1000 + 2*i), "credit_transaction_id",
				fmt.Sprint(1001 + 2*i)}
		}},
		{"/people/batch", "person", person},
		{"/categories/batch", "category", func(i int) []string { // below the root that the item before makes
			if i%2 == 0 {
				return []string{"name", fmt.Sprint("Raiz ", i), "external_id", fmt.Sprint("C", i)}
			}
			return []string{"name", "Filha", "parent_full_name", fmt.Sprint("raiz ", i-1)}
		}},
		{"/classification_centers/batch", "classification_center", func(i int) []string {
			return []string{"name", "Loja", "entity_id", fmt.Sprint(s.EntityID), "external_id", fmt.Sprint("Z", i)}
		}},
		{account + "/financial_transactions/batch", "financial_transaction", func(i int) []string {
			item := refers(i, "type", "Debit", "amount", fmt.Sprint(i+1), "occurred_at", "2026-03-04")
			if i%2 == 0 {
				item = append(item, "transfer_deposit_account_id", fmt.Sprint(other))
			}
			return item
		}},
		{entity + "/payable_accounts/batch", "payable_account", func(i int) []string {
			return refers(i, "due_date", "2026-03-04", "amount", fmt.Sprint(i+1), "expected_deposit_account_id",
				fmt.Sprint(other))
		}},
		{entity + "/sales/batch", "sale", func(i int) []string {
			return refers(i, "sale_account_id", fmt.Sprint(saleAccount), "payment_method", "pix", "nominal_amount",
				fmt.Sprint(i+1), "occurred_at", "2026-03-04", "installment_count", "2")
		}},
		{entity + "/payable_accounts/pay_many", "", func(i int) []string {
			id := query[int64](t, s, fmt.Sprintf(`SELECT id FROM financial_accounts WHERE external_id = 'X%d'`, i))
			return []string{"id", fmt.Sprint(id), "occurred_at", "2026-03-05", "expected_deposit_account_id",
				fmt.Sprint(other)}
		}},
	} {
		took := func(from, to int) (statements any) {
			var items [][]string
			for i := from; i < to; i++ {
				items = append(items, b.item(i))
			}
			id := fmt.Sprintf("batch-%s-%d", b.root, to)
			s.call(t, "POST", b.path, batchDocument("json", b.root, true, items...), with("X-Request-Id", id)).
				want(t, 200)
			return log.line(t, id)["statements"]
		}
		if few, many := took(2, 4), took(4, 34); few != many {
			t.Errorf("%s: %v statements for 2 items, %v for 30", b.path, few, many)
		}
	}
}
