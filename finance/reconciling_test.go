package finance

import (
	"testing"

	"bordero/internal/messages"
)

// Each adjustment is looked for among the accounts, which takes long for as many as a body may have.
func TestListsThatAreTooLongAreNotCompared(t *testing.T) {
	t.Parallel()
	q := Reconciling{AccountIDs: make([]int64, MaxReconciled+1), TransactionIDs: []int64{1}, Adjustments: make([]Adjustment, MaxReconciled+1)}
	for i := range q.Adjustments {
		q.Adjustments[i].FinancialAccountID = -1
	}
	want := Invalid{Messages: []Message{
		{Attribute: SelectedAccounts, Fault: messages.TooManyItems.With(MaxReconciled)},
		{Attribute: AdjustmentList, Fault: messages.TooManyItems.With(MaxReconciled)},
	}}
	if err := q.Validate(); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, &want)
	}
}
