package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/storagetest"
)

// newServiceOn returns a service whose clock stands still at noon of a day.
func newServiceOn(t testing.TB, day string) *service {
	t.Helper()
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) {
		now, err := time.ParseInLocation(time.DateOnly, day, c.Zone)
		if err != nil {
			t.Fatal(err)
		}
		c.Now = func() time.Time { return now.Add(12 * time.Hour) }
	})
	s.db = database.Owner
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s
}

// flows makes books with a transfer under way, overdue accounts, one that was paid and one in another currency,
// and returns the two deposit accounts.
func (s *service) flows(t testing.TB) (first, second string) {
	t.Helper()
	balance := finance.Amount(1000_00)
	first = s.newDepositAccount(t, func(d *finance.DepositAccount) { d.InitialBalance = &balance })
	second = s.newDepositAccount(t)
	s.newTransaction(t, first, finance.Credit, "100", "2026-07-31")
	s.newTransaction(t, first, finance.Debit, "30.5", "2026-08-03")
	s.newPair(t, s.newTransaction(t, first, finance.Debit, "40", "2026-08-02"),
		s.newTransaction(t, second, finance.Credit, "40", "2026-08-04"))
	s.newTransaction(t, second, finance.Credit, "7", "2026-08-20")
	expected := func(kind finance.AccountKind, fields string) { s.newAccount(t, kind, fields) }
	expected(finance.Payable, fmt.Sprintf(`"due_date":"2026-07-01","amount":50,"ticket_amount":2,"interest_amount":1,`+
		`"discount_amount":3,"expected_deposit_account_id":%d`, lastID(second)))
	expected(finance.Payable, `"due_date":"2026-08-10","amount":2000`)
	expected(finance.Receivable, fmt.Sprintf(`"due_date":"2026-08-12","amount":1500,"expected_deposit_account_id":%d`,
		lastID(first)))
	expected(finance.Receivable, `"due_date":"2026-09-01","amount":5`)
	expected(finance.Payable, `"due_date":"2026-08-01","occurred_at":"2026-08-02","amount":45`)
	s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	return first, second
}

// bucketOf returns the days, sums and addresses of a bucket.
func bucketOf(t testing.TB, bucket any) string {
	t.Helper()
	var sums []string
	for _, name := range []string{"from", "to", "opening", "realised_in", "realised_out", "expected_in",
		"expected_out", "closing"} {
		sums = append(sums, within(t, bucket, name))
	}
	return strings.Join(sums, " ")
}

func bucketsOf(t testing.TB, buckets any) (all []string) {
	t.Helper()
	for _, b := range buckets.([]any) {
		all = append(all, bucketOf(t, b))
	}
	return all
}

func TestCashFlow(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-08-05")
	first, second := s.flows(t)
	ask := func(query string) map[string]any {
		t.Helper()
		a := s.call(t, "GET", "/entities/1/cash_flow?"+query).want(t, 200)
		return a.value(t).(map[string]any)["cash_flow"].(map[string]any)
	}
	t.Run("by week and by account", func(t *testing.T) {
		f := ask("from=2026-08-01&to=2026-08-16&by=week&by_account=true")
		equal(t, bucketsOf(t, f["buckets"]), []string{
			"2026-08-01 2026-08-02 1100.0 0.0 0.0 0.0 0.0 1100.0",
			"2026-08-03 2026-08-09 1100.0 0.0 30.5 0.0 50.0 1019.5",
			"2026-08-10 2026-08-16 1019.5 0.0 0.0 1500.0 2000.0 519.5",
		})
		accounts := f["accounts"].([]any)
		equal(t, len(accounts), 3)
		for i, want := range []struct {
			id    string
			lines []string
		}{
			{fmt.Sprint(lastID(first)), []string{
				"2026-08-01 2026-08-02 1100.0 0.0 40.0 0.0 0.0 1060.0",
				"2026-08-03 2026-08-09 1060.0 0.0 30.5 0.0 0.0 1029.5",
				"2026-08-10 2026-08-16 1029.5 0.0 0.0 1500.0 0.0 2529.5"}},
			{fmt.Sprint(lastID(second)), []string{
				"2026-08-01 2026-08-02 0.0 0.0 0.0 0.0 0.0 0.0",
				"2026-08-03 2026-08-09 0.0 40.0 0.0 0.0 50.0 -10.0",
				"2026-08-10 2026-08-16 -10.0 0.0 0.0 0.0 0.0 -10.0"}},
			{"<nil>", []string{
				"2026-08-01 2026-08-02 0.0 0.0 0.0 0.0 0.0 0.0",
				"2026-08-03 2026-08-09 0.0 0.0 0.0 0.0 0.0 0.0",
				"2026-08-10 2026-08-16 0.0 0.0 0.0 0.0 2000.0 -2000.0"}},
		} {
			equal(t, within(t, accounts[i], "deposit_account_id"), want.id)
			equal(t, bucketsOf(t, accounts[i].(map[string]any)["buckets"]), want.lines)
		}
		equal(t, within(t, f, "lowest.on")+" "+within(t, f, "lowest.closing"), "2026-08-10 -980.5")
		equal(t, within(t, f, "other_currencies"), "[2]")
		equal(t, within(t, f, "paid_without_transaction.in")+" "+within(t, f, "paid_without_transaction.out"),
			"0.0 45.0")
	})
	t.Run("opens after today with all that is expected before", func(t *testing.T) {
		f := ask("from=2026-08-11&to=2026-09-30")
		equal(t, bucketsOf(t, f["buckets"]), []string{
			"2026-08-11 2026-08-31 -980.5 7.0 0.0 1500.0 0.0 526.5",
			"2026-09-01 2026-09-30 526.5 0.0 0.0 5.0 0.0 531.5",
		})
		equal(t, within(t, f, "by"), "month")
	})
	t.Run("expects nothing before today", func(t *testing.T) {
		equal(t, bucketsOf(t, ask("from=2026-06-01&to=2026-08-04")["buckets"]), []string{
			"2026-06-01 2026-06-30 1000.0 0.0 0.0 0.0 0.0 1000.0",
			"2026-07-01 2026-07-31 1000.0 100.0 0.0 0.0 0.0 1100.0",
			"2026-08-01 2026-08-04 1100.0 0.0 30.5 0.0 0.0 1069.5",
		})
	})
	t.Run("is in one currency", func(t *testing.T) {
		f := ask("from=2026-08-01&to=2026-08-31&currency_id=2")
		equal(t, bucketsOf(t, f["buckets"]), []string{"2026-08-01 2026-08-31 0.0 0.0 0.0 0.0 0.0 0.0"})
		equal(t, within(t, f, "other_currencies")+within(t, f, "paid_without_transaction.out"), "[1]0.0")
	})
	t.Run("names the lists of its sums", func(t *testing.T) {
		const list = publicURL + "/entities/1/"
		lists := func(bucket any) map[string]string {
			all := map[string]string{}
			for name, href := range bucket.(map[string]any)["lists"].(map[string]any) {
				text, err := url.QueryUnescape(fmt.Sprint(href))
				if err != nil {
					t.Error(err)
				}
				all[name] = strings.TrimPrefix(text, list)
			}
			return all
		}
		f := ask("from=2026-08-01&to=2026-08-31&by_account=true")
		equal(t, lists(f["buckets"].([]any)[0]), map[string]string{
			"realised_in": "financial_transactions?search[currency_id]=1&search[occurred_at_gte]=2026-08-01" +
				"&search[occurred_at_lte]=2026-08-31&search[transfer_id_is_null]=true&search[type]=Credit",
			"realised_out": "financial_transactions?search[currency_id]=1&search[occurred_at_gte]=2026-08-01" +
				"&search[occurred_at_lte]=2026-08-31&search[transfer_id_is_null]=true&search[type]=Debit",
			"expected_in":  "receivable_accounts?search[due_date_lte]=2026-08-31&search[status]=1",
			"expected_out": "payable_accounts?search[due_date_lte]=2026-08-31&search[status]=1",
		})
		equal(t, lists(f["accounts"].([]any)[1].(map[string]any)["buckets"].([]any)[0]), map[string]string{
			"realised_in": fmt.Sprintf("financial_transactions?search[deposit_account_id]=%d&search[occurred_at_gte]="+
				"2026-08-01&search[occurred_at_lte]=2026-08-31&search[type]=Credit", lastID(second)),
			"expected_out": fmt.Sprintf("payable_accounts?search[due_date_lte]=2026-08-31"+
				"&search[expected_deposit_account_id]=%d&search[status]=1", lastID(second)),
		})
		equal(t, lists(f["accounts"].([]any)[2].(map[string]any)["buckets"].([]any)[0]), map[string]string{
			"expected_out": "payable_accounts?search[due_date_lte]=2026-08-31" +
				"&search[expected_deposit_account_id_is_null]=true&search[status]=1",
		})
		f = ask("from=2026-08-06&to=2026-08-31")
		equal(t, lists(f["buckets"].([]any)[0])["expected_in"],
			"receivable_accounts?search[due_date_gte]=2026-08-06&search[due_date_lte]=2026-08-31&search[status]=1")
	})
}

func TestCashFlowRefusals(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := storagetest.NewTenant(t, s.store)
	const blank, notDate, none = `["não pode ser vazio"]`, `["não é uma data válida"]`, `["não existe"]`
	for query, want := range map[string]string{
		"":                            `{"from":` + blank + `,"to":` + blank + `}`,
		"from=&to=x":                  `{"from":` + blank + `,"to":` + notDate + `}`,
		"from=10000-01-01&to=31/12":   `{"from":` + notDate + `,"to":` + notDate + `}`,
		"from=0001-01-01&to=9999-12":  `{"to":` + notDate + `,"from":` + notDate + `}`,
		"from=2026-02-02&to=20260202": `{"to":` + notDate + `}`,
		"from=2026-02-02&to=2026-02-01&by=year&currency_id=999&by_account=sim": `{"currency_id":` + none +
			`,"by_account":["deve ser true ou false"],"by":["não está incluso na lista"],` +
			`"to":["não pode ser antes de from"]}`,
		"from=2026-02-02&to=2026-02-01&currency_id=x": `{"currency_id":["não é um número inteiro"],` +
			`"to":["não pode ser antes de from"]}`,
		"from=2026-01-01&to=2027-02-05&by=day":  `{"by":["daria 401 períodos, e o máximo é 400: use by=week"]}`,
		"from=2019-05-06&to=2027-01-04&by=week": `{"by":["daria 401 períodos, e o máximo é 400: use by=month"]}`,
		"from=0001-01-02&to=9999-12-31": `{"by":["daria 119988 períodos, e o máximo é 400: nenhum by cabe no ` +
			`intervalo"]}`,
		"from=2026-01-01&to=2026-01-31&%zz": `{"base":["a parte da URL depois de ? não pode ser lida"]}`,
	} {
		for _, path := range []string{"/entities/1/cash_flow", "/cash_flow"} {
			if a := s.call(t, "GET", path+"?"+query).want(t, 422); !strings.Contains(query, "%zz") {
				equal(t, sortedKeys(t, a.body), sortedKeys(t, want))
			}
		}
	}
	const month = "?from=2026-01-01&to=2026-01-31"
	for path, status := range map[string]int{
		"/entities/9999/cash_flow" + month:                                        404,
		fmt.Sprintf("/entities/%d/cash_flow", foreign.EntityID) + month:           404,
		fmt.Sprintf("/entities/%d/cash_flow?by=x", foreign.EntityID):              404,
		"/cash_flow" + month + "&entities=9999":                                   422,
		fmt.Sprintf("/cash_flow%s&entities=%d", month, foreign.EntityID):          422,
		"/cash_flow" + month + "&entities=x":                                      422,
		"/cash_flow" + month + "&entities=1":                                      200,
		"/entities/1/cash_flow?from=9999-12-01&to=9999-12-31&by=day&by_account=1": 200,
		"/entities/1/cash_flow?from=0001-01-02&to=0001-02-05&by=week":             200,
		"/entities/1/cash_flow" + month + "&from=2026-02-01":                      422,
	} {
		s.call(t, "GET", path).want(t, status)
	}
	s.call(t, "GET", "/cash_flow?from=x&entities=9999").wantBody(t, 422, `{"from":`+notDate+`,"to":`+blank+
		`,"entities":["não existe: 9999"]}`)
	p := s.refusal(t, "GET", "/cash_flow?from=2026-01-01&to=2027-02-05&by=day")
	equal(t, fmt.Sprint(p.Code, " ", p.Errors[0].Parameter), "too_many_buckets by")

	alone := s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions",
		"payable_accounts", "receivable_accounts", "credit_cards"}})
	without := s.member(t, finance.Access{AllEntities: true, Denied: []string{"cash_flows"}})
	none0 := s.member(t, finance.Access{})
	s.call(t, "GET", "/entities/1/cash_flow"+month, as(alone)).want(t, 200)
	s.call(t, "GET", "/cash_flow"+month, as(alone)).want(t, 200)
	s.call(t, "GET", "/entities/1/cash_flow"+month, as(without)).want(t, 403)
	s.call(t, "GET", "/cash_flow"+month, as(without)).want(t, 403)
	s.call(t, "GET", "/entities/1/cash_flow"+month, as(none0)).want(t, 404)
	equal(t, s.call(t, "GET", "/cash_flow"+month, as(none0)).want(t, 200).at(t, "cash_flow.closing"), "0.0")
}

// A cash flow by account is refused before its buckets are allocated. Expected money without a deposit account counts
// as one more account.
func TestCashFlowsByAccountAreBounded(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-01-05")
	add := func(n int) {
		t.Helper()
		s.exec(t, `INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
			SELECT $1, $2, 'C' || n, 1, 1 FROM generate_series(1, $3::int) n`, s.AccountID, s.EntityID, n)
	}
	add(250)
	days := paths.Entity(s.EntityID) + "/cash_flow%s?from=2026-01-01&to=2027-02-04&by=%s&by_account=%v"
	rows := s.call(t, "GET", fmt.Sprintf(days, ".csv", "day", true)).want(t, 200).rows(t, ',')
	equal(t, len(rows), 1+250*400)
	equal(t, rows[400][1]+" "+rows[400][2], "C1 2027-02-04")
	s.newAccount(t, finance.Payable, `"due_date":"2026-01-10","amount":1`)
	refused := func() {
		t.Helper()
		for _, suffix := range []string{"", ".csv"} {
			s.call(t, "GET", fmt.Sprintf(days, suffix, "day", true)).wantBody(t, 422, `{"by_account":["daria 100400 `+
				`períodos, 400 em cada uma de 251 contas bancárias, e o máximo é 100000 ao todo"]}`)
		}
	}
	refused()
	s.exec(t, `UPDATE financial_accounts SET expected_deposit_account_id = (SELECT min(id) FROM deposit_accounts)`)
	s.call(t, "GET", fmt.Sprintf(days, ".csv", "day", true)).want(t, 200)
	add(1)
	refused()
	s.call(t, "GET", fmt.Sprintf(days, "", "week", true)).want(t, 200)
	s.call(t, "GET", fmt.Sprintf(days, "", "day", false)).want(t, 200)
}

// sortedKeys returns a JSON object with its members in order.
func sortedKeys(t testing.TB, body string) string {
	t.Helper()
	return fmt.Sprint(answer{body: body}.value(t))
}

// TestGoldensOfCashFlow is TestGoldens for cash flows.
func TestGoldensOfCashFlow(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "xml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newServiceOn(t, "2026-08-05")
			s.flows(t)
			const query = "cash_flow?from=2026-08-03&to=2026-08-16&by=week&by_account=true"
			s.golden(t, format, "GET", "/entities/1/"+query, 200)
			s.golden(t, format, "GET", "/"+query, 200)
		})
	}
}
