package statement

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance/memo"
)

// saoPaulo returns the zone of the tests' moments.
func saoPaulo(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func readJSON(t testing.TB, file string) (*Reader, []Item, error) {
	r := newReader(strings.NewReader(file))
	r.Zone = saoPaulo(t)
	items, err := readAll(r)
	return r, items, err
}

func TestDialectsOfJSON(t *testing.T) {
	t.Parallel()
	const pluggy = `"date":"2026-03-24T02:12:12.115Z","descriptionRaw":"PIX","description":"Pix",
		"currencyCode":"BRL","status":"POSTED","accountId":"a",
		"paymentData":{"payer":{"name":"BRUNA LIMA","documentNumber":
		{"type":"CPF","value":"529.982.247-25"}},"receiver":{"name":"CAFÉ RUIVO LTDA","documentNumber":
		{"type":"CNPJ","value":"11.222.333/0001-81"}},"receiverReferenceId":"pedido1","referenceNumber":"77"}`
	pluggyItem := func(amount, name, document string) []Item {
		return []Item{{Line: 1, AmountLine: 1, Day: day(2026, 3, 23), Amount: amount, FITID: "p", Description: "PIX",
			Currency: "BRL", Document: "77", Payment: memo.Payment{TxID: "pedido1", CounterpartName: name,
				CounterpartDocument: document}}}
	}
	for name, c := range map[string]struct {
		file string
		want []Item
	}{
		"an empty array": {"[]", nil},
		"an empty page":  {` {"results":[],"next":null} `, nil},
		"of bordero": {`[{"id":7,"occurred_at":"2026-03-02","amount":-0.1,"document":12,"status":"posted",
			"description":"Caf\u00e9 \ud83d\ude00\n&amp; p\u00e3o","other":{"amount":[1,{}]},
			"counterpart_name":"ANA LIMA","counterpart_document":"529.982.247-25"}]`,
			[]Item{{Line: 1, AmountLine: 1, Day: day(2026, 3, 2), Amount: "-0.1", FITID: "7", Document: "12",
				Description: "Café 😀 & pão",
				Payment:     memo.Payment{CounterpartName: "ANA LIMA", CounterpartDocument: "52998224725"}}}},
		"JSON lines": {`{"occurred_at":"2026-03-02T02:59:59Z","amount":"1250.30","status":"pending"}
			{"amount":5,
			"occurred_at":"2026-03-02T23:00:00"}
			{"amount":5,"occurred_at":"2026-03-02T23:00:00-05:00"}`,
			[]Item{{Line: 1, AmountLine: 1, Day: day(2026, 3, 1), Amount: "1250.30", Pending: true},
				{Line: 2, AmountLine: 2, Day: day(2026, 3, 2), Amount: "5"},
				{Line: 4, AmountLine: 4, Day: day(2026, 3, 3), Amount: "5"}}},
		"of Pluggy, a credit": {
			`{"page":1,"results":[{"id":"p","type":"CREDIT","amount":100,` + pluggy + `}],"total":1}`,
			pluggyItem("100", "BRUNA LIMA", "52998224725")},
		"of Pluggy, a debit without its sign": {
			`[{"id":"p","type":"DEBIT","amount":100.5,"creditCardMetadata":null,` + pluggy + `}]`,
			pluggyItem("-100.5", "CAFÉ RUIVO LTDA", "11222333000181")},
		"of Pluggy, in the account's currency": {`[{"date":"2026-03-24","type":"DEBIT","amount":-10.5,
			"amountInAccountCurrency":-58.27,"currencyCode":"USD"},
			{"date":"2026-03-24","type":"CREDIT","amount":10,"amountInAccountCurrency":-55,"currencyCode":"USD"},
			{"date":"2026-03-24","type":"DEBIT","amount":10,"amountInAccountCurrency":null,"currencyCode":"USD"},
			{"date":"2026-03-24","type":"DEBIT","amount":10,"amountInAccountCurrency":"55","currencyCode":"USD"}]`,
			[]Item{{Line: 1, AmountLine: 2, Day: day(2026, 3, 24), Amount: "-58.27"},
				{Line: 3, AmountLine: 3, Day: day(2026, 3, 24), Amount: "55"},
				{Line: 4, AmountLine: 4, Day: day(2026, 3, 24), Amount: "-10", Currency: "USD"},
				{Line: 5, AmountLine: 5, Day: day(2026, 3, 24), Amount: "-10", Currency: "USD"}}},
		"of Pluggy, a card": {`[{"id":"p","type":"DEBIT","amount":9,"date":"2026-03-24T03:00:00Z",
			"description":"LOJA 2/3","creditCardMetadata":{"installmentNumber":2,"totalInstallments":3}}]`,
			[]Item{{Line: 1, AmountLine: 1, Card: true, Day: day(2026, 3, 24), Amount: "-9", FITID: "p",
				Description: "LOJA 2/3"}}},
		"of Belvo": {`{"results":[{"id":"b","account":{"number":"12345-6","id":"x"},"value_date":"2026-08-03",
			"amount":20,"currency":"BRL","description":"TARIFA","observations":"PACOTE","reference":"9",
			"type":"OUTFLOW","status":"PROCESSED","merchant":null}]}`,
			[]Item{{Line: 1, AmountLine: 2, Account: "12345-6", Day: day(2026, 8, 3), Amount: "-20", FITID: "b",
				Document: "9", Description: "TARIFA PACOTE", Currency: "BRL"}}},
		"of Open Finance": {`{"data":[{"transactionId":"A-1","completedAuthorisedPaymentType":"LANCAMENTO_FUTURO",
			"creditDebitType":"DEBITO","transactionName":"PIX",
			"transactionAmount":{"amount":"1000.0400","currency":"BRL"},
			"transactionDateTime":"2026-08-03T02:59:59.000Z","partieCnpjCpf":"52998224725"}],"links":{}}`,
			[]Item{{Line: 1, AmountLine: 3, Day: day(2026, 8, 2), Amount: "-1000.0400", FITID: "A-1",
				Description: "PIX", Currency: "BRL", Pending: true,
				Payment: memo.Payment{CounterpartDocument: "52998224725"}}}},
	} {
		r, items, err := readJSON(t, c.file)
		if diff := diff(c.want, items); diff != "" || err != nil {
			t.Errorf("%s: error %v, -want +got\n%s", name, err, diff)
		}
		if len(r.Notes()) > 0 {
			t.Errorf("%s: notes %v", name, r.Notes())
		}
	}
}

// Each fault names the item and the member, and a file is broken whichever of its items is.
func TestFaultsOfJSON(t *testing.T) {
	t.Parallel()
	const good = `{"id":"1","occurred_at":"2026-03-02","amount":1},`
	long := strings.NewReplacer("DAY", `"occurred_at":"2026-03-02"`, "MOMENT",
		`"transactionDateTime":"2026-03-02T00:00:00Z"`)
	deep := strings.Repeat(`{"a":[`, 40)
	for file, want := range map[string]string{
		`{DAY}`:                         `falta o membro "amount"`,
		`{DAY,"amount":null}`:           `falta o membro "amount"`,
		`{DAY,"amount":"1.250,30"}`:     `o membro "amount" tem "1.250,30"`,
		`{DAY,"amount":"R$ 1"}`:         `o membro "amount" tem "R$ 1"`,
		`{DAY,"amount":1e2}`:            `o membro "amount" tem "1e2"`,
		`{DAY,"amount":12345678901234}`: `o membro "amount" tem "12345678901234"`,
		`{DAY,"amount":{"value":1}}`:    `o membro "amount" não é um valor`,
		`{DAY,"amount":true}`:           `o membro "amount" não é um valor`,
		`{DAY,"amount":1,"amount":2}`:   `o membro "amount" vem duas vezes`,
		`{DAY,"amount":
			1,"status":"new"}`: `o membro "status" tem "new"; esperado posted, pending`,
		`{DAY,"amount":1,"id":{}}`:                                `o membro "id" não é um texto`,
		`{DAY,"amount":1,"description":5}`:                        `o membro "description" não é um texto`,
		`{DAY,"amount":01}`:                                       `o número "01" não é de JSON`,
		`{DAY,"amount":` + strings.Repeat("1", 101) + `}`:         `um número tem mais de 100 caracteres`,
		`{DAY,"amount":1,"x":` + deep + `}`:                       `o JSON tem mais de 64 níveis`,
		`{DAY,"amount":1,}`:                                       `o JSON tem '}' onde se esperava outro valor`,
		`{"occurred_at" "2026-03-02"}`:                            `o JSON tem '"' onde se esperava :`,
		`{DAY,"amount":1 "id":2}`:                                 `o JSON tem '"' onde se esperava , }`,
		`{"occurred_at":"\x"}`:                                    `o JSON tem 'x' onde se esperava um de`,
		"{\"id\":\"a\nb\"}":                                       `o JSON tem '\n' onde se esperava "`,
		`["x"]`:                                                   `o JSON tem '[' onde se esperava {`,
		`{"date":"2026-03-02","amount":1,"type":"PIX"}`:           `o membro "type" tem "PIX"; esperado CREDIT, DEBIT`,
		`{"value_date":"2026-03-02","amount":-1,"type":"INFLOW"}`: `o membro "amount" tem "-1", e o sinal é o de `,
		`{MOMENT,"creditDebitType":"DEBITO","transactionAmount":{"amount":"1"}}`: "o membro " +
			`"completedAuthorisedPaymentType" tem ""`,
		`{"date":"2026-03-02","type":"DEBIT","amount":1,"amountInAccountCurrency":1e2}`: "o membro " +
			`"amountInAccountCurrency" tem "1e2"`,
		`{MOMENT,"amount":1}`: `falta o membro "transactionAmount.amount"`,
	} {
		_, items, err := readJSON(t, "["+good+long.Replace(file)+"]")
		var broken *Error
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), "item 2: "+want) || len(items) > 1 {
			t.Errorf("%s: %v, want item 2: %s", file, err, want)
		}
	}
	_, _, err := readJSON(t, `[{"date":"2026-03-02","amount":1,"type":"CREDIT","accountId":"a"},
		{"date":"2026-03-02","amount":1,"type":"CREDIT","accountId":"b"}]`)
	const want = `linha 2: item 2: o membro "accountId" tem "b", e os itens antes dele "a"`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("two accounts: %v", err)
	}
}

// An item without a readable date is invalid, and its other members are not looked at. A file without any readable
// date is broken, by its first item.
func TestDatesOfJSON(t *testing.T) {
	t.Parallel()
	const good = `{"occurred_at":"2026-03-02","amount":1}`
	for undated, want := range map[string]string{
		`{"amount":1,"id":"2"}`:                                  `falta a data`,
		`{"occurred_at":null,"amount":"R$ 1"}`:                   `falta a data`,
		`{"occurred_at":"2026-02-30","amount":1}`:                `o membro "occurred_at" tem "2026-02-30"`,
		`{"occurred_at":"2026-03-02T10:00-03:00","amount":5}`:    `o membro "occurred_at" tem "2026-03-02T10:00-03:00"`,
		`{"occurred_at":"0001-01-01T00:00:00Z","amount":5}`:      `o membro "occurred_at" tem "0001-01-01T00:00:00Z"`,
		`{"occurred_at":"0001-01-02T01:00:00Z","amount":5}`:      `o membro "occurred_at" tem "0001-01-02T`,
		`{"occurred_at":"0001-01-01","amount":5}`:                `o membro "occurred_at" tem "0001-01-01"`,
		`{"occurred_at":"9999-12-31T23:59:59-04:00","amount":5}`: `o membro "occurred_at" tem "9999-12-31T`,
		`{"occurred_at":20260302,"amount":1,"status":"new"}`:     `o membro "occurred_at" não é uma data`,
		`{"occurred_at":"02/03/2026","amount":"1,50"}`:           `o membro "occurred_at" tem "02/03/2026"`,
	} {
		for _, file := range []string{"[" + undated + "," + good + "]", good + "\n" + undated} {
			_, items, err := readJSON(t, file)
			var outcomes []Outcome
			for _, it := range items {
				outcome, _, err := Classify(it, "", day(2026, 3, 20))
				if err != nil || it.AmountLine == 0 {
					t.Errorf("%s: an amount at line %d, error %v", file, it.AmountLine, err)
				}
				outcomes = append(outcomes, outcome)
			}
			slices.Sort(outcomes)
			if !slices.Equal(outcomes, []Outcome{Imported, InvalidDate}) || err != nil {
				t.Errorf("%s: %v, error %v", file, outcomes, err)
			}
		}
		for _, file := range []string{"[" + undated + "]", undated + "\n" + `{"date":"?"}`} {
			if _, items, err := readJSON(t, file); !errors.As(err, new(*Error)) || len(items) > 0 ||
				!strings.Contains(err.Error(), "item 1: "+want) {
				t.Errorf("%s: %d items, error %v, want item 1: %s", file, len(items), err, want)
			}
		}
	}
}

// A file that is cut off anywhere but behind a line is an error, and brings nothing.
func TestCutJSON(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		`[{"id":"1","occurred_at":"2026-03-02","amount":1,"x":[true,null,{"y":"\u00e9"}]},` +
			`{"occurred_at":"2026-03-02","amount":2.5}]`,
		`{"next":null,"results":[{"date":"2026-03-02","amount":1,"type":"CREDIT"}],"total":1}`,
	} {
		if _, _, err := readJSON(t, file); err != nil {
			t.Fatal(err)
		}
		for end := 1; end < len(file); end++ {
			_, items, err := readJSON(t, file[:end])
			if !errors.As(err, new(*Error)) || len(items) > 0 {
				t.Errorf("%s: %d items, error %v", file[:end], len(items), err)
			}
		}
	}
}

// A long text is cut, and its end has no half of a character.
func TestLongTextsOfJSON(t *testing.T) {
	t.Parallel()
	_, items, err := readJSON(t, `[{"amount":1,"occurred_at":"2026-03-02","id":"`+strings.Repeat("é", 3000)+
		`","description":"`+strings.Repeat("é", 3000)+`"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if i := items[0]; i.Description != strings.Repeat("é", 2048)+"…" || i.FITID != strings.Repeat("é", 127) {
		t.Errorf("a description of %d bytes, an id of %d", len(i.Description), len(i.FITID))
	}
}

// A file of a format without account numbers is of the account that it is for, whatever its number.
func TestAFileWithoutNumbersIsOfItsAccount(t *testing.T) {
	t.Parallel()
	for _, file := range []string{`[{"occurred_at":"2026-03-02","amount":1}]`,
		"Data,Valor,Identificador,Descrição\n02/03/2026,1.00,a,Pix\n"} {
		r := newReader(strings.NewReader(file))
		account := r.AccountOf("2222")
		item, err := r.Next()
		if outcome, _, _ := Classify(item, account, day(2026, 11, 26)); err != nil || outcome != Imported {
			t.Errorf("%s: %s, error %v", file, outcome, err)
		}
	}
}

// Belvo gives the numbers of accounts: a file may have several.
func TestAccountsOfJSON(t *testing.T) {
	t.Parallel()
	file := `[{"value_date":"2026-03-02","amount":1,"type":"INFLOW","account":{"id":"a","number":"111-1"}},
		{"value_date":"2026-03-02","amount":1,"type":"INFLOW","account":{"id":"b","number":"222-2"}}]`
	accounts, err := ReadAccounts(strings.NewReader(file))
	if diff := diff([]string{"111-1", "222-2"}, accounts.Numbers); diff != "" || err != nil {
		t.Errorf("error %v, -want +got\n%s", err, diff)
	}
	r := newReader(strings.NewReader(file))
	account := r.AccountOf("2222")
	for range 2 {
		item, err := r.Next()
		if outcome, _, _ := Classify(item, account, day(2026, 11, 26)); err != nil ||
			(outcome == OtherAccount) != (item.Account == "111-1") {
			t.Errorf("%s of %s, error %v", outcome, item.Account, err)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}
