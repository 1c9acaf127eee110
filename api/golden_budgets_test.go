package api_test

import "testing"

// TestGoldensOfBudgets is TestGoldens for budgets.
func TestGoldensOfBudgets(t *testing.T) {
	t.Parallel()
	const budgets = "/entities/1/budgets"
	for format, requests := range map[string]struct{ whole, center, bad, change string }{
		"json": {
			`{"budget":{"month":"2026-08","category_id":1,"amount":"1500.00"}}`,
			`{"budget":{"month":"2026-08","category_id":1,"classification_center_id":1,"amount":300}}`,
			`{"budget":{"category_id":999999,"classification_center_id":9,"amount":-1}}`,
			`{"budget":{"amount":"1800.50"}}`,
		},
		"xml": {
			`<budget><month>2026-08</month><category-id>1</category-id><amount>1500.00</amount></budget>`,
			`<budget><month>2026-08</month><category-id type="integer">1</category-id>` +
				`<classification-center-id type="integer">1</classification-center-id><amount>300</amount></budget>`,
			`<budget><category-id>999999</category-id><classification-center-id>9</classification-center-id>` +
				`<amount>-1</amount></budget>`,
			`<budget><amount type="decimal">1800.50</amount></budget>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.newCenter(t, s.EntityID, "Loja")
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			golden("GET", budgets+"/new", 200)
			golden("POST", budgets, 201, document(requests.whole))
			s.call(t, "POST", budgets, document(requests.center), with("Content-Type", "application/"+format)).want(t,
				201)
			golden("POST", budgets, 422, document(requests.bad))
			golden("GET", budgets, 200)
			golden("GET", budgets+"/2", 200)
			golden("PUT", budgets+"/1", 200, document(requests.change))
			golden("DELETE", budgets+"/1", 200)
			golden("GET", budgets+"/1", 404)
		})
	}
}
