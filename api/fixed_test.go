package api_test

import (
	"slices"
	"testing"
)

func TestTheListsThatAreTheSameForEverybody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	equal(t, s.call(t, "GET", "/taxes").all(t, "tax.name"),
		[]string{"Outros", "COFINS", "CSLL", "ICMS", "INSS", "IOF", "IPI", "IRRF", "ISS", "PIS", "IRPJ", "CBS", "IBS"})
	equal(t, s.call(t, "GET", "/taxes?page=2&per_page=5").all(t, "tax.id"), []string{"6", "7", "8", "9", "10"})
	equal(t, s.call(t, "GET", "/taxes?page=9&per_page=5").body, "[]")
	equal(t, s.call(t, "GET", "/taxes?page=2&per_page=5").header.Get("Links") != "", true)
	s.call(t, "GET", "/taxes?search[name]=ISS").wantBody(t, 422,
		`{"name":["não é um filtro conhecido: os filtros são ids"]}`)
	s.call(t, "GET", "/taxes/14").wantBody(t, 404, `{"error":"Couldn't find Tax with id=14"}`)
	s.call(t, "GET", "/taxes/iss").wantBody(t, 404, `{"error":"Couldn't find Tax with id=iss"}`)

	s.call(t, "GET", "/banks/1").wantBody(t, 200, `{"bank":{"id":1,"code":"001","name":"Banco do Brasil"}}`)
	s.call(t, "GET", "/banks/2").wantBody(t, 404, `{"error":"Couldn't find Bank with id=2"}`)
	if ids := s.call(t, "GET", "/banks").all(t, "bank.id"); len(ids) < 150 || !slices.Contains(ids, "341") {
		t.Errorf("banks %v", ids)
	}
	s.call(t, "GET", "/currencies/1").wantBody(t, 200, `{"currency":{"id":1,"code":"BRL","numeric_code":"986",`+
		`"name":"Real brasileiro","minor_units":2}}`)
	s.call(t, "GET", "/currencies/9999").wantBody(t, 404, `{"error":"Couldn't find Currency with id=9999"}`)
	if codes := s.call(t, "GET", "/currencies").all(t, "currency.code"); len(codes) < 150 ||
		!slices.Contains(codes, "JPY") {
		t.Errorf("currencies %v", codes)
	}
}

func TestADepositAccountHasABankAndACurrencyOfTheLists(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct{ fields, messages string }{
		{`"bank_account_id":2`, `{"bank_account":["não existe"]}`},
		{`"currency_id":9999`, `{"currency":["não existe"]}`},
		{`"bank_account_id":1000,"currency_id":999`, `{"bank_account":["não existe"],"currency":["não existe"]}`},
		{`"bank_account_id":141,"currency_id":1`, ""}, // existing clients send this bank
		{`"bank_account_id":null,"currency_id":"2"`, ""},
		{`"bank_account_id":2,"deposit_account_type_id":2`, ""}, // cash has no bank
	} {
		create := document(`{"deposit_account":{"name":"a","deposit_account_type_id":1,` + c.fields + `}}`)
		if c.messages == "" {
			s.call(t, "POST", accountsPath, create).want(t, 201)
			continue
		}
		s.call(t, "POST", accountsPath, create).wantBody(t, 422, c.messages)
		s.call(t, "PUT", s.newDepositAccount(t), create).wantBody(t, 422, c.messages)
	}
}
