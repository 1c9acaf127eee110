package api_test

import "testing"

// TestGoldensOfReceivablesOfSales is TestGoldens for the receivable accounts of sales.
func TestGoldensOfReceivablesOfSales(t *testing.T) {
	t.Parallel()
	for format, requests := range map[string]struct{ preview, bad string }{
		"json": {`{"sale_rule":{"payment_method":"pix","fee_percentage":"1.5","days_to_liquidation":1}}`,
			`{"sale_rule":{"payment_method":"fiado"}}`},
		"xml": {
			`<sale-rule><payment-method>pix</payment-method><fee-percentage>1.5</fee-percentage><days-to-liquidation>` +
				`1</days-to-liquidation></sale-rule>`,
			`<sale-rule><payment-method>fiado</payment-method></sale-rule>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.newCenter(t, s.EntityID, "Loja")
			account := s.newSaleAccount(t, `"consolidate":true,`+
				`"classification_center_classifications":[{"classification_center_id":1,"percentage":50}]`)
			rule := s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":"0.5"`)
			for _, day := range []string{"2026-08-30", "2026-08-31", "2026-08-31"} {
				s.newSale(t, account, `"payment_method":"pix","nominal_amount":100,"occurred_at":"`+day+`"`)
			}
			s.price(t, 1)
			of := func(name, method, path string, status int, options ...option) {
				t.Helper()
				a := s.call(t, method, path, append(options, with("Accept", "application/"+format))...).want(t, status)
				compare(t, name+"."+format, a.body)
			}
			s.golden(t, format, "GET", rule+"/preview", 200)
			s.golden(t, format, "GET", account+"/rules/9/preview", 404)
			s.golden(t, format, "POST", account+"/rules/preview", 200, document(requests.preview))
			s.golden(t, format, "POST", account+"/rules/preview", 422, document(requests.bad))
			of("showReceivableAccount_200_sales", "GET", "/entities/1/receivable_accounts/2", 200)
			of("deleteReceivableAccount_422_sales", "DELETE", "/entities/1/receivable_accounts/2", 422)
		})
	}
}
