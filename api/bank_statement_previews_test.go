package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
)

// threeItems is a statement of three items, one of which is future.
const threeItems = "OFXHEADER:100\n<OFX><BANKTRANLIST>" + bread + wheat +
	"<STMTTRN><DTPOSTED>20300104<TRNAMT>-9.00<FITID>3</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>43.01<DTASOF>" +
	"20260131</LEDGERBAL></OFX>"

const (
	bread = "<STMTTRN><DTPOSTED>20260104<TRNAMT>-5.00<FITID>1<MEMO>PADARIA</STMTTRN>"
	wheat = "<STMTTRN><DTPOSTED>20260105<TRNAMT>-7.50<FITID>2<MEMO>MOINHO</STMTTRN>"
)

// preview is the part of a form that asks for a preview.
func preview(value string) part {
	return part{`form-data; name="bank_statement[preview]"`, "", value}
}

func TestAPreviewChangesNothingUntilItIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "error")
	account := s.newDepositAccount(t)
	list, one := account+"/bank_statements", account+"/bank_statements/1"
	before := s.call(t, "GET", account).body
	a := s.call(t, "POST", list, parts(file("a.ofx", threeItems), preview("true"))).want(t, 201)
	equal(t, a.at(t, "bank_statement.event.status"), "queued")
	s.work(t)

	a = s.call(t, "GET", one)
	for field, want := range map[string]string{
		"event.status": "previewed", "imported_items_count": "2", "future_items_ignored_count": "1",
		"ledger_balance": "43.01",
		"event.output": "Prévia: seriam importadas 2 transações. Período: 04/01/2026 a 05/01/2026. Itens " +
			"ignorados: 1 com data futura.",
	} {
		equal(t, a.at(t, "bank_statement."+field), want)
	}
	equal(t, s.call(t, "GET", list).all(t, "bank_statement.id"), []string{"1"})
	items := s.call(t, "GET", one+"/items")
	equal(t, items.all(t, "bank_statement_item.outcome"), []string{"imported", "imported", "future"})
	equal(t, items.all(t, "bank_statement_item.description"), []string{"PADARIA", "MOINHO", "<nil>"})
	equal(t, items.all(t, "bank_statement_item.financial_transaction_id"), []string{"<nil>", "<nil>", "<nil>"})
	equal(t, s.call(t, "GET", one+"/items?search[outcome]=future").all(t, "bank_statement_item.id"), []string{"3"})
	equal(t, s.call(t, "GET", one+"/items?cursor=&per_page=2").all(t, "bank_statement_item.id"), []string{"1", "2"})
	s.call(t, "POST", one+"/items/1/import").wantBody(t, 422, `{"base":["O extrato é só uma prévia: nada foi `+
		`importado."]}`)
	equal(t, s.call(t, "GET", account).body, before)
	equal(t, s.call(t, "GET", account+"/financial_transactions").body, "[]")
	equal(t, s.takeEvents(t), "")
	s.agrees(t)

	s.quota(t, finance.StatementRows, 0) // as if others had filled the account
	equal(t, s.call(t, "POST", one+"/confirm").want(t, 422).header.Get("X-Error-Code"), "too_many_statement_rows")
	s.quota(t, finance.StatementRows, 1) // the items of the preview count no more
	a = s.call(t, "POST", one+"/confirm").want(t, 202)
	s.quota(t, finance.StatementRows, 1000)
	equal(t, a.at(t, "bank_statement.event.status"), "queued")
	equal(t, a.header.Get("Location"), publicURL+one)
	equal(t, s.call(t, "GET", one).body, a.body)
	equal(t, s.call(t, "GET", one+"/items").body, "[]")
	equal(t, s.takeEvents(t), "bank_statements.created")
	s.agrees(t)
	s.call(t, "POST", one+"/confirm").wantBody(t, 422,
		`{"base":["O extrato é queued: só uma prévia pronta (previewed), e só uma vez, pode ser confirmada."]}`)
	s.work(t)
	a = s.call(t, "GET", one)
	equal(t, a.at(t, "bank_statement.event.output"), "Foram importadas 2 transações. Período: 04/01/2026 a "+
		"05/01/2026. Itens ignorados: 1 com data futura."+statedOtherwise)
	equal(t, a.at(t, "bank_statement.ledger_balance"), "43.01")
	equal(t, s.call(t, "GET", one+"/items").all(t, "bank_statement_item.outcome"),
		[]string{"imported", "imported", "future"})
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"), "-12.5")
	equal(t, s.takeEvents(t), "bank_statements.updated financial_transactions.created")
	s.call(t, "POST", one+"/confirm").want(t, 422)
	s.agrees(t)
}

func TestAPreviewIsAskedForInTheFormOrTheQuery(t *testing.T) {
	t.Parallel()
	s := newService(t)
	list := s.newDepositAccount(t) + "/bank_statements"
	upload := file("a.ofx", ofx)
	for _, c := range []struct {
		query   string
		sent    option
		preview bool
	}{
		{"", parts(upload), false},
		{"", parts(upload, preview("true")), true},
		{"", parts(preview("1"), upload), true},
		{"", parts(preview("false"), upload), false},
		{"", parts(preview(""), upload), false},
		{"?bank_statement[preview]=true", parts(upload), true},
		{"?bank_statement%5Bpreview%5D=1", parts(upload), true},
		{"?preview=true", parts(upload), true},
		{"?preview=false", parts(upload), false},
		{"?preview=false", parts(upload, preview("true")), true}, // in doubt nothing is imported
		{"?preview=true&preview=false", parts(upload), true},
	} {
		id := s.call(t, "POST", list+c.query, c.sent).want(t, 201).at(t, "bank_statement.id")
		equal(t, query[bool](t, s, `SELECT coalesce(preview_until = created_at + interval '7 days', false)
			FROM bank_statements WHERE id = $1`, id), c.preview)
	}
	kept := len(s.storedFiles(t))
	for _, c := range []struct {
		query string
		sent  option
	}{
		{"", parts(upload, preview("sim"))},
		{"", parts(preview("sim"), upload)},
		{"?preview=yes", parts(upload)},
		{"?bank_statement[preview]=yes", parts(upload)},
	} {
		s.call(t, "POST", list+c.query, c.sent).wantBody(t, 422, `{"preview":["deve ser true ou false"]}`)
	}
	a := s.call(t, "POST", list, parts(upload, preview("sim")), with("Accept", "application/problem+json")).want(t, 422)
	equal(t, a.at(t, "errors.0.pointer"), "/bank_statement/preview")
	s.call(t, "POST", list+"?preview=true&%zz", parts(upload)).want(t, 422)
	for query, sent := range map[string]option{
		"": parts(upload, part{`form-data; name="bank_statement[accept]"`, "", "other_account"},
			part{`form-data; name="bank_statement[accept]"`, "", "other_currency"}),
		"?accept=other_account&accept=other_currency": parts(upload),
	} {
		s.call(t, "POST", list+query, sent).wantBody(t, 422,
			`{"accept":["foi enviado mais de uma vez: escreva accept[]=a&accept[]=b, ou em JSON [\"a\", \"b\"]"]}`)
	}
	equal(t, len(s.storedFiles(t)), kept)
}

// acceptance is the part of a form that accepts a warning.
func acceptance(code string) part {
	return part{`form-data; name="bank_statement[accept][]"`, "", code}
}

func TestWarningsAreAcceptedInTheFormOrTheQuery(t *testing.T) {
	t.Parallel()
	s := newService(t)
	list := s.newDepositAccount(t) + "/bank_statements"
	upload := file("a.ofx", ofx)
	for _, c := range []struct {
		query string
		sent  option
		want  string
	}{
		{"", parts(upload), "[]"},
		{"", parts(upload, acceptance("other_account")), `["other_account"]`},
		{"?preview=true", parts(acceptance("other_currency"), upload, acceptance("other_account")),
			`["other_account", "other_currency"]`},
		{"", parts(upload, part{`form-data; name="bank_statement[accept]"`, "", "other_currency, other_account"}),
			`["other_account", "other_currency"]`},
		{"", parts(upload, acceptance("")), "[]"},
		{"?accept[]=other_account", parts(upload), `["other_account"]`},
		{"?accept[]=other_account&accept[]=other_currency", parts(upload), `["other_account", "other_currency"]`},
		{"?accept=other_account,other_currency", parts(upload), `["other_account", "other_currency"]`},
		{"?bank_statement%5Baccept%5D%5B%5D=other_account", parts(upload, acceptance("other_account")),
			`["other_account"]`},
		{"?bank_statement[accept]=other_account", parts(upload, acceptance("other_currency")),
			`["other_account", "other_currency"]`},
	} {
		id := s.call(t, "POST", list+c.query, c.sent).want(t, 201).at(t, "bank_statement.id")
		equal(t, query[string](t, s, `SELECT accept::text FROM bank_statements WHERE id = $1`, id), c.want)
	}
	kept := len(s.storedFiles(t))
	for query, c := range map[string]struct {
		sent  option
		place string
	}{
		"": {parts(upload, acceptance("tudo")),
			"errors.0.pointer /bank_statement/accept"},
		"?accept[]=tudo":                  {parts(upload), "errors.0.parameter accept"},
		"?accept=other_account,suspects":  {parts(upload), "errors.0.parameter accept"},
		"?bank_statement[accept][]=Other": {parts(upload), "errors.0.parameter accept"},
	} {
		s.call(t, "POST", list+query, c.sent).wantBody(t, 422,
			`{"accept":["não está incluso na lista: other_account, other_currency"]}`)
		a := s.call(t, "POST", list+query, c.sent, with("Accept", "application/problem+json")).want(t, 422)
		field, place, _ := strings.Cut(c.place, " ")
		equal(t, a.at(t, field), place)
		equal(t, a.at(t, "errors.0.allowed.0")+" "+a.at(t, "errors.0.allowed.1"), "other_account other_currency")
	}
	equal(t, len(s.storedFiles(t)), kept)
}

// A preview of a file of another account and currency says so, and an import must accept both.
func TestAConfirmationAcceptsWarnings(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	of := func(currency, account string) string {
		return strings.NewReplacer("<OFX>", "<OFX><STMTRS><CURDEF>"+currency+"<BANKACCTFROM><ACCTID>"+account+
			"</BANKACCTFROM>").Replace(threeItems)
	}
	const (
		account = "O arquivo é da conta 99-9, e o primeiro extrato desta conta bancária é da conta 12345-6."
		money   = "O arquivo tem valores em USD, e a conta bancária é em BRL: eles não são convertidos."
		refused = " Nenhuma transação foi importada. Se o arquivo é mesmo desta conta bancária, envie-o de novo com " +
			"bank_statement[accept][]: "
		both = `["other_account","other_currency"]`
	)
	for name, c := range map[string]struct {
		upload, query, body string
		refused             string // the end of the output; "" for an import
	}{
		"nothing": {refused: account + " " + money + refused + "other_account, other_currency."},
		"one of two": {body: `{"bank_statement":{"accept":["other_currency"]}}`, refused: account + refused +
			"other_account."},
		"the other": {query: "?accept[]=other_account", body: `<bank-statement/>`, refused: money + refused +
			"other_currency."},
		"JSON":      {body: `{"bank_statement":{"accept":` + both + `}}`},
		"bare JSON": {body: `{"accept":` + both + `}`},
		"XML": {body: `<bank-statement><accept type="array"><accept>other_account</accept><accept>` +
			`other_currency</accept></accept></bank-statement>`},
		"bare XML":    {body: `<hash><accept>other_account,other_currency</accept></hash>`},
		"the query":   {query: "?accept[]=other_account&accept[]=other_currency"},
		"the upload":  {upload: "&accept=other_account,other_currency"},
		"one in each": {upload: "&accept=other_account", query: "?bank_statement[accept][]=other_currency"},
		"one in the XML": {query: "?accept=other_account",
			body: `<bank-statement><accept>other_currency</accept></bank-statement>`},
	} {
		t.Run(name, func(t *testing.T) {
			into := s.newDepositAccount(t)
			list := into + "/bank_statements"
			s.call(t, "POST", list, parts(file("a.ofx", strings.ReplaceAll(of("BRL", "12345-6"), "202601", "202602")))).
				want(t, 201)
			one := list + "/" + s.call(t, "POST", list+"?preview=true"+c.upload,
				parts(file("b.ofx", of("USD", "99-9")))).want(t, 201).at(t, "bank_statement.id")
			s.work(t)
			s.call(t, "POST", one+"/confirm", document(`{"accept":["all"]}`)).wantBody(t, 422,
				`{"accept":["não está incluso na lista: other_account, other_currency"]}`)
			shown := func(status, output string) {
				t.Helper()
				a := s.call(t, "GET", one)
				equal(t, a.at(t, "bank_statement.event.status"), status)
				for i, want := range []string{"other_account 2 " + account, "other_currency 2 " + money} {
					at := fmt.Sprintf("bank_statement.event.warnings.%d.", i)
					equal(t, a.at(t, at+"code")+" "+a.at(t, at+"count")+" "+a.at(t, at+"message"), want)
				}
				if !strings.Contains(a.at(t, "bank_statement.event.output"), output) {
					t.Error(a.body)
				}
				x := s.call(t, "GET", one+".xml").body
				for _, want := range []string{
					`<event-warnings type="array"><event-warning><code>other_account</code><message>` + account +
						`</message><count type="integer">2</count></event-warning>`,
					`<event-warning><code>other_currency</code>`,
				} {
					if !strings.Contains(x, want) {
						t.Errorf("no %s in %s", want, x)
					}
				}
			}
			shown("previewed", account+" "+money)
			options := []option{}
			if c.body != "" {
				options = append(options, document(c.body))
			}
			a := s.call(t, "POST", one+"/confirm"+c.query, append(options, with("Accept", "application/json"))...).want(
				t, 202)
			equal(t, a.at(t, "bank_statement.event.warnings"), "[]")
			s.work(t)
			status, balance := "success", "-25.0"
			if c.refused != "" {
				status, balance = "error", "-12.5"
			}
			shown(status, c.refused)
			equal(t, s.call(t, "GET", into).at(t, "deposit_account.calculated_balance"), balance)
			s.agrees(t)
		})
	}
}

// The number of the first statement is a change of its deposit account, whatever the statement brought, and so is
// the end of that.
func TestASuggestedAccountNumberIsAChange(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "error")
	account := s.newDepositAccount(t)
	list := account + "/bank_statements"
	of := func(number, items string) option {
		return parts(file("a.ofx", "<OFX><STMTRS><BANKACCTFROM><ACCTID>"+number+"</BANKACCTFROM><BANKTRANLIST>"+
			"<DTSTART>20260101<DTEND>20260131"+items+"</BANKTRANLIST></STMTRS></OFX>"))
	}
	before := ""
	changed := func(number, events, change string) {
		t.Helper()
		a := s.call(t, "GET", account)
		equal(t, a.at(t, "deposit_account.suggested_account_number"), number)
		equal(t, a.at(t, "deposit_account.updated_at") != before, change != "")
		before = a.at(t, "deposit_account.updated_at")
		equal(t, s.takeEvents(t), events)
		equal(t, query[string](t, s.service, `SELECT coalesce(string_agg(attributes, ' '), '') FROM unsealed_changes
			WHERE family = 'deposit_accounts' AND action = 'updated'`), change)
		s.exec(t, `DELETE FROM unsealed_changes`)
		s.exec(t, `UPDATE deposit_accounts SET updated_at = '2026-01-01'`) // moments have whole seconds
		before = s.call(t, "GET", account).at(t, "deposit_account.updated_at")
	}
	s.takeEvents(t)
	s.exec(t, `UPDATE deposit_accounts SET updated_at = '2026-01-01'`)
	before = s.call(t, "GET", account).at(t, "deposit_account.updated_at")
	s.call(t, "POST", list+"?preview=true", of("12345-6", "")).want(t, 201)
	s.work(t)
	changed("<nil>", "", "")
	s.call(t, "POST", list, of("12345-6", "")).want(t, 201)
	s.work(t)
	changed("12345-6", "bank_statements.created bank_statements.updated deposit_accounts.updated",
		`{"suggested_account_number":[null,"12345-6"]}`)
	s.call(t, "POST", list, of("123456", "")).want(t, 201)
	s.call(t, "POST", list, of("999", "")).want(t, 201) // is refused
	s.work(t)
	changed("12345-6", "bank_statements.created bank_statements.updated", "")
	s.call(t, "DELETE", list+"/3").want(t, 202)
	s.work(t)
	changed("12345-6", "bank_statements.destroyed", "")
	s.call(t, "POST", list, of("0123456", "")).want(t, 201)
	s.work(t)
	s.takeEvents(t)
	s.call(t, "DELETE", list+"/2").want(t, 202)
	s.work(t)
	changed("0123456", "bank_statements.destroyed deposit_accounts.updated",
		`{"suggested_account_number":["12345-6","0123456"]}`)
	s.call(t, "PUT", account, document(`{"deposit_account":{"account_number":"1234-56"}}`)).want(t, 200)
	changed("<nil>", "deposit_accounts.updated", `{"account_number":[null,"1234-56"],`+
		`"suggested_account_number":["0123456",null]}`)
	s.call(t, "DELETE", list+"/5").want(t, 202)
	s.work(t)
	changed("<nil>", "bank_statements.destroyed", "")
	s.agrees(t)
}

func TestOnlyAReadyPreviewIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	one := account + "/bank_statements/1"
	s.call(t, "POST", account+"/bank_statements?preview=true", parts(file("a.ofx", ofx))).want(t, 201)
	s.exec(t, `DELETE FROM jobs`)
	for _, state := range []string{
		`event_status = 'queued'`, `event_status = 'processing'`, `event_status = 'error'`,
		`event_status = 'success', preview_until = NULL`, `event_status = 'queued', preview_until = NULL`,
	} {
		s.exec(t, `UPDATE bank_statements SET `+state)
		a := s.call(t, "POST", one+"/confirm").want(t, 422)
		equal(t, a.header.Get("X-Error-Code"), "not_previewed")
	}
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed', preview_until = now() + interval '1 hour'`)
	s.call(t, "POST", account+"/bank_statements/2/confirm").wantBody(t, 404,
		`{"error":"Couldn't find BankStatement with id=2"}`)
	other := s.newDepositAccount(t)
	s.call(t, "POST", other+"/bank_statements/1/confirm").want(t, 404)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs`), 0)
	s.call(t, "POST", one+"/confirm").want(t, 202)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs`), 1)
}

// statedOtherwise is what the import says of the file's balance.
const statedOtherwise = " O banco informa em 31/01/2026 o saldo 43,01, e a conta tem -12,50: diferença de 55,51."

// Of many confirmations at once one succeeds, and the file is imported once.
func TestAPreviewIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	account := s.newDepositAccount(t)
	s.call(t, "POST", account+"/bank_statements", parts(preview("true"), file("a.ofx", threeItems))).want(t, 201)
	s.work(t)
	statuses, errs := make([]int, 8), make([]error, 8)
	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() {
			a, err := s.send(t.Context(), "POST", account+"/bank_statements/1/confirm")
			statuses[i], errs[i] = a.status, err
		})
	}
	group.Wait()
	slices.Sort(statuses)
	equal(t, fmt.Sprint(statuses, errs), "[202 422 422 422 422 422 422 422] [<nil> <nil> <nil> <nil> <nil> <nil> "+
		"<nil> <nil>]")
	equal(t, query[int](t, s.service, `SELECT count(*) FROM jobs`), 1)
	s.work(t)
	equal(t, query[int](t, s.service, `SELECT count(*) FROM financial_transactions`), 2)
	s.agrees(t)
}

// The items of a preview come in with other files before it is confirmed.
func TestTheOutputSaysWhereAnImportDiffersFromItsPreview(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ meanwhile, output string }{
		"a part": {strings.Replace(threeItems, wheat, "", 1), "Foi importada 1 transação. Período: 04/01/2026 a " +
			"05/01/2026. " +
			"Itens ignorados: 1 já conhecido, 1 com data futura. A prévia previa 2 novas; 1 já tinha vindo de outro " +
			"arquivo."},
		"all": {threeItems, "Nenhuma transação nova foi importada. Período: 04/01/2026 a 05/01/2026. " +
			"Itens ignorados: 2 já conhecidos, 1 com data futura. A prévia previa 2 novas; 2 já tinham vindo de " +
			"outro arquivo."},
		"other items": {strings.NewReplacer("20260104", "20260204", "20260105", "20260205").Replace(threeItems),
			"Foram importadas 2 transações. Período: 04/01/2026 a 05/01/2026. Itens ignorados: 1 com data futura."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t)
			account := s.newDepositAccount(t)
			list, one := account+"/bank_statements", account+"/bank_statements/1"
			s.call(t, "POST", list+"?preview=true", parts(file("a.ofx", threeItems))).want(t, 201)
			s.call(t, "POST", list, parts(file("b.ofx", c.meanwhile))).want(t, 201)
			s.work(t)
			// previews take no turn before others
			equal(t, s.call(t, "GET", one).at(t, "bank_statement.imported_items_count"), "2")
			s.call(t, "POST", one+"/confirm").want(t, 202)
			s.work(t)
			equal(t, s.call(t, "GET", one).at(t, "bank_statement.event.output"), c.output+statedOtherwise)
			equal(t, query[int](t, s.service, `SELECT count(*) FROM previewed_items`), 0)
			s.agrees(t)
		})
	}
}

// Two previews of a file are confirmed while the file comes in by itself, in each of several accounts: one of
// the three brings the items, and each output accounts for all.
func TestAPreviewIsConfirmedWhileTheFileComesInAnotherWay(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	var accounts []string
	for range 4 {
		account := s.newDepositAccount(t)
		accounts = append(accounts, account)
		for range 2 {
			s.call(t, "POST", account+"/bank_statements?preview=true", parts(file("a.ofx", threeItems))).want(t, 201)
		}
	}
	s.work(t)
	end := s.start(t, "statements")
	var group sync.WaitGroup
	send := func(want int, path string, options ...option) {
		group.Go(func() {
			if a, err := s.send(t.Context(), "POST", path, options...); err != nil || a.status != want {
				t.Errorf("POST %s: %d %s, %v", path, a.status, a.body, err)
			}
		})
	}
	for n, account := range accounts {
		send(202, fmt.Sprintf("%s/bank_statements/%d/confirm", account, 2*n+1))
		send(201, account+"/bank_statements", parts(file("a.ofx", threeItems)))
		send(202, fmt.Sprintf("%s/bank_statements/%d/confirm", account, 2*n+2))
	}
	group.Wait()
	end()
	const (
		brought = "Foram importadas 2 transações. Período: 04/01/2026 a 05/01/2026. Itens ignorados: 1 com data futura."
		knew    = "Nenhuma transação nova foi importada. Período: 04/01/2026 a 05/01/2026. Itens ignorados: 2 já " +
			"conhecidos, 1 com data futura."
		foresaw = " A prévia previa 2 novas; 2 já tinham vindo de outro arquivo."
	)
	for n, account := range accounts {
		all := s.call(t, "GET", account+"/bank_statements") // the newest first, the upload
		equal(t, all.all(t, "bank_statement.event.status"), []string{"success", "success", "success"})
		said := all.all(t, "bank_statement.event.output")
		winner := slices.Index(said, brought+statedOtherwise)
		want := []string{knew + statedOtherwise, knew + foresaw + statedOtherwise, knew + foresaw + statedOtherwise}
		if winner >= 0 {
			want[winner] = brought + statedOtherwise
		}
		if !slices.Equal(said, want) || winner < 0 {
			t.Errorf("account %d: %q", n+1, said)
		}
		equal(t, s.call(t, "GET", account+"/financial_transactions").all(t,
			"financial_transaction.original_description"), []string{"MOINHO", "PADARIA"})
		equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"), "-12.5")
	}
	s.agrees(t)
}

// A broken file ends the preview as it would end the import, and no event says so.
func TestAPreviewOfABrokenFileEndsInAnError(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "error")
	account := s.newDepositAccount(t)
	one := account + "/bank_statements/1"
	s.call(t, "POST", account+"/bank_statements?preview=true",
		parts(file("a.ofx", "<OFX><STMTTRN><DTPOSTED>20260104<TRNAMT>x</STMTTRN></OFX>"))).want(t, 201)
	s.work(t)
	equal(t, s.call(t, "GET", one).at(t, "bank_statement.event.status"), "error")
	s.call(t, "POST", one+"/confirm").want(t, 422)
	s.call(t, "DELETE", one).want(t, 202)
	s.work(t)
	equal(t, s.takeEvents(t), "")
	s.nothingStored(t)
}

// A preview of a file that was cut off says so too.
func TestAPreviewOfACutFileEndsInAnError(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	account := s.newDepositAccount(t)
	s.call(t, "POST", account+"/bank_statements?preview=true", parts(file("a.ofx", "<OFX><BANKTRANLIST>"+bread+wheat))).
		want(t, 201)
	s.work(t)
	for _, suffix := range []string{"", ".xml"} {
		b := s.call(t, "GET", account+"/bank_statements/1"+suffix)
		if want := "O arquivo termina antes do fim: falta &lt;/OFX&gt;, depois de 2 lançamentos. Baixe-o de " +
			"novo."; !strings.Contains(escaped.Replace(b.body), want) {
			t.Errorf("%s: %s", suffix, b.body)
		}
	}
}

// escaped writes '<' and '>' of JSON as XML does.
var escaped = strings.NewReplacer(`\u003c`, "&lt;", `\u003e`, "&gt;", "</OFX>", "&lt;/OFX&gt;")

// A preview that nobody confirms is gone by the clock, and then also its rows and its file.
func TestAPreviewIsGoneAfterItsTime(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "error")
	account := s.newDepositAccount(t)
	list, one := account+"/bank_statements", account+"/bank_statements/1"
	s.call(t, "POST", list+"?preview=true", parts(file("a.ofx", threeItems))).want(t, 201)
	s.work(t)
	for _, later := range []string{"kept", "confirmed"} {
		s.call(t, "POST", list+"?preview=true", parts(file(later, threeItems))).want(t, 201)
	}
	s.call(t, "POST", list, parts(file("imported", threeItems))).want(t, 201)
	s.work(t)
	s.call(t, "POST", list+"/3/confirm").want(t, 202)
	s.exec(t, `UPDATE bank_statements SET preview_until = now() WHERE id = 1`)

	for _, gone := range []string{"GET " + one, "GET " + one + "/items", "GET " + one + "/download",
		"POST " + one + "/confirm", "DELETE " + one} {
		method, path, _ := strings.Cut(gone, " ")
		s.call(t, method, path).wantBody(t, 404, `{"error":"Couldn't find BankStatement with id=1"}`)
	}
	s.call(t, "POST", one+"/items/1/import").want(t, 404)
	equal(t, s.call(t, "GET", list).all(t, "bank_statement.id"), []string{"4", "3", "2"})
	key := query[string](t, s.service, `SELECT file_key FROM bank_statements WHERE id = 1`)
	if _, err := s.store.StoredFile(t.Context(), s.AccountID, key); err != storage.ErrNotFound {
		t.Errorf("its file: %v", err)
	}
	s.takeEvents(t)
	for _, removed := range []int64{1, 0} {
		n, err := imports.RemovePreviews(t.Context(), s.store)
		if err != nil || n != removed {
			t.Errorf("%d removed, %v; want %d", n, err, removed)
		}
	}
	s.work(t)
	equal(t, query[string](t, s.service, `SELECT string_agg(id || ' ' || event_status, ', ' ORDER BY id)
		FROM bank_statements`), "2 previewed, 3 success, 4 success")
	equal(t, len(s.storedFiles(t)), 3)
	if told := s.takeEvents(t); strings.Contains(told, "destroyed") {
		t.Error(told)
	}
	s.agrees(t)
}

// A preview that is being read when its time is over is removed after its end.
func TestAPreviewThatIsReadLateIsRemovedAfterwards(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	account := s.newDepositAccount(t)
	s.call(t, "POST", account+"/bank_statements?preview=true", parts(file("a.ofx", threeItems))).want(t, 201)
	s.exec(t, `UPDATE bank_statements SET preview_until = now()`)
	for _, removed := range []int64{0, 1} {
		if n, err := imports.RemovePreviews(t.Context(), s.store); err != nil || n != removed {
			t.Errorf("%d removed, %v; want %d", n, err, removed)
		}
		s.work(t)
		s.agrees(t)
	}
	s.nothingStored(t)
}

// The deletion of a deposit account removes its previews, of which no event has told.
func TestAPreviewGoesWithItsDepositAccount(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "error")
	account := s.newDepositAccount(t)
	s.call(t, "POST", account+"/bank_statements?preview=true", parts(file("a.ofx", threeItems))).want(t, 201)
	s.work(t)
	s.takeEvents(t)
	if a := s.call(t, "DELETE", account,
		document(`{"deposit_account":{"force_destroy":true}}`)); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	s.work(t)
	equal(t, s.takeEvents(t), "deposit_accounts.destroyed")
	s.nothingStored(t)
}

// A suspect of two files comes in once: then the other file refuses it, and says why.
func TestASuspectOfTwoFilesIsImportedOnce(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	list := s.newDepositAccount(t) + "/bank_statements"
	const twin = "<STMTTRN><DTPOSTED>20260104<TRNAMT>-5.00<FITID>Z<MEMO>CAFE</STMTTRN>"
	for _, items := range []string{bread, twin, twin + wheat} {
		s.call(t, "POST", list, parts(file("a.ofx", "<OFX><BANKTRANLIST>"+items+"</BANKTRANLIST></OFX>"))).want(t, 201)
		s.work(t)
	}
	suspect := func(statement string) string {
		return fmt.Sprint(s.call(t, "GET", list+statement+"/items").all(t, "bank_statement_item.suspect"))
	}
	equal(t, suspect("/2")+suspect("/3"), "[true][true false]")
	s.call(t, "POST", list+"/2/import_suspects").want(t, 200)
	equal(t, suspect("/2")+suspect("/3"), "[false][false false]")
	equal(t, s.refusal(t, "POST", list+"/3/items/1/import").Errors[0].Code, "item_of_another_statement")
	s.call(t, "POST", list+"/3/import_suspects").want(t, 200)
	equal(t, query[string](t, s.service, `SELECT sum(amount)::text FROM financial_transactions`), "-17.50")
}
