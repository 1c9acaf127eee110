package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage"
	"bordero/storage/cards"
)

const cardsPath = "/entities/1/credit_cards"

// invoices describes the invoices of a card: period, due date, sum, and "payable" if there is a
// payable account.
func (s *service) invoices(t testing.TB, card string) string {
	t.Helper()
	a := s.call(t, "GET", card+"/invoices").want(t, 200)
	var list []string
	for i := range a.value(t).([]any) {
		at := func(name string) string { return a.at(t, fmt.Sprintf("%d.credit_card_invoice.%s", i, name)) }
		text := fmt.Sprintf("%s..%s due %s: %s", at("start_date"), at("end_date"), at("due_date"), at("balance"))
		if at("payable_account_id") != "<nil>" {
			text += " payable"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// payableOf returns the path of the payable account of the invoice of a month.
func (s *service) payableOf(t testing.TB, card, month string) string {
	t.Helper()
	return paths.FinancialAccount(s.EntityID, "payable", query[int64](t, s, `
		SELECT f.id FROM financial_accounts f JOIN credit_card_invoices i ON i.id = f.credit_card_invoice_id
		WHERE i.credit_card_id = $1 AND i.month = $2`, lastID(card), month+"-01"))
}

func (s *service) pay(t testing.TB, payable string) {
	t.Helper()
	s.call(t, "PUT", payable+"/pay", document(`{"payable_account":{"total_amount":1,"occurred_at":"2026-03-10"}}`)).
		want(t, 200)
}

func TestACardIsStored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.made(t, cardsPath, `{"credit_card":{"name":"Loja","flag":"american EXPRESS","closing_day":31,`+
		`"expiration_day":"10","category_full_name":"pessoal / salarios","archive":true}}`)
	a := s.call(t, "GET", card).want(t, 200)
	for name, want := range map[string]string{
		"flag": "American Express", "flag_image_url": "flags/american-express.png", "closing_day": "31",
		"expiration_day": "10", "balance": "0.0", "entity_id": "1", "person_id": "<nil>"} {
		equal(t, a.at(t, "credit_card."+name), want)
	}
	if a.at(t, "credit_card.category_id") == "<nil>" || a.at(t, "credit_card.archived_at") == "<nil>" {
		t.Error(a.body)
	}
	s.call(t, "PUT", card, document(`{"credit_card":{"archive":false,"category_id":null}}`)).want(t, 200)
	equal(t, s.call(t, "GET", card).at(t, "credit_card.archived_at"), "<nil>")
	s.call(t, "POST", cardsPath, document(`{"credit_card":{"name":"Loja","flag":"Desconhecida","closing_day":0,`+
		`"expiration_day":"x"}}`)).
		wantBody(t, 422, `{"expiration_day":["não é um número inteiro"],"flag":["não está incluso na lista"],`+
			`"closing_day":["está fora do intervalo permitido: de 1 a 31"]}`)
	s.call(t, "PUT", card, document(`{"credit_card":{"closing_day":null}}`)).wantBody(t, 422,
		`{"closing_day":["não pode ser vazio"]}`)
	s.newCard(t, 1, 1)
	equal(t, s.call(t, "GET", cardsPath).all(t, "credit_card.id"), []string{"1", "2"})
	equal(t, s.call(t, "GET", cardsPath+"?search[name_contains]=LÔJ&page=2&per_page=1").all(t, "credit_card.id"),
		[]string{"2"})
}

func TestAPurchaseIsInTheInvoiceOfItsDay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 31, 10)
	for _, day := range []string{"2026-02-28", "2026-03-01", "2028-02-29", "2025-12-31", "2026-01-01"} {
		s.buy(t, card, fmt.Sprintf(`"amount":"0.199E3","occurred_at":%q`, day))
	}
	equal(t, s.invoices(t, card), "2025-12-01..2025-12-31 due 2026-01-10: 199.0 payable, 2026-01-01..2026-01-31 due "+
		"2026-02-10: 199.0 payable, "+
		"2026-02-01..2026-02-28 due 2026-03-10: 199.0 payable, 2026-03-01..2026-03-31 due 2026-04-10: 199.0 payable, "+
		"2028-02-01..2028-02-29 due 2028-03-10: 199.0 payable")
	equal(t, s.call(t, "GET", card).at(t, "credit_card.balance"), "995.0")

	equal(t, s.call(t, "GET", card+"/invoices/2028-03").all(t, "credit_card_transaction.occurred_at"), []string{
		"2028-02-29"})
	s.call(t, "GET", card+"/invoices/2027-01").wantBody(t, 200, "[]")
	for _, month := range []string{"2013-13", "2013-00", "2013", "2013-1", "2013-01-01", "abcd-ef", "-"} {
		s.call(t, "GET", card+"/invoices/"+month).wantBody(t, 404, `{"error":"Couldn't find CreditCardInvoice with id=`+
			month+`"}`)
	}
	for _, month := range []string{"%00", "2013%0001", "%FF%FE%FF%FE%FF%FE%FF", strings.Repeat("9", 400), "..", "*"} {
		s.call(t, "GET", card+"/invoices/"+month).want(t, 404)
	}
	s.call(t, "GET", cardsPath+"/9/invoices/2026-01").wantBody(t, 404, `{"error":"Couldn't find CreditCard with id=9"}`)
	s.call(t, "GET", card+"/transactions/99").wantBody(t, 404, `{"error":"Não foi possível localizar a transação com `+
		`o ID 99"}`)
	s.agrees(t)
}

func TestTheTransactionsOfAnInvoiceComeInPages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 31, 10)
	for i := range 60 {
		s.buy(t, card, fmt.Sprintf(`"amount":1,"occurred_at":"2026-03-%02d"`, 31-i%31))
	}
	a := s.call(t, "GET", card+"/invoices/2026-04.json")
	days := a.all(t, "credit_card_transaction.occurred_at")
	equal(t, len(days), 50)
	equal(t, days[0]+" "+a.at(t, "0.credit_card_transaction.id")+" "+a.at(t, "2.credit_card_transaction.occurred_at"),
		"2026-03-01 31 2026-03-03")
	const page = publicURL + "/entities/1/credit_cards/1/invoices/2026-04.json?page=2&per_page="
	equal(t, a.header.Get("Links"), `<`+page+`50>; rel="last", <`+page+`50>; rel="next"`)
	equal(t, len(s.call(t, "GET", card+"/invoices/2026-04?page=2").all(t, "credit_card_transaction.id")), 10)
	equal(t, s.call(t, "GET", card+"/invoices/2026-04?per_page=500").header.Get("Links"), "")
	s.call(t, "GET", card+"/invoices/2026-04?page=3").wantBody(t, 200, "[]")
}

func TestAPurchaseInInstallments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 21, 1)
	value := s.newClassifier(t, "Obra")
	s.newValue(t, value, "Reforma")
	a := s.call(t, "POST", card+"/transactions",
		document(`{"credit_card_transaction":{"amount":199.9,"occurred_at":"2026-12-31","description":"Forno",
		"number_of_parcels":3,"custom_classifications":[{"custom_classifier_id":1,"name":"reforma",`+
			`"percentage":50}]}}`)).want(t, 201)
	for name, want := range map[string]string{"id": "1", "amount": "199.9", "parcel": "1", "parcels": "3",
		"credit_card_invoice.due_date":  "2027-02-01",
		"custom_classifications.0.name": "Reforma", "links.1.rel": "next", "links.1.href": publicURL + card +
			"/transactions/2"} {
		equal(t, a.at(t, "credit_card_transaction."+name), want)
	}
	equal(t, a.header.Get("Location"), publicURL+card+"/transactions/1")
	equal(t, s.invoices(t, card), "2026-12-22..2027-01-21 due 2027-02-01: 199.9 payable, 2027-01-22..2027-02-21 due "+
		"2027-03-01: 199.9 payable, "+
		"2027-02-22..2027-03-21 due 2027-04-01: 199.9 payable")
	second := s.call(t, "GET", card+"/transactions/2")
	for name, want := range map[string]string{"occurred_at": "2027-01-31", "description": "Forno",
		"custom_classifications.0.percentage": "50.0",
		"links.1.rel":                         "previous", "links.2.rel": "next"} {
		equal(t, second.at(t, "credit_card_transaction."+name), want)
	}
	equal(t, s.call(t, "GET", card+"/transactions/3").at(t, "credit_card_transaction.occurred_at"), "2027-02-28")

	change := s.call(t, "PUT", card+"/transactions/2",
		document(`{"credit_card_transaction":{"amount":10,"number_of_parcels":9,"custom_classifications":[]}}`)).want(t,
		200)
	equal(t, change.at(t, "credit_card_transaction.parcels")+" "+
		change.at(t, "credit_card_transaction.custom_classifications"), "3 []")
	equal(t, change.header.Get("Location"), publicURL+card+"/transactions/2")
	s.call(t, "DELETE", card+"/transactions/2").wantBody(t, 200, "")
	first := s.call(t, "GET", card+"/transactions/1")
	equal(t, first.at(t, "credit_card_transaction.links.1.href"), publicURL+card+"/transactions/3")
	s.agrees(t)

	plain := s.buy(t, card, `"amount":1,"occurred_at":"2026-01-01","number_of_parcels":1`)
	equal(t, s.call(t, "GET", plain).at(t, "credit_card_transaction.parcels"), "<nil>")
	for n, want := range map[string]string{
		"0": "está fora do intervalo permitido: de 1 a 480", "481": "está fora do intervalo permitido: de 1 a 480",
		"-2":     "está fora do intervalo permitido: de 1 a 480",
		`"doze"`: "não é um número inteiro", "1.5": "não é um número inteiro",
	} {
		s.call(t, "POST", card+"/transactions",
			document(fmt.Sprintf(`{"credit_card_transaction":{"amount":1,"occurred_at":"2026-01-01",`+
				`"number_of_parcels":%s}}`, n))).
			wantBody(t, 422, `{"number_of_parcels":["`+want+`"]}`)
	}
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"amount":1,`+
		`"occurred_at":"9999-10-01","number_of_parcels":4}}`)).
		wantBody(t, 422, `{"occurred_at":["está fora do intervalo permitido"]}`)
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{}}`)).
		wantBody(t, 422, `{"occurred_at":["não pode ser vazio"],"amount":["não pode ser vazio"]}`)
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"amount":1,`+
		`"occurred_at":"2026-01-01","custom_classifications":[{"custom_classifier_id":1,"name":"Outra"}]}}`)).
		wantBody(t, 422, `{"custom_classifications":["não existe: 1:Outra"]}`)
	many := strings.Repeat(`{"custom_classifier_id":1,"name":"reforma"},`, 11)
	s.call(t, "POST", card+"/transactions", document(fmt.Sprintf(
		`{"credit_card_transaction":{"amount":1,"occurred_at":"2026-01-01","number_of_parcels":480,`+
			`"custom_classifications":[%s]}}`, many[:len(many)-1]))).
		wantBody(t, 422, `{"custom_classifications":["criaria 5280 classificações (máximo: 5000)"]}`)
	equal(t, query[int](t, s, `SELECT count(*) FROM credit_card_transactions`), 3)
	s.buy(t, card, `"amount":1,"occurred_at":"2026-01-31","number_of_parcels":480`)
	equal(t, query[int](t, s, `SELECT count(*) FROM credit_card_transactions`), 483)
	s.agrees(t)
}

// The id of an invoice's payable account needs the permission for payable accounts.
func TestThePayableAccountOfAnInvoiceNeedsItsPermission(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":10,"occurred_at":"2026-03-01"`)
	for denied, want := range map[string]string{
		"receivable_accounts": fmt.Sprint(lastID(s.payableOf(t, card, "2026-03"))), "payable_accounts": "<nil>"} {
		a := s.call(t, "GET", card+"/invoices",
			as(s.member(t, finance.Access{AllEntities: true, Denied: []string{denied}}))).want(t, 200)
		equal(t, a.all(t, "credit_card_invoice.payable_account_id"), []string{want})
	}
}

// changeDays changes the days of a card, and compares the month from which they apply. Open invoices keep
// their dates until applyDays.
func (s *service) changeDays(t testing.TB, card string, closing, expiration int, from string) {
	t.Helper()
	a := s.call(t, "PUT", card, document(fmt.Sprintf(`{"credit_card":{"closing_day":%d,"expiration_day":%d}}`, closing,
		expiration))).want(t, 200)
	for _, shown := range []answer{a, s.call(t, "GET", card).want(t, 200)} {
		equal(t, fmt.Sprint(shown.at(t, "credit_card.closing_day"), " ", shown.at(t, "credit_card.expiration_day"),
			" from ", shown.at(t, "credit_card.applies_from")), fmt.Sprint(closing, " ", expiration, " from ", from))
	}
}

// applyDays is the job that applies pending days of a card.
func (s *service) applyDays(t testing.TB, card string) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		return cards.ApplyDays(t.Context(), tx, s.AccountID, lastID(card))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewDaysApplyFromTheFirstOpenInvoice(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":1,"occurred_at":"2026-01-10"`) // closed
	s.buy(t, card, `"amount":10,"occurred_at":"2090-01-10","number_of_parcels":4`)
	s.buy(t, card, `"amount":-3,"occurred_at":"2090-03-20"`)
	s.call(t, "PUT", s.payableOf(t, card, "2090-03"), document(`{"payable_account":{"competency_month":"2089-12",
		"description":"Cartão"}}`)).want(t, 200)
	s.pay(t, s.payableOf(t, card, "2090-02"))
	second := s.payableOf(t, card, "2090-03")
	third := s.payableOf(t, card, "2090-04")
	const before = "2026-01-06..2026-02-05 due 2026-02-15: 1.0 payable, " +
		"2090-01-06..2090-02-05 due 2090-02-15: 10.0 payable, 2090-02-06..2090-03-05 due 2090-03-15: 10.0 payable, " +
		"2090-03-06..2090-04-05 due 2090-04-15: 7.0 payable, 2090-04-06..2090-05-05 due 2090-05-15: 10.0 payable"
	s.newWebhook(t, s.AccountID, s.EntityID, "active")

	s.changeDays(t, card, 25, 3, "2090-03")
	equal(t, s.invoices(t, card), before)
	s.changeDays(t, card, 25, 5, "2090-03") // replaces the days that are pending
	t.Run("which cannot be paid meanwhile", func(t *testing.T) {
		const waits = `{"base":["A fatura está recebendo os novos dias do cartão."]}`
		payment := document(`{"payable_account":{"total_amount":1,"occurred_at":"2026-03-10"}}`)
		s.call(t, "PUT", second+"/pay", payment).wantBody(t, 422, waits)
		s.call(t, "PUT", second, payment).wantBody(t, 422, waits)
		many := s.call(t, "POST", payables+"/pay_many", document(fmt.Sprintf(`{"items":[{"id":%d,`+
			`"occurred_at":"2026-03-10"}]}`, lastID(second)))).want(t, 200)
		if !strings.Contains(many.body, "novos dias") {
			t.Error(many.body)
		}
		transaction := s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "10", "2026-03-10")
		s.call(t, "POST", "/entities/1/reconciles", document(fmt.Sprintf(`{"reconcile":{"settle_open":true,`+
			`"selected_financial_account_ids":[%d],"selected_financial_transaction_ids":[%d]}}`, lastID(second),
			lastID(transaction)))).wantBody(t, 422, waits)
		s.call(t, "PUT", second, document(`{"payable_account":{"observation":"x"}}`)).want(t, 200)
		s.call(t, "PUT", s.payableOf(t, card, "2026-02")+"/pay", payment).want(t, 200)
		s.buy(t, card, `"amount":2,"occurred_at":"2090-02-26"`) // is placed again, too
	})
	s.exec(t, `DELETE FROM deliveries`)
	s.applyDays(t, card)
	s.applyDays(t, card)
	equal(t, s.invoices(t, card), "2026-01-06..2026-02-05 due 2026-02-15: 1.0 payable, "+
		"2090-01-06..2090-02-05 due 2090-02-15: 10.0 payable, 2090-02-06..2090-02-25 due 2090-03-05: 10.0 payable, "+
		"2090-02-26..2090-03-25 due 2090-04-05: 9.0 payable, 2090-03-26..2090-04-25 due 2090-05-05: 10.0 payable")
	equal(t, s.payableOf(t, card, "2090-03")+s.payableOf(t, card, "2090-04"), second+third)
	for path, want := range map[string]string{second: "2090-03-05 2089-12 Cartão",
		third: "2090-04-05 2090-04 Fatura de Abril/2090 do cartão Loja"} {
		a := s.call(t, "GET", path).want(t, 200)
		equal(t, a.at(t, "payable_account.due_date")+" "+a.at(t, "payable_account.competency_month")+" "+
			a.at(t, "payable_account.description"), want)
	}
	s.agrees(t)

	equal(t, query[string](t, s, `SELECT string_agg(event, ', ' ORDER BY event) FROM (
		SELECT concat_ws(' ', family || '.' || action, count(DISTINCT record_id)) AS event
		FROM deliveries GROUP BY family, action) e`),
		"credit_card_transactions.updated 1, payable_accounts.updated 3")

	// Two of the open invoices become one: the last is left without purchases.
	s.changeDays(t, card, 25, 28, "2090-03")
	s.applyDays(t, card)
	equal(t, s.invoices(t, card), "2026-01-06..2026-02-05 due 2026-02-15: 1.0 payable, "+
		"2090-01-06..2090-02-05 due 2090-02-15: 10.0 payable, 2090-02-06..2090-03-25 due 2090-03-28: 19.0 payable, "+
		"2090-03-26..2090-04-25 due 2090-04-28: 10.0 payable")
	equal(t, s.payableOf(t, card, "2090-03")+s.payableOf(t, card, "2090-04"), second+third)
	s.agrees(t)
}

func TestOtherDaysRuleTheInvoicesToCome(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 1, 1)
	days := func(closing, expiration int) {
		t.Helper()
		a := s.call(t, "PUT", card,
			document(fmt.Sprintf(`{"credit_card":{"closing_day":%d,"expiration_day":%d}}`, closing, expiration))).want(
			t, 200)
		equal(t, a.at(t, "credit_card.closing_day")+" "+a.at(t, "credit_card.expiration_day"),
			fmt.Sprint(closing, " ", expiration))
	}
	days(25, 28) // without an invoice the days apply to the past too
	s.buy(t, card, `"amount":10,"occurred_at":"2026-02-25"`)
	days(9, 9)
	days(5, 3)
	s.buy(t, card, `"amount":20,"occurred_at":"2026-02-26"`)
	s.buy(t, card, `"amount":30,"occurred_at":"2026-01-26"`)
	s.buy(t, card, `"amount":40,"occurred_at":"2026-01-25"`)
	gone := s.buy(t, card, `"amount":50,"occurred_at":"2026-03-06"`)
	equal(t, s.invoices(t, card), "2025-12-26..2026-01-25 due 2026-01-28: 40.0 payable, 2026-01-26..2026-02-25 due "+
		"2026-02-28: 40.0 payable, "+
		"2026-02-26..2026-03-05 due 2026-04-03: 20.0 payable, 2026-03-06..2026-04-05 due 2026-05-03: 50.0 payable")
	// An invoice without transactions does not exist, so its days follow the card's new closing day.
	s.call(t, "DELETE", gone).want(t, 200)
	days(31, 5)
	s.buy(t, card, `"amount":60,"occurred_at":"2026-04-30"`)
	s.buy(t, card, `"amount":70,"occurred_at":"2026-03-06"`)
	equal(t, s.invoices(t, card), "2025-12-26..2026-01-25 due 2026-01-28: 40.0 payable, 2026-01-26..2026-02-25 due "+
		"2026-02-28: 40.0 payable, "+
		"2026-02-26..2026-03-05 due 2026-04-03: 20.0 payable, 2026-03-06..2026-04-30 due 2026-05-05: 130.0 payable")
	s.agrees(t)
}

func TestTheDaysThatACardShowsRuleWhenItHasNoInvoiceAnyMore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	first := s.buy(t, card, `"amount":120,"occurred_at":"2026-03-01","number_of_parcels":12`)
	days := document(`{"credit_card":{"closing_day":10}}`)
	s.call(t, "PUT", card, days).want(t, 200)
	s.call(t, "DELETE", first+"/recurrence").want(t, 200)
	s.call(t, "PUT", card, days).want(t, 200)
	s.buy(t, card, `"amount":10,"occurred_at":"2026-03-07"`)
	equal(t, s.invoices(t, card), "2026-02-11..2026-03-10 due 2026-03-15: 10.0 payable")
	s.agrees(t)
}

func TestTheInvoiceHasOnePayableAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newPerson(t, `{"name":"Banco"}`)
	gone := s.newCategory(t, `{"name":"Cartões"}`)
	card := s.made(t, cardsPath, fmt.Sprintf(`{"credit_card":{"name":"Loja","flag":"Visa","closing_day":5,`+
		`"expiration_day":15,"person_id":1,"category_id":%d}}`, lastID(gone)))
	s.call(t, "DELETE", gone).want(t, 200)
	first := s.buy(t, card, `"amount":100.1,"occurred_at":"2013-05-01"`)
	payable := s.payableOf(t, card, "2013-05")
	is := func(amount string) {
		t.Helper()
		equal(t, s.call(t, "GET", payable).want(t, 200).at(t, "payable_account.amount"), amount)
		equal(t, s.call(t, "GET", payables).all(t, "payable_account.id"), []string{fmt.Sprint(lastID(payable))})
	}
	a := s.call(t, "GET", payable)
	for name, want := range map[string]string{"description": "Fatura de Maio/2013 do cartão Loja",
		"due_date": "2013-05-15", "status": "1",
		"competency_month": "2013-05", "person_id": "1", "category_id": "<nil>"} {
		equal(t, a.at(t, "payable_account."+name), want)
	}
	is("100.1")
	equal(t, s.links(t, payable), "self, pay") // DELETE is refused: it goes with its invoice
	refund := s.buy(t, card, `"amount":-100,"occurred_at":"2013-05-05"`)
	is("0.1")
	s.call(t, "PUT", refund, document(`{"credit_card_transaction":{"amount":"-100.10"}}`)).want(t, 200)
	s.call(t, "GET", payables).wantBody(t, 200, "[]")
	s.call(t, "PUT", refund, document(`{"credit_card_transaction":{"occurred_at":"2013-05-06"}}`)).want(t, 200)
	equal(t, s.invoices(t, card), "2013-04-06..2013-05-05 due 2013-05-15: 100.1 payable, 2013-05-06..2013-06-05 due "+
		"2013-06-15: -100.1")
	payable = s.payableOf(t, card, "2013-05")

	t.Run("which only the card changes", func(t *testing.T) {
		const derived = `{"base":["O valor e o vencimento da conta são os da fatura do cartão, que também a exclui: ` +
			`altere as transações do cartão."]}`
		for _, fields := range []string{`"amount":1`, `"nominal_amount":"100.11"`, `"due_date":"2013-05-16"`,
			`"amount":1,"occurred_at":"2013-05-15"`} {
			s.call(t, "PUT", payable, document(`{"payable_account":{`+fields+`}}`)).wantBody(t, 422, derived)
		}
		s.call(t, "PUT", payable+"/pay", document(`{"payable_account":{"amount":1,"total_amount":1,`+
			`"occurred_at":"2013-05-15"}}`)).wantBody(t, 422, derived)
		s.call(t, "DELETE", payable).wantBody(t, 422, derived)
		other := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)
		s.call(t, "DELETE", fmt.Sprintf("%s?selected_ids=%d,%d", payables, lastID(payable), lastID(other))).
			wantBody(t, 422, fmt.Sprintf(`{"base":["Há contas de vendas ou de faturas de cartão: %d. Altere as `+
				`vendas ou as transações do cartão."]}`, lastID(payable)))
		s.call(t, "DELETE", other).want(t, 200)
		s.call(t, "DELETE", payable+"/recurrence").want(t, 422)
		s.call(t, "PUT", payable, document(`{"payable_account":{"amount":"100.10","due_date":"2013-05-15",`+
			`"description":"Minha fatura","interest_amount":2}}`)).want(t, 200)
		s.call(t, "PUT", first, document(`{"credit_card_transaction":{"amount":50}}`)).want(t, 200)
		equal(t, s.call(t, "GET", payable).at(t, "payable_account.description"), "Minha fatura")
		is("50.0")
	})
	t.Run("and goes with the last transaction", func(t *testing.T) {
		s.call(t, "DELETE", first).want(t, 200)
		s.call(t, "GET", payables).wantBody(t, 200, "[]")
		equal(t, s.invoices(t, card), "2013-05-06..2013-06-05 due 2013-06-15: -100.1")
	})
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"amount":9999999999999.99,`+
		`"occurred_at":"2026-01-01","number_of_parcels":2}}`)).want(t, 201)
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"amount":0.01,`+
		`"occurred_at":"2026-01-01"}}`)).
		wantBody(t, 422, `{"amount":["levaria o total da fatura além do limite"]}`)
	s.agrees(t)
}

// The amount due follows the purchases. A discount above it is reduced to it, so that the account
// can be paid and changed without sending a discount.
func TestADiscountStaysWithinItsInvoice(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":100,"occurred_at":"2026-02-10"`)
	payable := s.payableOf(t, card, "2026-03")
	s.call(t, "PUT", payable, document(`{"payable_account":{"discount_amount":90,"interest_amount":2}}`)).want(t, 200)
	s.buy(t, card, `"amount":-5,"occurred_at":"2026-02-10"`)
	equal(t, s.call(t, "GET", payable).at(t, "payable_account.discount_amount"), "90.0")
	s.buy(t, card, `"amount":-45,"occurred_at":"2026-02-10"`)
	equal(t, s.call(t, "GET", payable).at(t, "payable_account.discount_amount"), "52.0")
	s.call(t, "PUT", payable, document(`{"payable_account":{"description":"Fatura"}}`)).want(t, 200)
	s.call(t, "PUT", payable+"/pay", document(`{"payable_account":{"total_amount":50,"occurred_at":"2026-03-10"}}`)).
		want(t, 200)
}

func TestAPaidInvoiceRefusesChanges(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":10,"occurred_at":"2026-02-10","number_of_parcels":4`) // 1 to 4, in March to June
	other := s.buy(t, card, `"amount":5,"occurred_at":"2026-04-10"`)
	march, june := s.payableOf(t, card, "2026-03"), s.payableOf(t, card, "2026-06")
	s.pay(t, march)
	s.pay(t, june)
	s.match(t, ids(lastID(june)),
		ids(lastID(s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-10")))).want(t, 200)
	equal(t, s.call(t, "GET", card).at(t, "credit_card.balance"), "25.0")
	const paid = `{"base":["A fatura já está paga: desfaça o pagamento antes."]}`
	const reconciled = `{"base":["A fatura está conciliada: desfaça a conciliação e o pagamento antes."]}`
	for _, c := range []struct{ method, path, fields, want string }{
		{"POST", card + "/transactions", `"amount":1,"occurred_at":"2026-03-05"`, paid},
		{"POST", card + "/transactions", `"amount":1,"occurred_at":"2026-01-05","number_of_parcels":3`, paid},
		{"PUT", card + "/transactions/1", `"description":"Forno"`, paid},
		{"PUT", card + "/transactions/1", `"occurred_at":"2026-04-10"`, paid},
		{"PUT", card + "/transactions/4", `"amount":1`, reconciled},
		{"PUT", other, `"occurred_at":"2026-02-06"`, paid}, // into a paid invoice
		{"PUT", other, `"occurred_at":"2026-06-05"`, reconciled},
		{"DELETE", card + "/transactions/1", ``, paid},
		{"DELETE", card + "/transactions/4", ``, reconciled},
	} {
		s.call(t, c.method, c.path, document(`{"credit_card_transaction":{`+c.fields+`}}`)).wantBody(t, 422, c.want)
	}
	s.agrees(t)
	s.call(t, "DELETE", other+"/recurrence").wantBody(t, 422, `{"base":["A transação não é parte de uma compra `+
		`parcelada."]}`)
	s.call(t, "DELETE", card+"/transactions/1/recurrence").wantBody(t, 200, "")
	equal(t, s.invoices(t, card), "2026-02-06..2026-03-05 due 2026-03-15: 10.0 payable, 2026-04-06..2026-05-05 due "+
		"2026-05-15: 5.0 payable, "+
		"2026-05-06..2026-06-05 due 2026-06-15: 10.0 payable")
	equal(t, query[string](t, s, `SELECT string_agg(id::text, ' ' ORDER BY id) FROM credit_card_transactions`), "1 4 5")
	s.call(t, "PUT", march+"/undo_payment").want(t, 200)
	s.call(t, "DELETE", card+"/transactions/1").want(t, 200)
	s.agrees(t)
}

// Webhooks receive everything that a purchase creates, changes and deletes.
func TestWritesOfCardsNotifyTheirWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	wantEvents := func(want string) {
		t.Helper()
		equal(t, query[string](t, s, `SELECT coalesce(string_agg(event, ', ' ORDER BY event), '') FROM (
			SELECT concat_ws(' ', family || '.' || action, string_agg(record_id::text, ',' ORDER BY record_id),
				parent_id) AS event
			FROM deliveries WHERE entity_id = 1 GROUP BY family, action, parent_id) e`), want)
		s.exec(t, `DELETE FROM deliveries`)
	}
	card := s.newCard(t, 5, 15)
	wantEvents("credit_cards.created 1")
	s.call(t, "PUT", card, document(`{"credit_card":{"name":"b"}}`)).want(t, 200)
	wantEvents("credit_cards.updated 1")
	s.buy(t, card, `"amount":10,"occurred_at":"2026-03-01","number_of_parcels":2`)
	wantEvents("credit_card_transactions.created 1,2 1, payable_accounts.created 1,2")
	s.buy(t, card, `"amount":-5,"occurred_at":"2026-03-01","number_of_parcels":2`)
	wantEvents("credit_card_transactions.created 3,4 1, payable_accounts.updated 1,2")
	s.call(t, "PUT", card+"/transactions/1", document(`{"credit_card_transaction":{"description":"a"}}`)).want(t, 200)
	wantEvents("credit_card_transactions.updated 1 1")
	s.call(t, "DELETE", card+"/transactions/1").want(t, 200)
	wantEvents("credit_card_transactions.destroyed 1 1, payable_accounts.destroyed 1")
	s.call(t, "PUT", card+"/transactions/3", document(`{"credit_card_transaction":{"amount":7}}`)).want(t, 200)
	wantEvents("credit_card_transactions.updated 3 1, payable_accounts.created 3")
	s.call(t, "DELETE", card+"/transactions/3/recurrence").want(t, 200)
	wantEvents("credit_card_transactions.destroyed 3,4 1, payable_accounts.destroyed 3, payable_accounts.updated 2")
}

func TestInstallmentsTakeTheSameStatementsWhateverTheirNumber(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	s.newValue(t, s.newClassifier(t, "Obra"), "Reforma")
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	count := func(parcels int) [2]int64 {
		card := s.newCard(t, 5, 15)
		before := statements.Load()
		bought := s.buy(t, card, fmt.Sprintf(`"amount":10,"occurred_at":"2026-01-31","number_of_parcels":%d,
			"custom_classifications":[{"custom_classifier_id":1,"name":"Reforma"}]`, parcels))
		made := statements.Load() - before
		s.call(t, "DELETE", bought+"/recurrence").want(t, 200)
		return [2]int64{made, statements.Load() - before - made}
	}
	count(2) // prepares the statements
	few, dozen, most := count(2), count(12), count(480)
	if few != dozen || few != most || few[0] > 25 || few[1] > 25 {
		t.Errorf("%d statements for 2 installments, %d for 12, %d for 480", few, dozen, most)
	}
	t.Logf("%d statements to create, %d to delete", few[0], few[1])
}

// Purchases, payments, deletions and changed days of one card at once: requests fail only because
// of a paid invoice, and all stored sums agree.
func TestACardThatManyUseAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":10,"occurred_at":"2026-01-10","number_of_parcels":6`)
	var wait sync.WaitGroup
	for worker := range 4 {
		// Half of them delete what they buy, so invoices appear and disappear.
		deletes := worker%2 == 0
		year := map[bool]int{true: 2030, false: 2026}[deletes]
		wait.Go(func() {
			for i := range 12 {
				a := s.call(t, "POST", card+"/transactions", document(fmt.Sprintf(
					`{"credit_card_transaction":{"amount":%d,"occurred_at":"%d-0%d-10","number_of_parcels":2}}`,
					worker*3-2, year, 6-i/2)))
				switch {
				case a.status == 201 && deletes:
					s.call(t, "DELETE", a.header.Get("Location")[len(publicURL):]+"/recurrence").want(t, 200)
				case a.status != 201 && (a.status != 422 || !strings.Contains(a.body, "paga")):
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		})
	}
	wait.Go(func() {
		for i := range 12 {
			s.call(t, "PUT", card, document(fmt.Sprintf(`{"credit_card":{"closing_day":%d}}`, 5+i))).want(t, 200)
			s.applyDays(t, card)
		}
	})
	wait.Go(func() {
		for id := range 6 {
			path := fmt.Sprintf("%s/%d", payables, id+1)
			a := s.call(t, "PUT", path+"/pay", document(`{"payable_account":{"total_amount":1,`+
				`"occurred_at":"2026-03-10"}}`))
			if a.status != 200 && a.status != 404 && !strings.Contains(a.body, "novos dias") {
				t.Errorf("%d %s", a.status, a.body)
			}
		}
	})
	wait.Wait()
	s.agrees(t)
}
