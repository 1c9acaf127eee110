package api_test

import (
	"fmt"
	"testing"

	"bordero/finance"
)

// TestGoldensOfAging is TestGoldens for the reports on open accounts.
func TestGoldensOfAging(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "xml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newAgingService(t)
			second := *s
			second.EntityID = s.anotherEntity(t).ID
			mill := lastID(s.newPerson(t, `{"name":"Moinho & Filhos"}`))
			for day, of := range map[string]*service{"2026-03-20": s, "2026-02-28": s, "2025-11-30": &second} {
				of.newAccount(t, finance.Receivable, fmt.Sprintf(
					`"due_date":%q,"amount":"1200.5","interest_amount":2,"discount_amount":"0.25","person_id":%d`, day,
					mill))
			}
			s.newAccount(t, finance.Receivable, `"due_date":"2026-03-09","amount":300`)
			s.exec(t, `UPDATE financial_accounts SET created_at = '2025-11-01'`)
			s.golden(t, format, "GET", "/entities/1/reports/aging?kind=receivable&on=2026-03-09&bounds=15,30", 200)
			s.golden(t, format, "GET", "/reports/aging?kind=receivable", 200)
			s.golden(t, format, "GET", "/reports/aging?kind=x&on=ontem&bounds=60,30", 422)
		})
	}
}
