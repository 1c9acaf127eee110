package workers

import (
	"testing"

	"bordero/finance"
)

// Fields of JSON come before texts, moments have their days in the zone, and pending items are only counted.
func TestJSONIsImported(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	const file = `{"results":[
		{"id":"a","date":"2026-03-24T02:12:12Z","type":"CREDIT","amount":100,"status":"POSTED","currencyCode":"BRL",
			"description":"PIX RECEBIDO BRUNA L 529.982.247-25","paymentData":{"payer":{"name":"BRUNA LIMA"},
			"receiverReferenceId":"pedido1"}},
		{"id":"b","date":"2026-03-25T03:00:00Z","type":"DEBIT","amount":5,"status":"PENDING","description":"BOLETO"}]}`
	preview := d.importFile(finance.BankStatement{Preview: true}, file)
	b := d.importFile(finance.BankStatement{}, file)
	for _, b := range []*finance.BankStatement{preview, b} {
		if b.ImportedItemsCount != 1 || b.PendingItemsIgnoredCount != 1 || *b.ItemsCount != 2 {
			t.Errorf("%+v", b)
		}
	}
	d.is(b, finance.ImportSuccess, nil, "Itens ignorados: 1 ainda não lançado pelo banco.")
	var got string
	err := d.DB.QueryRowContext(t.Context(), `
		SELECT concat_ws(' ', occurred_at, amount, guid, counterpart_name, counterpart_document, txid)
		FROM financial_transactions`).Scan(&got)
	if want := "2026-03-23 100.00 a BRUNA LIMA 52998224725 pedido1"; err != nil || got != want {
		t.Errorf("%s, error %v, want %s", got, err, want)
	}
	if n := d.Count(`SELECT count(*) FROM ignored_items
		WHERE outcome = 'pending' AND amount = -5 AND fitid = 'b'`); n != 1 {
		t.Error("the pending item is not listed")
	}
}
