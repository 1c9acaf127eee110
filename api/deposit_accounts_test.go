package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

const accountsPath = "/entities/1/deposit_accounts"

func TestANewDepositAccountHasDefaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.call(t, "POST", accountsPath, document(`{"deposit_account":{"name":"Banco","deposit_account_type_id":1}}`)).
		want(t, 201)
	equal(t, a.header.Get("Location"), publicURL+accountsPath+"/1")
	for field, want := range map[string]string{
		"entity_id": "1", "currency_id": "1", "bank_account_id": "<nil>", "initial_balance": "<nil>",
		"calculated_balance": "0.0", "archive": "false",
		"archived_at": "<nil>", "last_transaction_date": "<nil>", "logo_image_url": "logos/logo-bank-account.png",
		"sync_response": "<nil>",
	} {
		if got := a.at(t, "deposit_account."+field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	equal(t, s.call(t, "GET", accountsPath+"/1").body, a.body)
}

func TestADepositAccountBelongsToTheEntityOfThePath(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.anotherEntity(t)
	a := s.call(t, "POST", accountsPath,
		document(fmt.Sprintf(`{"deposit_account":{"entity_id":%d,"name":"a","deposit_account_type_id":1}}`, other.ID))).
		want(t, 201)
	equal(t, a.at(t, "deposit_account.entity_id"), "1")
	equal(t, s.call(t, "GET", fmt.Sprintf("/entities/%d/deposit_accounts", other.ID)).body, "[]")
}

func TestADepositAccountIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	long := strings.Repeat("a", 256)
	for _, c := range []struct{ name, fields, messages string }{
		{"without name and type", ``, `{"deposit_account_type":["não pode ser vazio"],"name":["não pode ser vazio"]}`},
		{"of an unknown type", `"name":"a","deposit_account_type_id":3`,
			`{"deposit_account_type":["não está incluso na lista"]}`},
		{"of a type that is no number", `"name":"a","deposit_account_type_id":"caixa"`,
			`{"deposit_account_type":["não é um número inteiro"]}`},
		{"of a type that is half a number", `"name":"a","deposit_account_type_id":1.5`,
			`{"deposit_account_type":["não é um número inteiro"]}`},
		{"of a bank that cannot be", `"name":"a","deposit_account_type_id":1,"bank_account_id":-1`,
			`{"bank_account":["não existe"]}`},
		{"of a bank beyond all numbers", `"name":"a","deposit_account_type_id":1,"bank_account_id":99999999999`,
			`{"bank_account":["não existe"]}`},
		{"in a currency that cannot be", `"name":"a","deposit_account_type_id":1,"currency_id":-1`,
			`{"currency":["não existe"]}`},
		{"with a balance that is none", `"name":"a","deposit_account_type_id":1,"initial_balance":"mil"`,
			`{"initial_balance":["não é um número: use ponto decimal, como 1234.56"]}`},
		{"with a balance in thousandths", `"name":"a","deposit_account_type_id":1,"initial_balance":1.005`,
			`{"initial_balance":["deve ter no máximo 2 casas decimais"]}`},
		{"with a balance too large", `"name":"a","deposit_account_type_id":1,"initial_balance":"10000000000000"`,
			`{"initial_balance":["deve ter no máximo 13 dígitos inteiros"]}`},
		{"with an archive that is neither", `"name":"a","deposit_account_type_id":1,"archive":"sim"`,
			`{"archive":["deve ser true ou false"]}`},
		{"with an account number without digits", `"name":"a","deposit_account_type_id":1,"account_number":"--"`,
			`{"account_number":["não é válido"]}`},
		{"with texts too long", `"name":"` + long + `","deposit_account_type_id":1,"description":"` + long +
			`","account_number":"` + long + `"`,
			`{"name":["é muito longo (máximo: 255 caracteres)"],"description":["é muito longo (máximo: 255 ` +
				`caracteres)"],"account_number":["é muito longo (máximo: 255 caracteres)"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.call(t, "POST", accountsPath, document(`{"deposit_account":{`+c.fields+`}}`)).wantBody(t, 422, c.messages)
		})
	}
	equal(t, s.call(t, "GET", accountsPath).body, "[]")
}

func TestTheTypesOfDepositAccounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct {
		kind       int
		bank, logo string
	}{
		{1, "237", "logos/logo-bank-account.png"},
		{2, "<nil>", "logos/logo-money-account.png"},
		{4, "237", "logos/logo-investment-account.png"},
		{6, "237", "logos/logo-credit-card.png"},
		{8, "<nil>", "logos/logo-cash-register.png"},
	} {
		a := s.call(t, "POST", accountsPath,
			document(fmt.Sprintf(`{"deposit_account":{"name":"a","deposit_account_type_id":%d,"bank_account_id":237}}`,
				c.kind))).want(t, 201)
		equal(t, a.at(t, "deposit_account.bank_account_id"), c.bank)
		equal(t, a.at(t, "deposit_account.logo_image_url"), c.logo)
	}
	t.Run("an account that becomes cash loses its bank", func(t *testing.T) {
		s.call(t, "PUT", accountsPath+"/1", document(`{"deposit_account":{"deposit_account_type_id":2}}`)).wantBody(t,
			200, "")
		equal(t, s.call(t, "GET", accountsPath+"/1").at(t, "deposit_account.bank_account_id"), "<nil>")
	})
}

// The currency is fixed by a transaction, a statement or a movement of the cash register.
func TestTheCurrencyOfAnAccountStays(t *testing.T) {
	t.Parallel()
	const fixed = `{"currency":["não pode mudar: a conta já tem transações, extratos ou movimentos de caixa"]}`
	for name, begin := range map[string]func(s *service, path string){
		"a transaction": func(s *service, path string) { s.newTransaction(t, path, finance.Debit, "1", "2026-03-04") },
		"a statement": func(s *service, path string) {
			s.exec(t, `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
				file_content_type, file_file_size) VALUES (1, 1, 'k', 'a', 'a/b', 1)`)
		},
		"a session": func(s *service, path string) {
			s.call(t, "PUT", path+"/open", document("{}")).want(t, 200)
			s.call(t, "PUT", path+"/close", document("{}")).want(t, 200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			path := s.made(t, accountsPath, `{"deposit_account":{"name":"Caixa","deposit_account_type_id":8}}`)
			put := func(fields string) answer {
				t.Helper()
				return s.call(t, "PUT", path, document(`{"deposit_account":{`+fields+`}}`))
			}
			s.exec(t, `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
				file_content_type, file_file_size, preview_until) VALUES (1, 1, 'p', 'a', 'a/b', 1,
				now() + interval '1 day')`)
			put(`"currency_id":2`).want(t, 200) // a preview keeps nothing
			put(`"currency_id":1`).want(t, 200)
			begin(s, path)
			put(`"currency_id":2`).wantBody(t, 422, fixed)
			put(`"currency_id":1,"name":"Outro"`).want(t, 200)
		})
	}
}

// When a transaction and a change of the currency run at once, one is refused or both use the same
// currency.
func TestACurrencyChangesBesideTransactions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 20 {
		path := s.newDepositAccount(t)
		codes := s.atOnce(t,
			func() (answer, error) {
				return s.send(t.Context(), "PUT", path, document(`{"deposit_account":{"currency_id":2}}`))
			},
			func() (answer, error) {
				return s.send(t.Context(), "POST", path+"/financial_transactions",
					document(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04"}}`))
			})
		if codes != [2]int{200, 201} && codes != [2]int{201, 422} {
			t.Error(codes)
		}
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM financial_transactions t JOIN deposit_accounts d
		ON d.id = t.deposit_account_id WHERE t.currency_id <> d.currency_id`), 0)
}

// While a deletion runs, transactions below the account cannot be read or changed.
func TestTransactionsOfADeletedAccountStay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	gone, other := s.newDepositAccount(t), s.newDepositAccount(t)
	transfer := s.made(t, gone+"/financial_transactions", fmt.Sprintf(
		`{"financial_transaction":{"type":"Debit","amount":20,"occurred_at":"2026-03-04",`+
			`"transfer_deposit_account_id":%d}}`, lastID(other)))
	s.call(t, "DELETE", gone, document(`{"deposit_account":{"force_destroy":true}}`)).want(t, 200)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, method, transfer, document(`{"financial_transaction":{"amount":777}}`)).want(t, 404)
	}
	equal(t, s.call(t, "GET", other).at(t, "deposit_account.calculated_balance"), "20.0")
}

// The memory of a card's items tells instalments apart, that of another account does not.
func TestAnAccountWithStatementsBecomesNoCard(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t)
	become := func(kind int) answer {
		return s.call(t, "PUT", path, document(fmt.Sprintf(`{"deposit_account":{"deposit_account_type_id":%d}}`, kind)))
	}
	become(6).want(t, 200)
	statement := s.call(t, "POST", path+"/bank_statements", parts(file("a.ofx", ofx))).want(t, 201).header.Get(
		"Location")
	refused := `{"deposit_account_type":["não pode mudar de ou para cartão (6): a conta já tem extratos, cujas ` +
		`linhas seriam importadas de novo"]}`
	become(1).wantBody(t, 422, refused)
	become(6).want(t, 200)
	s.finishImport(t, lastID(statement))
	become(1).wantBody(t, 422, refused)
	s.call(t, "DELETE", strings.TrimPrefix(statement, publicURL)).want(t, 202)
	become(1).want(t, 200)
	become(2).want(t, 200)
}

func TestTheTypeOfAnOpenRegisterStays(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.made(t, accountsPath, `{"deposit_account":{"name":"Caixa","deposit_account_type_id":8}}`)
	put := func() answer {
		t.Helper()
		return s.call(t, "PUT", path, document(`{"deposit_account":{"deposit_account_type_id":2}}`))
	}
	s.call(t, "PUT", path+"/open", document("{}")).want(t, 200)
	put().wantBody(t, 422, `{"deposit_account_type":["não pode mudar enquanto o caixa está aberto"]}`)
	s.call(t, "PUT", path+"/close", document("{}")).want(t, 200)
	put().want(t, 200)
}

func TestADepositAccountIsChanged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t)
	put := func(fields string) {
		t.Helper()
		s.call(t, "PUT", path, document(`{"deposit_account":{`+fields+`}}`)).wantBody(t, 200, "")
	}
	field := func(name string) string { t.Helper(); return s.call(t, "GET", path).at(t, "deposit_account."+name) }

	put(`"name":"Itaú","description":"Loja","bank_account_id":341,"account_number":"1-2","force_destroy":true,` +
		`"currency_id":2`)
	for name, want := range map[string]string{"name": "Itaú", "description": "Loja", "bank_account_id": "341",
		"account_number": "1-2", "force_destroy": "true", "currency_id": "2"} {
		equal(t, field(name), want)
	}
	put(`"description":null,"bank_account_id":null,"account_number":"","currency_id":null`)
	for name, want := range map[string]string{"name": "Itaú", "description": "<nil>", "bank_account_id": "<nil>",
		"account_number": "<nil>", "currency_id": "1"} {
		equal(t, field(name), want)
	}
	s.call(t, "PUT", path, document(`{"deposit_account":{"name":" "}}`)).wantBody(t, 422,
		`{"name":["não pode ser vazio"]}`)
	s.call(t, "PUT", path, document(`{"deposit_account":{"deposit_account_type_id":null}}`)).wantBody(t, 422,
		`{"deposit_account_type":["não pode ser vazio"]}`)
	equal(t, field("name"), "Itaú")
}

func TestArchivingADepositAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t)
	state := func(put string) (archive, at string) {
		t.Helper()
		s.call(t, "PUT", path, document(`{"deposit_account":{`+put+`}}`)).want(t, 200)
		a := s.call(t, "GET", path)
		return a.at(t, "deposit_account.archive"), a.at(t, "deposit_account.archived_at")
	}
	archive, at := state(`"archive":true`)
	equal(t, archive, "true")
	equal(t, timeless(at), "2026-01-02T03:04:05-03:00")
	s.exec(t, `UPDATE deposit_accounts SET archived_at = '2026-01-01T00:00:00-03:00'`)
	if _, at = state(`"archive":"1"`); at != "2026-01-01T00:00:00-03:00" {
		t.Errorf("archived again at %s", at)
	}
	if archive, _ = state(`"name":"b"`); archive != "true" {
		t.Error("brought back by another change")
	}
	archive, at = state(`"archive":false`)
	equal(t, archive+" "+at, "false <nil>")
}

func TestTheInitialBalanceMovesTheBalance(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t)
	s.newTransaction(t, path, "Debit", "0.3", "2026-01-02")
	for _, c := range []struct{ sent, initial, balance string }{
		{`"100"`, "100.0", "99.7"}, {`0.1`, "0.1", "-0.2"}, {`"-68.50"`, "-68.5", "-68.8"},
		{`"9999999999999.99"`, "9999999999999.99", "9999999999999.69"},
		{`"-9999999999999.99"`, "-9999999999999.99", "-10000000000000.29"}, {`0`, "0.0", "-0.3"},
		{`null`, "<nil>", "-0.3"}, {`"0.199e3"`, "199.0", "198.7"},
	} {
		s.call(t, "PUT", path, document(`{"deposit_account":{"initial_balance":`+c.sent+`}}`)).want(t, 200)
		a := s.call(t, "GET", path)
		equal(t, a.at(t, "deposit_account.initial_balance"), c.initial)
		equal(t, a.at(t, "deposit_account.calculated_balance"), c.balance)
	}
}

func TestDepositAccountsAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, text := range []string{
		`{"name":"banco do brasil","deposit_account_type_id":1,"bank_account_id":1}`,
		`{"name":"Água","deposit_account_type_id":2}`,
		`{"name":"Banco Inter","deposit_account_type_id":1,"bank_account_id":77}`,
		`{"name":"ábaco","deposit_account_type_id":4,"bank_account_id":77}`,
		`{"name":"Água","deposit_account_type_id":8}`,
		`{"name":"Abacate","deposit_account_type_id":6}`,
	} {
		s.call(t, "POST", accountsPath, document(`{"deposit_account":`+text+`}`)).want(t, 201)
	}
	s.exec(t, `UPDATE deposit_accounts SET updated_at = '2026-03-01' WHERE id < 6`)
	for filters, ids := range map[string][]string{
		// Abacate, ábaco, Água, Água, banco do brasil, Banco Inter
		"":                          {"6", "4", "2", "5", "1", "3"},
		"name=Água":                 {"2", "5"},
		"name=agua":                 {},
		"name_contains=BANCO":       {"1", "3"},
		"name_contains=aba":         {"6", "4"},
		"deposit_account_type_id=1": {"1", "3"},
		"deposit_account_type_id=9": {},
		"bank_account_id=77":        {"4", "3"},
		"bank_account_id=77&deposit_account_type_id=4": {"4"},
		"updated_at_gte=2026-03-02":                    {"6"},
	} {
		a := s.call(t, "GET", accountsPath+"?"+search(filters))
		if got := a.all(t, "deposit_account.id"); strings.Join(got, " ") != strings.Join(ids, " ") {
			t.Errorf("%s: %v, want %v", filters, got, ids)
		}
	}
	s.call(t, "GET", accountsPath+"?search[deposit_account_type_id]=caixa").wantBody(t, 422,
		`{"deposit_account_type_id":["não é um número inteiro"]}`)
	s.call(t, "GET", accountsPath+"?search[archive]=true").wantBody(t, 422,
		`{"archive":["não é um filtro conhecido: os filtros são bank_account_id, deposit_account_type_id, `+
			`external_id_equals, ids, name, `+
			`name_contains, updated_at_gte"]}`)
}
