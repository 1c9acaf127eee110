package finance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Reconcile states which transactions paid which payable or receivable accounts (OpenAPI:
// Reconcile). Its records are ordered by id.
type Reconcile struct {
	ID              int64
	AccountID       int64
	EntityID        int64
	Kind            AccountKind // of all its accounts
	CreatorID       *int64
	MadeBy          string // ByUser or Automatic
	RuleID          *int64 // of an automatic one: the rule that decided, which may be gone
	Reasons         Texts  // of an automatic one: texts for the user
	CreatedAt       time.Time
	Accounts        []FinancialAccount     // nil in lists; the new ones have no id before they are stored
	Transactions    []FinancialTransaction // nil in lists
	NewAccountIDs   IDs                    // of the accounts that it made; nil in lists
	AccountRefs     Refs                   // in lists
	TransactionRefs Refs                   // in lists
}

// The origins of a reconciliation.
const (
	ByUser    = "user"
	Automatic = "automatic" // the worker
)

// Refs are references to records, ordered by id.
type Refs []Ref

// Ref is the id of a record and the other parts of its path: the deposit account of a transaction,
// the kind of a financial account.
type Ref struct {
	ID, DepositAccountID int64
	Kind                 AccountKind
}

// Scan implements sql.Scanner for a JSON list of records.
func (r *Refs) Scan(src any) error { return scanJSON(src, r) }

// Validate checks the rules for new reconciliations: the sums are equal; kind, type and currency
// match; every account is paid or received; nothing is reconciled already, and no transaction is a
// side of a pair. It sets Kind. There must be at least one account.
func (r *Reconcile) Validate() error {
	var invalid Invalid
	r.Kind = r.Accounts[0].Kind
	if !r.validateRecords(&invalid, false) {
		return invalid.Err()
	}
	var owed, moved Amount
	for _, f := range r.Accounts {
		owed += OrZero(f.TotalAmount)
	}
	for _, t := range r.Transactions {
		moved += t.Amount
	}
	if owed != moved.Abs() {
		invalid.Add("amount", r.differ(owed, moved.Abs()))
	}
	return invalid.Err()
}

// ValidateFound is Validate for a request with other faults, such as missing records: it checks the
// records that were found, and leaves the sums out. With settles, outstanding accounts are no fault.
func (r *Reconcile) ValidateFound(settles bool) error {
	var invalid Invalid
	r.validateRecords(&invalid, settles)
	return invalid.Err()
}

// validateRecords checks all rules but that of the sums. With settles, outstanding accounts are no fault. It reports
// whether the sums have a meaning.
func (r *Reconcile) validateRecords(invalid *Invalid, settles bool) bool {
	refuse := func(attribute string, fault *messages.Fault, ids []int64) {
		if len(ids) > 0 {
			invalid.Add(attribute, fault.With(ListIDs(ids)))
		}
	}
	of := func(kind AccountKind) func(FinancialAccount) bool {
		return func(f FinancialAccount) bool { return f.Kind == kind }
	}
	pays, receives := slices.ContainsFunc(r.Accounts, of(Payable)), slices.ContainsFunc(r.Accounts, of(Receivable))
	outstanding := r.accounts(func(f FinancialAccount) bool { return f.Status == Outstanding && !settles })
	refuse(SelectedAccounts, messages.AlreadyReconciled,
		r.accounts(func(f FinancialAccount) bool { return f.Status == Reconciled }))
	refuse(SelectedTransactions, messages.AlreadyReconciled,
		r.transactions(func(t FinancialTransaction) bool { return t.ReconcileID != nil }))
	refuse(Base, messages.TransactionsPaired,
		r.transactions(func(t FinancialTransaction) bool { return t.PairID != nil }))
	switch {
	case pays && receives:
		invalid.Add("type", messages.KindsMixed)
	case pays:
		refuse("type", messages.PayableCredits,
			r.transactions(func(t FinancialTransaction) bool { return t.Amount > 0 }))
	case receives:
		refuse("type", messages.ReceivableDebits,
			r.transactions(func(t FinancialTransaction) bool { return t.Amount < 0 }))
	}
	refuse("status", messages.AccountsOpen, outstanding)
	if i := slices.IndexFunc(r.Accounts, func(f FinancialAccount) bool { return f.Awaits != nil }); i >= 0 {
		invalid.Add(Base, r.Accounts[i].Awaits)
	}
	// Financial accounts are in reais.
	foreign := r.transactions(func(t FinancialTransaction) bool { return t.CurrencyID != BRL })
	refuse("currency", messages.ForeignCurrencies, foreign)
	return len(outstanding) == 0 && len(foreign) == 0 && !(pays && receives)
}

// differ returns the fault of sums that are not equal. It names the adjustments that would make
// them so.
func (r *Reconcile) differ(owed, moved Amount) *messages.Fault {
	closing := messages.ClosedByLoweringReceivable
	switch {
	case moved > owed && r.Kind == Payable:
		closing = messages.ClosedByRaisingPayable
	case moved > owed:
		closing = messages.ClosedByRaisingReceivable
	case r.Kind == Payable:
		closing = messages.ClosedByLoweringPayable
	}
	derived := slices.ContainsFunc(r.Accounts, func(f FinancialAccount) bool { return f.Derived() != nil })
	if moved < owed && !derived {
		closing += messages.OrPaidInPart
	}
	return messages.SumsDiffer.With(owed.Brazilian(), moved.Brazilian(), (owed - moved).Abs().Brazilian(), closing)
}

func (r *Reconcile) accounts(are func(FinancialAccount) bool) (ids []int64) {
	for _, f := range r.Accounts {
		if are(f) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func (r *Reconcile) transactions(are func(FinancialTransaction) bool) (ids []int64) {
	for _, t := range r.Transactions {
		if are(t) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Newest returns the day of the newest transaction. There must be at least one.
func (r *Reconcile) Newest() Date {
	return slices.MaxFunc(r.Transactions, func(a, b FinancialTransaction) int {
		return a.OccurredAt.Compare(b.OccurredAt)
	}).OccurredAt
}

// Month returns the month of all transactions; zero if they are of several months. There must be at least one.
func (r *Reconcile) Month() Month {
	month := MonthOf(r.Transactions[0].OccurredAt)
	for _, t := range r.Transactions {
		if MonthOf(t.OccurredAt) != month {
			return Month{}
		}
	}
	return month
}

// NewAccounts returns the ids of the accounts that their reconciliation made.
func NewAccounts(accounts []FinancialAccount) []int64 {
	r := Reconcile{Accounts: accounts}
	return r.accounts(func(f FinancialAccount) bool { return f.NewInReconcile })
}

// AccountIDs returns the ids of its accounts.
func (r *Reconcile) AccountIDs() []int64 {
	return r.accounts(func(FinancialAccount) bool { return true })
}

// TransactionIDs returns the ids of its transactions.
func (r *Reconcile) TransactionIDs() []int64 {
	return r.transactions(func(FinancialTransaction) bool { return true })
}

// ListIDs formats ids for a sentence: "1, 2, 3".
func ListIDs(ids []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}
