package api_test

import (
	"slices"
	"strings"
	"testing"

	"bordero/storage/storagetest"

	"github.com/xuri/excelize/v2"
)

// otherTable is a table with the header of no known bank.
const otherTable = "Meu banco\nDia;Texto;Entrou;Saiu;Resta\n01/08/2026;PIX DA ANA;1.000;;1.000\n" +
	"02/08/2026;PADARIA;;5,50;994,50\n"

// A table of an unknown header is refused until the account maps its columns; a preview then shows its rows.
func TestATableIsReadByTheMappingOfItsAccount(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	account := s.newDepositAccount(t)
	list := account + "/bank_statements"
	upload := func() answer {
		t.Helper()
		return s.call(t, "POST", list, parts(file("a.csv", otherTable), preview("true")))
	}
	a := upload().want(t, 422)
	if !strings.Contains(a.body, `o cabeçalho \"Dia;Texto;Entrou;Saiu;Resta\" não é de um banco conhecido`) {
		t.Error(a.body)
	}
	s.call(t, "PUT", account, document(`{"deposit_account":{"statement_mapping":{"separator":";","decimal":",",`+
		`"date_format":"dd/mm/yyyy","date":"dia","credit":"Entrou","debit":"Saiu","description":"TEXTO",`+
		`"balance":"Resta"}}}`)).want(t, 200)
	a = s.call(t, "GET", account)
	equal(t, a.at(t, "deposit_account.statement_mapping.credit"), "Entrou")
	equal(t, a.at(t, "deposit_account.statement_mapping.amount"), "<nil>")
	upload().want(t, 201)
	s.work(t)
	items := s.call(t, "GET", list+"/1/items?per_page=5")
	equal(t, items.all(t, "bank_statement_item.amount"), []string{"1000.0", "-5.5"})
	equal(t, items.all(t, "bank_statement_item.description"), []string{"PIX DA ANA", "PADARIA"})
	a = s.call(t, "GET", list+"/1")
	equal(t, a.at(t, "bank_statement.event.status"), "previewed")
	equal(t, a.at(t, "bank_statement.ledger_balance"), "994.5")

	s.call(t, "PUT", account, document(`{"deposit_account":{"statement_mapping":null}}`)).want(t, 200)
	upload().want(t, 422)
}

// mapped is a part of an upload's form with an attribute of the mapping.
func mapped(name, column string) part {
	return text("bank_statement[statement_mapping]["+name+"]", column)
}

// A preview shows the rows of a table by a mapping that came with it, and only its confirmation keeps the mapping.
func TestAMappingIsKeptWhenItsPreviewIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	account := s.newDepositAccount(t)
	list := account + "/bank_statements"
	table, date, description := file("a.csv", otherTable), mapped("date", "dia"), mapped("description", "TEXTO")

	s.call(t, "POST", list, parts(table, preview("true"), date, description, mapped("credit", "Saiu"),
		mapped("debit", "Entrou"))).want(t, 201)
	s.call(t, "POST", list, parts( // before the file, and one that is not filled in
		mapped("credit", "Entrou"), mapped("debit", "Saiu"), mapped("balance", "Resta"), mapped("document", ""),
		description, date, preview("1"), table)).want(t, 201)
	s.work(t)
	for id, want := range map[string][]string{"1": {"-1000.0", "5.5"}, "2": {"1000.0", "-5.5"}} {
		equal(t, s.call(t, "GET", list+"/"+id+"/items?per_page=5").all(t, "bank_statement_item.amount"), want)
	}
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.statement_mapping"), "<nil>")

	s.call(t, "POST", list+"/2/confirm").want(t, 202)
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.statement_mapping.credit"), "Entrou")
	storagetest.Seal(t, s.store)
	if all := s.feed(t, "?after=0").events(); !slices.Contains(all, "deposit_accounts.updated 1") {
		t.Errorf("the deposit account's mapping is not in the feed: %q", all)
	}
	changed := s.call(t, "GET", "/changes?after=0&event=deposit_accounts.updated").want(t, 200).body
	if !strings.Contains(changed, `"attributes":{"statement_mapping":[null,{`) {
		t.Errorf("the change does not say the mapping: %s", changed)
	}
	s.call(t, "POST", list, parts(preview("1"), table, date, description, mapped("credit", "Entrou"),
		mapped("debit", "Saiu"), mapped("balance", "Resta"))).want(t, 201)
	s.work(t)
	s.call(t, "POST", list+"/3/confirm").want(t, 202)
	storagetest.Seal(t, s.store)
	all := strings.Join(s.feed(t, "?after=0").events(), "\n")
	if strings.Count(all+"\n", "deposit_accounts.updated 1\n") != 1 {
		t.Errorf("the same mapping is a change: %s", all)
	}
	s.call(t, "POST", list, parts(file("b.csv", otherTable))).want(t, 201) // the next file needs no mapping
	s.call(t, "PUT", account, document(`{"deposit_account":{"statement_mapping":{"date":"Dia","description":"Texto",`+
		`"credit":"Saiu","debit":"Entrou"}}}`)).want(t, 200)
	s.work(t)
	a := s.call(t, "GET", list+"/2") // was read as it had been shown
	equal(t, a.at(t, "bank_statement.imported_items_count"), "2")
	equal(t, s.call(t, "GET", list+"/2/items").all(t, "bank_statement_item.amount"), []string{"1000.0", "-5.5"})
	equal(t, a.at(t, "bank_statement.statement_mapping.date"), "dia")
}

func TestAMappingOfAPreviewIsValidated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	list := s.newDepositAccount(t) + "/bank_statements"
	table, date, amount := file("a.csv", otherTable), mapped("date", "Dia"), mapped("amount", "Entrou")
	for _, c := range []struct {
		sent []part
		want string
	}{
		{[]part{table, date, amount, mapped("description", "Texto")}, `{"statement_mapping":["só vale em uma ` +
			`prévia, que mostra as linhas antes de o mapeamento ser gravado"]}`},
		{[]part{table, preview("true"), date, amount}, `{"statement_mapping.description":["não pode ser vazio"]}`},
		{[]part{table, preview("true"), date, amount, mapped("description", "Texto"), mapped("decimal", "'")},
			`{"statement_mapping.decimal":["não está incluso na lista"]}`},
		{[]part{table, preview("true"), date, amount, mapped("description", "Data")}, `{"file":["não é um extrato ` +
			`OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240: parece um texto em colunas (CSV), mas o cabeçalho ` +
			`\"Dia;Texto;Entrou;Saiu;Resta\" não é de um banco conhecido, nem tem os nomes de statement_mapping"]}`},
	} {
		s.call(t, "POST", list, parts(c.sent...)).wantBody(t, 422, c.want)
	}
	a := s.call(t, "POST", list, parts(table, date, amount, mapped("description", "Texto")),
		with("Accept", "application/problem+json")).want(t, 422)
	equal(t, a.at(t, "errors.0.code"), "only_in_preview")
	equal(t, a.at(t, "errors.0.pointer"), "/bank_statement/statement_mapping")
	s.nothingStored(t)
}

// otherBook returns a workbook with the header of no known bank.
func otherBook(t *testing.T) string {
	t.Helper()
	book := excelize.NewFile()
	for cell, row := range map[string][]any{"A1": {"Dia", "Texto", "Quanto"}, "A2": {"2026-08-01", "PADARIA", -5.5}} {
		if err := book.SetSheetRow("Sheet1", cell, &row); err != nil {
			t.Fatal(err)
		}
	}
	content, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return content.String()
}

// So is a workbook.
func TestAWorkbookIsReadByTheMappingOfItsAccount(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	account, book := s.newDepositAccount(t), file("a.xlsx", otherBook(t))
	upload := func() answer {
		t.Helper()
		return s.call(t, "POST", account+"/bank_statements", parts(book))
	}
	upload().wantBody(t, 422, `{"file":["não é um extrato OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240: nenhuma `+
		`planilha do XLSX tem o cabeçalho de um banco conhecido, nem os nomes de statement_mapping; encontrado `+
		`\"Dia;Texto;Quanto\""]}`)
	s.nothingStored(t)
	s.call(t, "POST", account+"/bank_statements", parts(preview("true"), mapped("date", "Dia"),
		mapped("amount", "Quanto"), mapped("description", "Texto"), book)).want(t, 201)
	s.call(t, "PUT", account, document(`{"deposit_account":{"statement_mapping":{"date":"Dia","amount":"Quanto",`+
		`"description":"Texto"}}}`)).want(t, 200)
	upload().want(t, 201)
	s.work(t)
	a := s.call(t, "GET", account+"/bank_statements/1")
	equal(t, a.at(t, "bank_statement.imported_items_count"), "1")
}

func TestAMappingIsValidated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	const amount = `deve ter o nome da coluna de valores com sinal; ou credit e debit, os das colunas de créditos ` +
		`e de débitos`
	for sent, want := range map[string]string{
		`{}`: `{"statement_mapping.date":["não pode ser vazio"],` +
			`"statement_mapping.description":["não pode ser vazio"],` +
			`"statement_mapping.amount":["` + amount + `"]}`,
		`{"date":"a","description":"b","amount":"c","credit":"d","debit":"e"}`: `{"statement_mapping.amount":["` +
			amount + `"]}`,
		`{"date":"a","description":"b","credit":"d"}`: `{"statement_mapping.amount":["` + amount + `"]}`,
		`{"date":"a","description":"b","amount":"c","separator":"|"}`: `{"statement_mapping.separator":["não está ` +
			`incluso na lista"]}`,
		`{"date":"a","description":"b","amount":"c","amount_sign":"-"}`: `{"statement_mapping.amount_sign":["não ` +
			`está incluso na lista"]}`,
		`{"date":"a","description":"b","credit":"c","debit":"d","amount_sign":"debit_positive"}`: `` +
			`{"statement_mapping.amount":["não pode ser vazio"]}`,
	} {
		a := s.call(t, "PUT", account, document(`{"deposit_account":{"statement_mapping":`+sent+`}}`)).want(t, 422)
		if a.body != want {
			t.Errorf("%s: %s, want %s", sent, a.body, want)
		}
	}
}
