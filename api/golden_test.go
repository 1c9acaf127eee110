package api_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/finance"
)

var update = flag.Bool("update", false, "write the goldens")

// TestGoldens compares the answers of the resources with goldens, in each format. Each format has
// a database of its own, so ids are the same in every run; times are replaced. The goldens are
// the examples of the document too, see goldens in openapi/openapi.go.
func TestGoldens(t *testing.T) {
	t.Parallel()
	const account, cash = "/entities/1/deposit_accounts/1", "/entities/1/deposit_accounts/2"
	for format, documents := range map[string]map[string]string{
		"json": {
			"entity": `{"entity":{"name":"Padaria & Cia",` +
				`"federation_subscription_number":"12.ABC.345/01DE-35","force_destroy":true}}`,
			"checking": `{"deposit_account":{"name":"Conta <1>","deposit_account_type_id":1,` +
				`"bank_account_id":237,"account_number":"12345-6","description":"Loja","initial_balance":"1500.00",` +
				`"automatic_reconciliation":true,"archive":true}}`,
			"register": `{"deposit_account":{"name":"Caixa","deposit_account_type_id":8,"bank_account_id":237}}`,
			"opening": `{"deposit_account":{"opened_at":"2026-08-03T08:00:00-03:00",` +
				`"opening_responsible_id":"17","opening_responsible_name":"Ana"}}`,
			"closing": `{"deposit_account":{"closed_at":"2026-08-03T18:00:00-03:00",` +
				`"closing_responsible_id":"18","closing_responsible_name":"Rui"}}`,
			"transaction": `{"financial_transaction":{"type":"Debit","amount":"0.15099E3",` +
				`"occurred_at":"2026-08-03","document":"NF 1","user_description":"Farinha \"00\"",` +
				`"observation":"a\nb"}}`,
			"bad entity":      `{"entity":{"name":"","federation_subscription_number":"1"}}`,
			"bad account":     `{"deposit_account":{}}`,
			"bad transaction": `{"financial_transaction":{"type":"","amount":"1.005","occurred_at":"2026-02-30"}}`,
		},
		"xml": {
			"entity": `<entity><name>Padaria &amp; Cia</name><federation-subscription-number>` +
				`12.ABC.345/01DE-35</federation-subscription-number><force-destroy type="boolean">` +
				`true</force-destroy></entity>`,
			"checking": `<deposit-account><name>Conta &lt;1&gt;</name><deposit-account-type-id>` +
				`1</deposit-account-type-id><bank-account-id>237</bank-account-id><account-number>` +
				`12345-6</account-number><description>Loja</description><initial-balance>1500.00</initial-balance>` +
				`<archive>true</archive></deposit-account>`,
			"register": `<deposit-account><name>Caixa</name><deposit-account-type-id>8</deposit-account-type-id>` +
				`<bank-account-id>237</bank-account-id></deposit-account>`,
			"opening": `<deposit-account><opened-at type="datetime">2026-08-03T08:00:00-03:00</opened-at>` +
				`<opening-responsible-id>17</opening-responsible-id><opening-responsible-name>` +
				`Ana</opening-responsible-name></deposit-account>`,
			"closing": `<deposit-account><closed-at>2026-08-03T18:00:00-03:00</closed-at><closing-responsible-id>` +
				`18</closing-responsible-id><closing-responsible-name>Rui</closing-responsible-name></deposit-account>`,
			"transaction": `<financial-transaction><type>Debit</type><amount type="decimal">0.15099E3</amount>` +
				`<occurred-at type="date">2026-08-03</occurred-at>` +
				"<document>NF 1</document><user-description>Farinha " +
				"\"00\"</user-description><observation>a\nb</observation></financial-transaction>",
			"bad entity": `<entity><name/><federation-subscription-number>1</federation-subscription-number>` +
				`</entity>`,
			"bad account": `<deposit-account></deposit-account>`,
			"bad transaction": `<financial-transaction><type></type><amount>1.005</amount><occurred-at>` +
				`2026-02-30</occurred-at></financial-transaction>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			send := func(name string) option { return document(documents[name]) }

			golden("GET", "/accounts", 200)
			golden("GET", "/entities/new", 200)
			golden("POST", "/entities", 201, send("entity"))
			golden("PUT", "/entities/2", 200, send("entity"))
			golden("GET", "/entities/2", 200)
			golden("GET", "/entities", 200)
			golden("POST", "/entities", 422, send("bad entity"))
			golden("GET", "/entities/3", 404)

			golden("POST", "/entities/1/deposit_accounts", 201, send("checking"))
			s.call(t, "POST", "/entities/1/deposit_accounts", send("register")).want(t, 201)
			golden("PUT", cash+"/open", 200, send("opening"))
			golden("PUT", cash+"/close", 200, send("closing"))
			golden("PUT", cash+"/close", 422, send("closing"))
			golden("GET", cash+"/sessions", 200)
			golden("POST", "/entities/1/deposit_accounts", 422, send("bad account"))

			golden("POST", account+"/financial_transactions", 201, send("transaction"))
			golden("PUT", account+"/financial_transactions/1", 200, send("transaction"))
			golden("GET", account+"/financial_transactions/1", 200)
			golden("GET", account+"/financial_transactions", 200)
			empty := s.call(t, "GET", account+"/financial_transactions."+format+"?page=2").want(t, 200)
			compare(t, "listFinancialTransactions_200_empty."+format, empty.body)
			golden("POST", account+"/financial_transactions", 422, send("bad transaction"))
			golden("GET", account, 200)
			golden("GET", "/entities/1/deposit_accounts", 200)

			golden("POST", account+"/bank_statements", 201, parts(file("extrato.ofx", ofx)))
			golden("POST", account+"/bank_statements", 422, parts(file("extrato.ofx", "")))
			s.finishImport(t, 1)
			// what was typed differs, and nothing else
			s.exec(t, `UPDATE deposit_accounts SET initial_balance = -56 WHERE id = 1`)
			golden("GET", account+"/bank_statements/1", 200)
			golden("GET", account+"/bank_statements", 200)
			golden("POST", account+"/bank_statements/1/opening_balance", 200)
			golden("POST", account+"/bank_statements/1/import_suspects", 200)
			golden("GET", account+"/balance_proofs", 200)
			golden("GET", account+"/bank_statements/1/items", 200)
			golden("POST", account+"/bank_statements/1/items/2/import", 201)
			golden("POST", account+"/bank_statements/1/items/2/import", 422)

			s.call(t, "POST", account+"/bank_statements?preview=true", parts(file("extrato.ofx", ofx))).want(t, 201)
			s.exec(t, `UPDATE bank_statements SET event_status = 'previewed', event_started_at = now(),
				event_finished_at = now() WHERE id = 2`)
			golden("POST", account+"/bank_statements/2/confirm", 202)
			golden("POST", account+"/bank_statements/2/confirm", 422)

			s.exec(t, `UPDATE deposit_accounts SET account_number = '12345-6' WHERE id = 1`)
			golden("POST", "/entities/1/bank_statements", 201, parts(file("extrato.ofx", ofxOf("0123/12345-6"))))
			golden("POST", "/entities/1/bank_statements", 422, parts(file("extrato.ofx", ofxOf("12345-6", "777-0"))))
		})
	}
}

// golden sends a request and compares the answer with the golden file of the operation and
// the status.
func (s *service) golden(t *testing.T, format, method, path string, status int, options ...option) {
	t.Helper()
	a := s.call(t, method, path, append(options, with("Accept", "application/"+format))...).want(t, status)
	operation := openAPI().operation(method, plain(path)).Operation
	compare(t, fmt.Sprintf("%s_%d.%s", operation.OperationID, status, format), a.body)
	isSheet := status == 200 && operation.Responses.Status(status).Value.Content["text/csv"] != nil
	if format == "json" && isSheet && !strings.Contains(path, "per_page") {
		sheet := s.call(t, method, path, append(options, with("Accept", "text/csv"))...).want(t, status)
		compare(t, fmt.Sprintf("%s_%d.csv", operation.OperationID, status), sheet.body)
	}
}

// finishImport stores what the worker's import of a statement does, with one item of each outcome.
// The first was imported, and the second is its duplicate.
func (s *service) finishImport(t testing.TB, id int64) {
	t.Helper()
	b := finance.BankStatement{ImportCounts: finance.ImportCounts{
		ImportedItemsCount: 1, FutureItemsIgnoredCount: 1, AmountZeroItemsIgnoredCount: 1,
		InvalidDateItemsIgnoredCount: 1,
		BalanceItemsIgnoredCount:     1, DuplicateItemsIgnoredCount: 1, OtherAccountItemsIgnoredCount: 1,
	}}
	var days finance.Period
	for _, day := range []int{1, 31} {
		d, _ := finance.NewDate(2026, time.August, day)
		days.Add(d)
	}
	b.EventWarnings.AddOtherCurrency(finance.ItemCurrencies{0: 2}, "USD", finance.BRL)
	s.exec(t, `UPDATE bank_statements SET event_status = 'success', file_format = 'OFX', event_output = $2,
		event_started_at = $3,
		event_finished_at = $3, event_warnings = $4, imported_items_count = 1,
		future_items_ignored_count = 1, amount_zero_items_ignored_count = 1, invalid_date_items_ignored_count = 1,
			balance_items_ignored_count = 1,
		duplicate_items_ignored_count = 1, other_account_items_ignored_count = 1, items_count = 7,
			ledger_balance = -68.50,
		ledger_balance_on = '2026-08-31', period_start = '2026-08-01', period_end = '2026-08-31' WHERE id = $1`,
		id, b.Output(days, nil), time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC), b.EventWarnings)
	s.exec(t, `WITH brought AS (
			INSERT INTO financial_transactions (account_id, deposit_account_id, bank_statement_id, amount, occurred_at,
				guid, document, original_description, currency_id, end_to_end_id, counterpart_name,
				counterpart_document)
			SELECT account_id, deposit_account_id, id, -12.5, '2026-08-02', 'A1', '77', 'PADARIA', 1,
				'E60701190202608021234abcdefghijk', 'PADARIA', '11444777000161'
				FROM bank_statements WHERE id = $1
			RETURNING *
		), settled AS (
			UPDATE deposit_accounts d SET transactions_sum = transactions_sum + amount,
				transactions_count = transactions_count + 1,
				last_transaction_date = greatest(last_transaction_date, occurred_at)
			FROM brought t WHERE d.id = t.deposit_account_id
		)
		INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, ordinal, fitid,
			document, description,
			number, line, financial_transaction_id)
		SELECT account_id, deposit_account_id, bank_statement_id, occurred_at, amount, 1, guid, document,
			original_description, 1, 12, id FROM brought`, id)
	s.exec(t, `INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome,
		fitid, document, description)
		SELECT account_id, id, i.* FROM bank_statements, (VALUES
			(2, 19, date '2026-08-02', -12.5, '', 'duplicate', 'A1', '77', 'PADARIA'),
			(3, 26, NULL, NULL, '', 'invalid_date', 'A2', NULL, 'TARIFA'),
			(4, 33, '2026-08-02', 0, '', 'zero', 'A3', NULL, 'ESTORNO'),
			(5, 40, '2026-08-02', 100, '', 'balance', NULL, NULL, 'SALDO DO DIA'),
			(6, 47, '2099-01-02', 7, '', 'future', 'A4', NULL, 'AGENDADO'),
			(7, 54, '2026-08-02', NULL, '', 'other_account', 'A5', NULL, 'PIX')) AS i
		WHERE id = $1`, id)
	s.exec(t, `DELETE FROM jobs WHERE kind = 'import_statement'
		AND args::json ->> 'bank_statement_id' = CAST($1 AS text)`, fmt.Sprint(id))
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

var signatures = regexp.MustCompile(`/files/1/[\w/-]+`)

var secrets = regexp.MustCompile(`(secret"?[:>]"?)[0-9a-f]{24}`)

// drawnTexts are the secrets of tokens and members, and the prefixes of tokens.
var drawnTexts = regexp.MustCompile(`((?:value|login.code|prefix)"?[:>]"?)([0-9a-f]{48}|[0-9a-f]{32}|[0-9a-f]{6})\b`)

// compare compares a body with a golden file, which has a line for each element and member.
func compare(t *testing.T, name, body string) {
	t.Helper()
	body = uuids.ReplaceAllString(timeless(body), "00000000-0000-0000-0000-000000000000")
	body = secrets.ReplaceAllString(body, "${1}0123456789abcdef01234567")
	body = drawnTexts.ReplaceAllStringFunc(body, func(drawn string) string {
		parts := drawnTexts.FindStringSubmatch(drawn)
		return parts[1] + strings.Repeat("0123456789abcdef", 3)[:len(parts[2])]
	})
	body = signatures.ReplaceAllString(body, "/files/1/9f/86d081884c7d659a2feaa0c55ad015/1798761600/"+
		strings.Repeat("A", 86))
	if strings.HasSuffix(name, ".xml") {
		body = indented(body)
	}
	lines := strings.NewReplacer(`,"`, ",\n\"", `},{`, "},\n{").Replace(body) + "\n"
	if strings.HasSuffix(name, ".csv") {
		lines = body
	}
	path := filepath.Join("openapi", "examples", name)
	if *update {
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

// indented returns XML with each element on its own line, and texts unchanged.
func indented(body string) string {
	var b strings.Builder
	depth := 0
	for i, piece := range strings.SplitAfter(strings.ReplaceAll(body, "><", ">\x00<"), "\x00") {
		if strings.HasPrefix(piece, "</") {
			depth--
		}
		if i > 0 {
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
		b.WriteString(strings.TrimSuffix(piece, "\x00"))
		if !strings.Contains(piece, "</") && !strings.Contains(piece, "/>") && !strings.HasPrefix(piece, "<?") {
			depth++
		}
	}
	return b.String()
}
