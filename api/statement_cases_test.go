package api_test

import (
	"fmt"
	"os"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
)

// caseFile returns a file of testdata/cases.
func caseFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/cases/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A payee in REFNUM is found as one in MEMO is, by search and by suggestions, with the same score.
func TestAPayeeInREFNUMIsFound(t *testing.T) {
	t.Parallel()
	for _, account := range []string{
		`"description":"Aurora"`, `"description":"Nota 77 da Distribuidora Aurora, material de limpeza"`,
		`"description":"CNPJ 11222333000181 aurora"`} {
		t.Run(account, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t)
			s.newAccount(t, finance.Payable, `"due_date":"2026-11-12","amount":252.28,`+account)
			scores := map[string]string{}
			for _, shape := range []string{"memo-shape", "sicredi-shape"} {
				below := s.newDepositAccount(t)
				s.call(t, "POST", below+"/bank_statements",
					parts(file("a.ofx", caseFile(t, "06-payee-in-refnum/"+shape+".ofx")))).want(t, 201)
				s.work(t)
				for _, words := range []string{"DISTRIBUIDORA+AURORA", "11222333000181", "pagamento+pix"} {
					equal(t, s.call(t, "GET", below+"/financial_transactions?search[description_contains]="+words).want(
						t, 200).at(t, "0.financial_transaction.amount"), "-252.28")
				}
				query := fmt.Sprintf(
					"?search[deposit_account_id]=%d&search[occurred_at_gte]=2026-11-01"+
						"&search[occurred_at_lte]=2026-11-30", lastID(below))
				a := s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+query).want(t, 200)
				scores[shape] = a.at(t, "suggestions.0.score")
			}
			equal(t, scores["sicredi-shape"], scores["memo-shape"])
		})
	}
}
