package api_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cascade"
)

// reconciles posts a request to reconcile, whose lists of ids come first.
func (s *service) reconciles(t testing.TB, accounts, transactions []int64, more string, options ...option) answer {
	t.Helper()
	text := strings.TrimSuffix(reconciling(accounts, transactions), "}") + more + "}"
	return s.call(t, "POST", paths.Reconciles(s.EntityID), append(options, document(text))...)
}

var changing = regexp.MustCompile(`"updated_at":"[^"]*"`)

// undoes fails unless undoing the reconcile of an answer gives the records at the paths exactly
// what they were, but for times.
func (s *service) undoes(t testing.TB, a answer, before map[string]string) {
	t.Helper()
	s.call(t, "DELETE", paths.Reconciles(s.EntityID)+"/"+a.want(t, 200).at(t, "reconcile_id")).want(t, 200)
	for path, was := range before {
		equal(t, changing.ReplaceAllString(s.call(t, "GET", path).want(t, 200).body, ""), was)
	}
	s.agrees(t)
}

// documents returns what the paths show now, without times.
func (s *service) documents(t testing.TB, paths ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range paths {
		all[path] = changing.ReplaceAllString(s.call(t, "GET", path).want(t, 200).body, "")
	}
	return all
}

// The loudest wish of users: 990 pays the 1000, write off 10.
func TestAdjustmentsMakeTheSumsEqual(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below, other := s.newDepositAccount(t), s.newDepositAccount(t)
	for _, c := range []struct {
		kind              finance.AccountKind
		moved             string
		adjustment, total string
		shown             string // an amount of the account afterwards
	}{
		{finance.Receivable, "990", `"discount_amount":10`, "990.0", "discount_amount 11.0"},
		{finance.Receivable, "990", `"fee_amount":"7.5","withheld_tax_amount":2.5`, "990.0", "withheld_tax_amount 2.5"},
		{finance.Receivable, "1002.01", `"interest_amount":2,"ticket_amount":0.01`, "1002.01", "interest_amount 4.0"},
		{finance.Payable, "1010", `"fee_amount":10`, "1010.0", "fee_amount 10.0"},
		{finance.Payable, "1011", `"interest_amount":16,"discount_amount":5`, "1011.0", "interest_amount 18.0"},
		{finance.Payable, "985", `"withheld_tax_amount":15`, "985.0", "withheld_tax_amount 15.0"},
	} {
		for _, open := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s %s open %v", c.kind, c.moved, c.adjustment, open), func(t *testing.T) {
				fields := fmt.Sprintf(`"due_date":"2026-03-01","amount":999,"interest_amount":2,"discount_amount":1,`+
					`"expected_deposit_account_id":%d`, lastID(other))
				if !open {
					fields += `,"occurred_at":"2026-03-02","total_amount":1000`
				}
				path := s.newAccount(t, c.kind, fields)
				move := finance.Credit
				if c.kind == finance.Payable {
					move = finance.Debit
				}
				transaction := s.moved(t, below, move, c.moved)
				before := s.documents(t, path, fmt.Sprintf("%s/financial_transactions/%d", below, transaction))
				a := s.reconciles(t, ids(lastID(path)), ids(transaction),
					fmt.Sprintf(`,"settle_open":%v,"adjustments":[{"financial_account_id":%d,%s}]`, open, lastID(path),
						c.adjustment)).want(t, 200)
				root := string(c.kind) + "_account."
				shown := s.call(t, "GET", path)
				equal(t, shown.at(t, root+"total_amount")+" "+shown.at(t, root+"status"), c.total+" 3")
				name, _, _ := strings.Cut(c.shown, " ")
				equal(t, name+" "+shown.at(t, root+name), c.shown)
				day := map[bool]string{true: "2026-03-04", false: "2026-03-02"}[open]
				equal(t, shown.at(t, root+"occurred_at"), day)
				s.agrees(t)
				for _, field := range []string{`"interest_amount":9`, `"expected_deposit_account_id":null`,
					`"total_amount":1`} {
					s.call(t, "PUT", path,
						document(fmt.Sprintf(`{"%saccount":{%s}}`, strings.TrimSuffix(root, "account."), field))).want(
						t, 422)
				}
				s.undoes(t, a, before)
			})
		}
	}
}

func TestAdjustmentsAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	account, beside := s.settled(t, finance.Receivable, "1000"), s.settled(t, finance.Receivable, "5")
	transaction := s.moved(t, below, finance.Credit, "990")
	before := s.documents(t, paths.FinancialAccount(s.EntityID, "receivable", account))
	adjusting := func(text string) string { return fmt.Sprintf(`,"adjustments":[`+text+`]`, account) }
	for _, c := range []struct{ name, more, want string }{
		{"none", ``, `{"amount":["difere: a soma das contas é 1.000,00, a das transações é 990,00, a diferença é ` +
			`10,00; some-a em adjustments como discount_amount, withheld_tax_amount ou fee_amount; se é só uma ` +
			`parte, reduza o valor da conta e crie outra com o resto"]}`},
		{"a cent too few", adjusting(`{"financial_account_id":%d,"discount_amount":9.99}`),
			`{"amount":["difere: a soma das contas é 990,01, a das transações é 990,00, a diferença é 0,01; ` +
				`some-a em adjustments como discount_amount, withheld_tax_amount ou fee_amount; se é só uma ` +
				`parte, reduza o valor da conta e crie outra com o resto"]}`},
		{"a cent too much", adjusting(`{"financial_account_id":%d,"discount_amount":10.01}`),
			`{"amount":["difere: a soma das contas é 989,99, a das transações é 990,00, a diferença é 0,01; ` +
				`some-a em adjustments como interest_amount ou ticket_amount"]}`},
		{"of an account that is not selected", fmt.Sprintf(`,"adjustments":[{"financial_account_id":%d,`+
			`"discount_amount":10}]`, beside),
			fmt.Sprintf(`{"adjustments":["só pode ajustar as contas selecionadas: %d"]}`, beside)},
		{"twice", adjusting(`{"financial_account_id":%[1]d,"discount_amount":5},{"financial_account_id":%[1]d,` +
			`"discount_amount":5}`),
			fmt.Sprintf(`{"adjustments":["ajusta mais de uma vez as contas %d"]}`, account)},
		{"of nothing", adjusting(`{"financial_account_id":%d}`),
			fmt.Sprintf(`{"adjustments":["não ajusta nada na conta %d"]}`, account)},
		{"of zero", adjusting(`{"financial_account_id":%d,"fee_amount":0}`),
			`{"adjustments.fee_amount":["deve ser maior que zero"]}`},
		{"negative", adjusting(`{"financial_account_id":%d,"interest_amount":-10}`),
			`{"adjustments.interest_amount":["deve ser maior que zero"]}`},
		{"no number", adjusting(`{"financial_account_id":%d,"interest_amount":"a"}`),
			`{"adjustments.interest_amount":["não é um número: use ponto decimal, como 1234.56"]}`},
		{"below zero", adjusting(`{"financial_account_id":%d,"withheld_tax_amount":1000.01}`),
			fmt.Sprintf(`{"adjustments":["deixaria negativo o total das contas %d"]}`, account)},
		{"above the maximum", adjusting(`{"financial_account_id":%d,"interest_amount":9999999999999.99}`),
			fmt.Sprintf(`{"adjustments":["levaria além do limite o total das contas %d"]}`, account)},
		{"no list", `,"adjustments":3`, `{"adjustments":["não é válido"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.reconciles(t, ids(account), ids(transaction), c.more).wantBody(t, 422, c.want)
		})
	}
	for path, was := range before {
		equal(t, changing.ReplaceAllString(s.call(t, "GET", path).body, ""), was)
	}
}

func TestNewAccountsAreMadeAndUnmadeByAReconcile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	category, person := lastID(s.newCategory(t, `{"name":"Tarifas"}`)), lastID(s.newPerson(t, `{"name":"Banco"}`))
	file := lastID(s.newAttachment(t))
	for _, selected := range []bool{false, true} {
		t.Run(fmt.Sprintf("beside a selected one %v", selected), func(t *testing.T) {
			transactions := ids(s.moved(t, below, finance.Debit, "10"),
				lastID(s.newTransaction(t, below, finance.Debit, "2.35", "2026-03-01")))
			var accounts []int64
			first := "12.35"
			if selected {
				accounts, first = ids(s.settled(t, finance.Payable, "12")), "0.35"
			}
			count := query[int](t, s, `SELECT count(*) FROM financial_accounts`)
			a := s.reconciles(t, accounts, transactions,
				fmt.Sprintf(
					`,"new_accounts":[{"amount":%s,"description":"Tarifa","category_full_name":"tarifas","person_id":%d,
				"attachment_id_list":[%d],"financial_account_taxes_attributes":[{"tax_id":9,"amount":0.1}]}]`, first,
					person, file)).want(t, 200)
			made := strings.Trim(a.at(t, "new_financial_account_ids"), "[]")
			path := paths.FinancialAccount(s.EntityID, "payable", lastID("/"+made))
			shown := s.call(t, "GET", path).want(t, 200)
			for name, want := range map[string]string{
				"status": "3", "due_date": "2026-03-04", "occurred_at": "2026-03-04", "description": "Tarifa",
				"category_id": fmt.Sprint(category),
				"person_id":   fmt.Sprint(person), "attachment_id_list.0": fmt.Sprint(file),
				"competency_month": "2026-03",
				"financial_account_taxes_attributes.0.amount": "0.1",
				"expected_deposit_account_id":                 fmt.Sprint(lastID(below)),
			} {
				equal(t, name+" "+shown.at(t, "payable_account."+name), name+" "+want)
			}
			equal(t, s.call(t, "GET", paths.Reconciles(s.EntityID)+"/"+a.at(t, "reconcile_id")).at(t,
				"reconcile.new_financial_account_ids"), "["+made+"]")
			s.call(t, "DELETE", path).want(t, 422)
			s.agrees(t)
			s.undoes(t, a, nil)
			s.call(t, "GET", path).want(t, 404)
			equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), count)
			file = lastID(s.newAttachment(t)) // the other one went with its only record
		})
	}
}

// Each of the new accounts has classifications of its own, or none.
func TestNewAccountsAreClassified(t *testing.T) {
	t.Parallel()
	s := newService(t)
	transaction := s.moved(t, s.newDepositAccount(t), finance.Credit, "10")
	classifier := s.newClassifier(t, "Região")
	s.newValue(t, classifier, "Norte")
	s.newValue(t, classifier, "Sul")
	centers := ids(lastID(s.newCenter(t, s.EntityID, "Um")), lastID(s.newCenter(t, s.EntityID, "Dois")))
	account := func(amount int, value string, center int64) string {
		return fmt.Sprintf(
			`{"amount":%d,"custom_classifications":[{"custom_classifier_id":%d,"name":"%s","percentage":100}],
			"classification_center_classifications":[{"classification_center_id":%d,"amount":%[1]d}]}`, amount,
			lastID(classifier), value, center)
	}
	reconcile := func(accounts ...string) answer {
		return s.reconciles(t, nil, ids(transaction), `,"new_accounts":[`+strings.Join(accounts, ",")+`]`)
	}
	reconcile(account(4, "Leste", centers[0]), account(6, "norte", missingID)).wantBody(t, 422, fmt.Sprintf(
		`{"new_accounts.custom_classifications":["não existe: %d:Leste"],`+
			`"new_accounts.classification_center_classifications":["não existe: %d"]}`,
		lastID(classifier), missingID))
	reconcile(account(3, "sul", centers[1]), `{"amount":2}`, account(5, "norte", centers[0])).want(t, 200)
	shown := func(id int64) string {
		a := s.call(t, "GET", paths.FinancialAccount(s.EntityID, "receivable", id)).want(t, 200)
		return a.at(t, "receivable_account.amount") + a.at(t, "receivable_account.custom_classifications") +
			a.at(t, "receivable_account.classification_center_classifications")
	}
	equal(t, shown(2), "2.0[][]")
	for id, want := range map[int64][]string{1: {"3.0", "name:Sul", "name:Dois"}, 3: {"5.0", "name:Norte", "name:Um"}} {
		for _, part := range want {
			if got := shown(id); !strings.Contains(got, part) {
				t.Errorf("%d lacks %s: %s", id, part, got)
			}
		}
	}
}

func TestNewAccountsAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	transaction := s.moved(t, below, finance.Credit, "10")
	other := *s
	other.EntityID = s.anotherEntity(t).ID
	center := lastID(s.newCenter(t, other.EntityID, "Longe"))
	for _, c := range []struct{ name, accounts, want string }{
		{"without an amount", `{}`, `{"new_accounts.amount":["não pode ser vazio"]}`},
		{"of nothing, and of a category that does not exist", fmt.Sprintf(`{"nominal_amount":"0","category_id":%d}`,
			missingID),
			`{"new_accounts.amount":["deve ser maior que zero"],"new_accounts.category":["não existe"]}`},
		{"of a series", `{"amount":10,"create_as_recurrent":"monthly"}`,
			`{"new_accounts":["não pode começar uma série"]}`},
		{"of records that do not exist", fmt.Sprintf(`{"amount":10,"category_id":%d,"person_id":%[1]d,`+
			`"classification_center_id":%d,"expected_deposit_account_id":%[1]d,"attachment_id_list":[%[1]d]}`,
			missingID, center),
			`{"new_accounts.category":["não existe"],"new_accounts.person":["não existe"],` +
				`"new_accounts.classification_center":["não existe"],` +
				`"new_accounts.expected_deposit_account":["não existe"],"new_accounts.attachment_id_list":["não ` +
				`existe"]}`},
		{"of a category of no name", `{"amount":10,"category_full_name":"Nada"}`,
			`{"new_accounts.category":["não existe"]}`},
		{"of another sum", `{"amount":4},{"amount":5}`, `{"amount":["difere: a soma das contas é 9,00, a das ` +
			`transações é 10,00, a diferença é 1,00; ` +
			`some-a em adjustments como interest_amount ou ticket_amount"]}`},
		{"101", strings.TrimSuffix(strings.Repeat(`{"amount":0.1},`, 101), ","),
			`{"new_accounts":["tem itens demais (máximo: 100)"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.reconciles(t, nil, ids(transaction), `,"new_accounts":[`+c.accounts+`]`).wantBody(t, 422, c.want)
		})
	}
	equal(t, query[int](t, s, `SELECT (SELECT count(*) FROM financial_accounts) + (SELECT count(*) FROM reconciles)`),
		0)
	token := s.member(t, finance.Access{AllEntities: true, Denied: []string{"receivable_accounts"}})
	s.reconciles(t, nil, ids(transaction), `,"new_accounts":[{"amount":10}]`, as(token)).want(t, 403)
	s.reconciles(t, nil, ids(transaction),
		`,"new_accounts":[`+strings.TrimSuffix(strings.Repeat(`{"amount":0.1},`, 100), ",")+`]`).want(t, 200)
}

// A fee is not what a customer paid less: the sales keep their difference.
func TestAReconcileSettlesAndAdjustsTheReceivablesOfSales(t *testing.T) {
	t.Parallel()
	s, _, path := newReceivables(t, true)
	below := s.newDepositAccount(t)
	for _, c := range []struct{ moved, adjustment, sales string }{
		{"190", `"fee_amount":6`, "3 2026-03-04, 3 2026-03-04"},
		{"190", `"fee_amount":4,"withheld_tax_amount":1,"discount_amount":1`, "3 2026-03-04 -0.50, 3 2026-03-04 -0.50"},
		{"196", ``, "3 2026-03-04, 3 2026-03-04"},
	} {
		before := s.documents(t, path)
		more := `,"settle_open":true`
		if c.adjustment != "" {
			more += fmt.Sprintf(`,"adjustments":[{"financial_account_id":%d,%s}]`, lastID(path), c.adjustment)
		}
		a := s.reconciles(t, ids(lastID(path)), ids(s.moved(t, below, finance.Credit, c.moved)), more).want(t, 200)
		equal(t, s.statuses(t), c.sales)
		s.agrees(t)
		s.undoes(t, a, before)
		equal(t, s.statuses(t), "1, 1")
		s.verified(t)
	}
}

// removeHidden removes a deleted record with everything below it, as a worker does.
func (s *service) removeHidden(t testing.TB, of jobs.DeleteCascade) {
	t.Helper()
	ctx := t.Context()
	keep := func(do func(*storage.Tx) error) error { return s.store.InTx(ctx, do) }
	c, err := cascade.Open(ctx, s.store, of, "")
	if err == nil {
		err = c.Begin(ctx, s.store, keep)
	}
	for err == nil && !c.Done() {
		if err = c.Ready(ctx, s.store); err == nil && !c.Done() {
			err = c.Chunk(ctx, keep)
		}
	}
	if err == nil {
		err = s.store.InTx(ctx, func(tx *storage.Tx) error { return c.Remove(ctx, tx) })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What takes a transaction away gives its accounts back what they were, as DELETE does.
func TestADeletionUndoesAReconcileExactly(t *testing.T) {
	t.Parallel()
	s, _, sold := newReceivables(t, true)
	below, kept := s.newDepositAccount(t), s.newDepositAccount(t)
	path := s.newAccount(t, finance.Receivable, fmt.Sprintf(`"due_date":"2026-03-01","amount":10,`+
		`"expected_deposit_account_id":%d`, lastID(kept)))
	gone := s.newAccount(t, finance.Receivable, fmt.Sprintf(`"due_date":"2026-03-01","amount":20,`+
		`"expected_deposit_account_id":%d`, lastID(below)))
	before := s.documents(t, path, sold)
	stays := s.moved(t, kept, finance.Credit, "1")
	transactions := ids(s.moved(t, below, finance.Credit, "100"), s.moved(t, below, finance.Credit, "129.5"), stays)
	s.reconciles(t, ids(lastID(path), lastID(sold), lastID(gone)), transactions,
		fmt.Sprintf(`,"settle_open":true,"adjustments":[{"financial_account_id":%d,"fee_amount":5.5}],`+
			`"new_accounts":[{"amount":10}]`, lastID(sold))).want(t, 200)
	s.agrees(t)
	s.call(t, "DELETE", below).want(t, 200)
	s.removeHidden(t, jobs.DeleteCascade{AccountID: s.AccountID, Root: "deposit_accounts", ID: lastID(below)})
	for path, was := range before {
		equal(t, changing.ReplaceAllString(s.call(t, "GET", path).want(t, 200).body, ""), was)
	}
	equal(t, s.call(t, "GET", gone).at(t, "receivable_account.status"), "1")
	equal(t, s.call(t, "GET", gone).at(t, "receivable_account.expected_deposit_account_id"), "<nil>")
	equal(t, query[int](t, s, `SELECT (SELECT count(*) FROM reconciles) + (SELECT count(*) FROM financial_accounts
		WHERE before_reconcile IS NOT NULL)`), 0)
	equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 3)
	equal(t, s.statuses(t), "1, 1")
	s.verified(t)
}

// An account that was reconciled before this release kept nothing of what it was.
func TestAReconcileOfAnEarlierReleaseIsUndone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	account := s.settled(t, finance.Payable, "10")
	id := s.match(t, ids(account), ids(s.moved(t, below, finance.Debit, "10"))).want(t, 200).at(t, "reconcile_id")
	s.exec(t, `UPDATE financial_accounts SET before_reconcile = NULL`)
	s.call(t, "DELETE", paths.Reconciles(s.EntityID)+"/"+id).want(t, 200)
	shown := s.call(t, "GET", paths.FinancialAccount(s.EntityID, "payable", account))
	equal(t, shown.at(t, "payable_account.status")+" "+shown.at(t, "payable_account.occurred_at")+" "+
		shown.at(t, "payable_account.expected_deposit_account_id"),
		fmt.Sprintf("2 2026-03-04 %d", lastID(below)))
	s.agrees(t)
}

func TestABatchReconcilesWhatItCan(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	path := paths.Reconciles(s.EntityID) + "/batch"
	account, open := s.settled(t, finance.Receivable, "10"),
		lastID(s.newAccount(t, finance.Receivable, `"due_date":"2026-03-01","amount":20`))
	ten, twenty, thirty := s.moved(t, below, finance.Credit, "10"), s.moved(t, below, finance.Credit, "20"),
		s.moved(t, below, finance.Credit, "30")
	item := func(accounts, transactions []int64, more string) string {
		return `{"reconcile":` + strings.TrimSuffix(reconciling(accounts, transactions), "}") + more + `}}`
	}
	items := []string{
		item(ids(account), ids(ten), ``),
		item(ids(account), ids(ten), ``), // by now reconciled
		item(ids(open), ids(twenty), `,"settle_open":true`),
		item(nil, ids(thirty), `,"new_accounts":[{"amount":"30"}]`),
		item(nil, ids(missingID), `,"new_accounts":[{"amount":"30"}]`),
	}
	state := func() string {
		return query[string](t, s, `SELECT concat_ws(' ', (SELECT count(*) FROM reconciles),
			(SELECT string_agg(status::text, ',' ORDER BY id) FROM financial_accounts),
			(SELECT count(*) FROM financial_transactions WHERE reconcile_id IS NOT NULL))`)
	}
	all := strings.Join(items, ",")
	before := state()
	refused := s.call(t, "POST", path, document(`{"atomic":true,"items":[`+all+`]}`)).want(t, 422)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.at(t, "results.0.status")+" "+
		refused.at(t, "results.4.status"), "batch_refused <nil> 422")
	equal(t, refused.at(t, "results.1.errors.selected_financial_account_ids.0"),
		fmt.Sprintf("já conciliado: %d", account))
	equal(t, state(), before)
	key := with("Idempotency-Key", "batch-1")
	var done answer
	for range 2 { // the second is the first's answer
		done = s.call(t, "POST", path, document(`{"items":[`+all+`]}`), key).want(t, 200)
		for i, want := range []string{"200", "422", "200", "200", "422"} {
			equal(t, done.at(t, fmt.Sprintf("results.%d.status", i)), want)
		}
		equal(t, done.at(t, "sums.created")+" "+done.at(t, "sums.failed"), "3 2")
		equal(t, done.at(t, "results.2.body.financial_accounts.0.status_name"), "reconciled")
		equal(t, state(), "3 3,3,3 3")
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM unsealed_changes WHERE family = 'reconciles'`), 3)
	s.agrees(t)
	// An item is the body of a request of its own, too.
	equal(t, s.call(t, "POST", paths.Reconciles(s.EntityID), document(items[1])).want(t, 422).
		at(t, "selected_financial_account_ids.0"), fmt.Sprintf("já conciliado: %d", account))

	many := strings.TrimSuffix(strings.Repeat(`{"reconcile":{}},`, 501), ",")
	rows := strings.TrimSuffix(strings.Repeat(`{"amount":1},`, 100), ",")
	var several []int64
	for id := range int64(finance.MaxReconciled) {
		several = append(several, missingID+id)
	}
	for text, want := range map[string]string{
		`{}`:                       `{"items":["não pode ser vazio"]}`,
		`{"items":[]}`:             `{"items":["não pode ser vazio"]}`,
		`{"items":[1]}`:            `{"items":["não é válido"]}`,
		`{"items":[` + many + `]}`: `{"items":["tem itens demais (máximo: 500)"]}`,
		`{"items":[` + strings.TrimSuffix(strings.Repeat(item(nil, ids(ten), `,"new_accounts":[`+rows+`]`)+",", 51),
			",") + `]}`: `{"items":["teria 5151 registros, entre criados e selecionados (máximo: 5000)"]}`,
		`{"items":[` + strings.TrimSuffix(strings.Repeat(item(several, ids(ten), ``)+",", 6), ",") +
			`]}`: `{"items":["teria 6006 registros, entre criados e selecionados (máximo: 5000)"]}`,
	} {
		s.call(t, "POST", path, document(text)).wantBody(t, 422, want)
	}
	values := `{"items":[` + item(nil, slices.Repeat(ids(ten), 100_000), ``) + `]}` // more than a document may have
	equal(t, s.call(t, "POST", path, document(values)).want(t, 200).at(t, "results.0.status"), "422")
	token := s.member(t, finance.Access{AllEntities: true, Denied: []string{"receivable_accounts"}})
	s.call(t, "DELETE", paths.Reconciles(s.EntityID)+"/"+done.at(t, "results.3.body.reconcile_id")).want(t, 200)
	lacking := s.call(t, "POST", path, document(`{"items":[`+items[3]+`]}`), as(token)).want(t, 200)
	equal(t, lacking.at(t, "results.0.status"), "403")
}
