package finance

import "slices"

// Permission is one of the booleans of UserPermissions (OpenAPI).
type Permission string

// The permissions, in the order of the document.
const (
	FinancialTransactions Permission = "financial_transactions"
	PayableAccounts       Permission = "payable_accounts"
	ReceivableAccounts    Permission = "receivable_accounts"
	CashFlows             Permission = "cash_flows"
	Budgets               Permission = "budgets"
	BankSlips             Permission = "bank_slips"
	CreditCards           Permission = "credit_cards"
)

// Permissions are all of them.
var Permissions = []Permission{FinancialTransactions, PayableAccounts, ReceivableAccounts, CashFlows, Budgets, BankSlips, CreditCards}

// Access is what one user may do in one account.
type Access struct {
	UserID        int64
	UserEmail     string
	AccountID     int64
	AccountName   string
	Administrator bool
	Denied        []string // permissions that a member lacks
	AllEntities   bool
	EntityIDs     []int64 // those a member may see, unless all
	ReadOnly      bool    // the token may only read
}

// Rights are how a token is narrower than its user. The zero value takes nothing away.
type Rights struct {
	Denied    []string // permissions that are taken away
	EntityIDs []int64  // nil: all that the user sees
	ReadOnly  bool
}

// Narrowed is the access of a token with the rights. With anything taken away it is no
// administrator's.
func (a Access) Narrowed(by Rights) Access {
	if len(by.Denied) == 0 && by.EntityIDs == nil && !by.ReadOnly {
		return a
	}
	narrow := a
	narrow.Administrator, narrow.AllEntities, narrow.ReadOnly = false, a.SeesAll(), by.ReadOnly
	narrow.Denied = slices.Concat(a.Denied, by.Denied)
	if by.EntityIDs != nil {
		narrow.AllEntities = false
		narrow.EntityIDs = slices.DeleteFunc(slices.Clone(by.EntityIDs), func(id int64) bool { return !a.Sees(id) })
	}
	return narrow
}

// Allows tells whether the user has the permission. An administrator has all.
func (a Access) Allows(p Permission) bool {
	return a.Administrator || !slices.Contains(a.Denied, string(p))
}

// Allowed are the permissions that the user has.
func (a Access) Allowed() (allowed []Permission) {
	for _, p := range Permissions {
		if a.Allows(p) {
			allowed = append(allowed, p)
		}
	}
	return allowed
}

// Permission is what a user needs for accounts of the kind.
func (k AccountKind) Permission() Permission {
	if k == Receivable {
		return ReceivableAccounts
	}
	return PayableAccounts
}

// AccountKinds are the kinds of financial accounts that the user may see.
func (a Access) AccountKinds() (kinds []AccountKind) {
	if a.Allows(PayableAccounts) {
		kinds = append(kinds, Payable)
	}
	if a.Allows(ReceivableAccounts) {
		kinds = append(kinds, Receivable)
	}
	return kinds
}

// Sees tells whether the user may see the entity, if the account has it.
func (a Access) Sees(entityID int64) bool {
	return a.SeesAll() || slices.Contains(a.EntityIDs, entityID)
}

// SeesAll reports whether the user may see every entity of the account.
func (a Access) SeesAll() bool { return a.Administrator || a.AllEntities }
