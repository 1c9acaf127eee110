package api_test

import (
	"testing"

	"bordero/finance"
)

// TestGoldensOfAttachments is TestGoldens for attachments and the records that have them.
func TestGoldensOfAttachments(t *testing.T) {
	t.Parallel()
	for format, documents := range map[string]map[string]string{
		"json": {"change": `{"attachment":{"title":"Nota & boleto"}}`},
		"xml":  {"change": `<attachment><title>Nota &amp; boleto</title></attachment>`},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			const files, statements = "/entities/1/attachments", "/entities/1/deposit_accounts/1/bank_statements"
			s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "10", "2026-03-04")
			s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10,"description":"Farinha"`)
			s.newSale(t, s.newSaleAccount(t, `"description":"Loja"`),
				`"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`)

			golden("GET", files+"/new", 200)
			golden("POST", files, 201, parts(attachment("nota.pdf", "application/pdf", pdf),
				text("attachment[title]", "Nota"),
				text("attachment[associated_financial_transaction_ids][]", "1"),
				text("attachment[associated_financial_account_ids][]", "1")))
			golden("POST", files, 422, body("application/x-www-form-urlencoded",
				"attachment[title]=x&attachment[attachment]="))
			s.call(t, "PUT", "/entities/1/sales/1", document(`{"sale":{"attachment_id_list":["1"]}}`)).want(t, 200)
			golden("PUT", files+"/1", 200, document(documents["change"]))
			golden("GET", files+"/1", 200)
			golden("GET", files, 200)
			golden("GET", files+"/9", 404)
			golden("GET", files+"/1/download", 302)
			sale := s.call(t, "GET", "/entities/1/sales/1", with("Accept", "application/"+format)).want(t, 200)
			compare(t, "showSale_200_attachments."+format, sale.body)

			s.call(t, "POST", statements, parts(file("extrato.ofx", ofx))).want(t, 201)
			golden("GET", statements+"/1/download", 302)
		})
	}
}
