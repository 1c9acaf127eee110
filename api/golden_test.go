package api_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/finance"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestGoldens walks through the resources once in each format. Ids are the same
// in every run, because each walk has a database of its own; moments are not.
func TestGoldens(t *testing.T) {
	t.Parallel()
	const account, cash = "/entities/1/deposit_accounts/1", "/entities/1/deposit_accounts/2"
	for format, documents := range map[string]map[string]string{
		"json": {
			"entity":          `{"entity":{"name":"Padaria & Cia","federation_subscription_number":"12.ABC.345/01DE-35","force_destroy":true}}`,
			"checking":        `{"deposit_account":{"name":"Conta <1>","deposit_account_type_id":1,"bank_account_id":237,"account_number":"12345-6","description":"Loja","initial_balance":"1500.00","archive":true}}`,
			"register":        `{"deposit_account":{"name":"Caixa","deposit_account_type_id":8,"bank_account_id":237}}`,
			"opening":         `{"deposit_account":{"opened_at":"2026-08-03T08:00:00-03:00","opening_responsible_id":"17","opening_responsible_name":"Ana"}}`,
			"closing":         `{"deposit_account":{"closed_at":"2026-08-03T18:00:00-03:00","closing_responsible_id":"18","closing_responsible_name":"Rui"}}`,
			"transaction":     `{"financial_transaction":{"type":"Debit","amount":"0.15099E3","occurred_at":"2026-08-03","document":"NF 1","user_description":"Farinha \"00\"","observation":"a\nb"}}`,
			"bad entity":      `{"entity":{"name":"","federation_subscription_number":"1"}}`,
			"bad account":     `{"deposit_account":{}}`,
			"bad transaction": `{"financial_transaction":{"type":"","amount":"1.005","occurred_at":"2026-02-30"}}`,
		},
		"xml": {
			"entity":   `<entity><name>Padaria &amp; Cia</name><federation-subscription-number>12.ABC.345/01DE-35</federation-subscription-number><force-destroy type="boolean">true</force-destroy></entity>`,
			"checking": `<deposit-account><name>Conta &lt;1&gt;</name><deposit-account-type-id>1</deposit-account-type-id><bank-account-id>237</bank-account-id><account-number>12345-6</account-number><description>Loja</description><initial-balance>1500.00</initial-balance><archive>true</archive></deposit-account>`,
			"register": `<deposit-account><name>Caixa</name><deposit-account-type-id>8</deposit-account-type-id><bank-account-id>237</bank-account-id></deposit-account>`,
			"opening":  `<deposit-account><opened-at type="datetime">2026-08-03T08:00:00-03:00</opened-at><opening-responsible-id>17</opening-responsible-id><opening-responsible-name>Ana</opening-responsible-name></deposit-account>`,
			"closing":  `<deposit-account><closed-at>2026-08-03T18:00:00-03:00</closed-at><closing-responsible-id>18</closing-responsible-id><closing-responsible-name>Rui</closing-responsible-name></deposit-account>`,
			"transaction": `<financial-transaction><type>Debit</type><amount type="decimal">0.15099E3</amount><occurred-at type="date">2026-08-03</occurred-at>` +
				"<document>NF 1</document><user-description>Farinha \"00\"</user-description><observation>a\nb</observation></financial-transaction>",
			"bad entity":      `<entity><name/><federation-subscription-number>1</federation-subscription-number></entity>`,
			"bad account":     `<deposit-account></deposit-account>`,
			"bad transaction": `<financial-transaction><type></type><amount>1.005</amount><occurred-at>2026-02-30</occurred-at></financial-transaction>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			golden := func(name, method, path string, status int, options ...option) {
				t.Helper()
				a := s.call(t, method, path, append(options, with("Accept", "application/"+format))...).want(t, status)
				compare(t, name+"."+format, a.body)
			}
			send := func(name string) option { return document(documents[name]) }

			golden("accounts", "GET", "/accounts", 200)
			golden("entity_new", "GET", "/entities/new", 200)
			golden("entity_created", "POST", "/entities", 201, send("entity"))
			golden("entity_updated", "PUT", "/entities/2", 200, send("entity"))
			golden("entity_one", "GET", "/entities/2", 200)
			golden("entity_list", "GET", "/entities", 200)
			golden("entity_invalid", "POST", "/entities", 422, send("bad entity"))
			golden("entity_missing", "GET", "/entities/3", 404)

			golden("deposit_account_created", "POST", "/entities/1/deposit_accounts", 201, send("checking"))
			s.call(t, "POST", "/entities/1/deposit_accounts", send("register")).want(t, 201)
			golden("deposit_account_opened", "PUT", cash+"/open", 200, send("opening"))
			golden("deposit_account_closed", "PUT", cash+"/close", 200, send("closing"))
			golden("deposit_account_refused", "PUT", cash+"/close", 422, send("closing"))
			golden("deposit_account_invalid", "POST", "/entities/1/deposit_accounts", 422, send("bad account"))

			golden("financial_transaction_created", "POST", account+"/financial_transactions", 201, send("transaction"))
			golden("financial_transaction_updated", "PUT", account+"/financial_transactions/1", 200, send("transaction"))
			golden("financial_transaction_one", "GET", account+"/financial_transactions/1", 200)
			golden("financial_transaction_list", "GET", account+"/financial_transactions", 200)
			golden("financial_transaction_empty", "GET", account+"/financial_transactions?page=2", 200)
			golden("financial_transaction_invalid", "POST", account+"/financial_transactions", 422, send("bad transaction"))
			golden("deposit_account_one", "GET", account, 200)
			golden("deposit_account_list", "GET", "/entities/1/deposit_accounts", 200)

			golden("bank_statement_created", "POST", account+"/bank_statements", 201, parts(file("extrato.ofx", ofx)))
			golden("bank_statement_invalid", "POST", account+"/bank_statements", 422, parts(file("extrato.ofx", "")))
			s.finishImport(t)
			golden("bank_statement_one", "GET", account+"/bank_statements/1", 200)
			golden("bank_statement_list", "GET", account+"/bank_statements", 200)
		})
	}
}

// finishImport leaves the first statement as the worker does that has read it.
func (s *service) finishImport(t *testing.T) {
	t.Helper()
	s.exec(t, `UPDATE bank_statements SET event_status = 'success', event_output = $1, event_finished_at = $2, imported_items_count = 8,
		future_items_ignored_count = 1, amount_zero_items_ignored_count = 2, invalid_date_items_ignored_count = 3, balance_items_ignored_count = 4,
		duplicate_items_ignored_count = 5, other_account_items_ignored_count = 6, ledger_balance = -68.50, ledger_balance_on = '2026-08-31',
		period_start = '2026-08-01', period_end = '2026-08-31' WHERE id = 1`,
		finance.ImportCounts{ImportedItemsCount: 8}.Output(nil), time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC))
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// compare holds a body to a golden file, where each element and member is a line.
func compare(t *testing.T, name, body string) {
	t.Helper()
	body = uuids.ReplaceAllString(timeless(body), "00000000-0000-0000-0000-000000000000")
	lines := strings.NewReplacer("><", ">\n<", `,"`, ",\n\"", `},{`, "},\n{").Replace(body) + "\n"
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run go test ./api -run Goldens -update", err)
	}
	equal(t, lines, string(want))
}
