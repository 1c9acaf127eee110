package finance

// DepositAccountReconciliation is how far the transactions of a deposit account in a period are
// reconciled (OpenAPI: DepositAccountReconciliation). Each of the lines is in one of the other three.
type DepositAccountReconciliation struct {
	From, To   Date
	Lines      Tally
	Reconciled Tally
	Paired     Tally // sides of transfers that are not reconciled, typed or paired
	Left       Tally // neither reconciled nor a side of a transfer
}

// Tally is a number of transactions and the sum of their amounts.
type Tally struct {
	Count int64
	Sum   Sum
}
