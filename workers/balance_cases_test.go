package workers

import (
	"context"
	"fmt"
	"os"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/proof"
)

// Files of August, September and October 2026, whose periods are in order or begin with the last day. September
// differs by 300.00, which nothing explains. Without its file, its days are missing.
func TestPeriodsInEitherOrderAreProvenAlike(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"in-order", "reversed"} {
		for _, months := range [][]string{{"aug", "sep", "oct"}, {"aug", "oct"}} {
			t.Run(fmt.Sprint(order, len(months)), func(t *testing.T) {
				t.Parallel()
				d := newImportHarness(t)
				scope := storage.Scope{AccountID: d.into.AccountID, EntityID: d.into.EntityID}
				var last *finance.BankStatement
				for n, month := range months {
					file, err := os.Open("../testdata/cases/01-period-reversed/" + month + "-" + order + ".ofx")
					if err != nil {
						t.Fatal(err)
					}
					defer file.Close()
					key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, file)
					if err != nil {
						t.Fatal(err)
					}
					d.enqueue(d.into, finance.BankStatement{FileKey: key})
					d.Eventually("the end of the import", func() bool {
						return d.Count(`SELECT count(*) FROM bank_statements WHERE event_status = 'success'`) == n+1
					})
					id := int64(d.Count(`SELECT max(id) FROM bank_statements`))
					if last, err = proof.Statement(t.Context(), d.Store, scope, d.into.ID, id); err != nil {
						t.Fatal(err)
					}
					if last.PeriodStart.After(*last.PeriodEnd) ||
						d.Count(`SELECT count(*) FROM bank_statements WHERE first_item_on IS NULL`) != 0 {
						t.Errorf("%s is from %v to %v", month, last.PeriodStart, last.PeriodEnd)
					}
					if n == 0 { // as the opening balance is taken
						if _, err := d.DB.ExecContext(t.Context(),
							`UPDATE deposit_accounts SET initial_balance = 1000`); err != nil {
							t.Fatal(err)
						}
					}
					if month == "sep" && (*last.Proof.Difference != "-300.0" || last.Proof.Explanations != nil) {
						t.Errorf("September differs by %s: %+v", *last.Proof.Difference, last.Proof.Explanations)
					}
				}
				explained := last.Proof.Explanations
				if len(months) == 3 {
					if *last.Proof.Difference != "-189.0" || explained != nil {
						t.Errorf("October differs by %s: %+v", *last.Proof.Difference, explained)
					}
					return
				}
				if len(explained) != 1 || explained[0].Kind != finance.MissingPeriod ||
					explained[0].Amount != -300_00 ||
					fmt.Sprint(explained[0].Days.First, explained[0].Days.Last) != "2026-09-01 2026-09-30" {
					t.Errorf("October differs by %s: %+v", *last.Proof.Difference, explained)
				}
			})
		}
	}
}

// A CNAB 240 month ends with quiet days, so only its period shows that its opening balance is all that is missing.
func TestAMonthWithQuietLastDaysOpensItsAccount(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../testdata/statements/cnab240/synthetic__august.ret")
	if err != nil {
		t.Fatal(err)
	}
	d := newImportHarness(t)
	b := d.importFile(finance.BankStatement{}, string(content))
	scope := storage.Scope{AccountID: d.into.AccountID, EntityID: d.into.EntityID}
	b, err = proof.Statement(t.Context(), d.Store, scope, d.into.ID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	explained := b.Proof.Explanations
	if len(explained) != 1 || explained[0].Kind != finance.OpeningBalance || explained[0].Amount != 1000_00 ||
		fmt.Sprint(b.PeriodStart, b.PeriodEnd) != "2026-08-02 2026-08-31" {
		t.Errorf("from %v to %v: %+v", b.PeriodStart, b.PeriodEnd, explained)
	}
}
