package finance

import "slices"

// Permission is a permission of a member: one of the booleans of UserPermissions (OpenAPI).
type Permission string

// The permissions, in the order of the OpenAPI document.
const (
	FinancialTransactions Permission = "financial_transactions"
	PayableAccounts       Permission = "payable_accounts"
	ReceivableAccounts    Permission = "receivable_accounts"
	CashFlows             Permission = "cash_flows"
	Budgets               Permission = "budgets"
	BankSlips             Permission = "bank_slips"
	CreditCards           Permission = "credit_cards"
)

// Permissions lists all permissions.
var Permissions = []Permission{FinancialTransactions, PayableAccounts, ReceivableAccounts, CashFlows, Budgets,
	BankSlips, CreditCards}

// Access describes the rights of one user in one account.
type Access struct {
	UserID        int64
	UserEmail     string // of a listed member; empty in the access of a token
	AccountID     int64
	Administrator bool
	Denied        []string // permissions that a member lacks
	AllEntities   bool
	EntityIDs     []int64 // the entities that a member may see, unless AllEntities
	ReadOnly      bool    // the member, or the token, may only read
	Quotas        Quotas  // of the account, in the access of a token
}

// Rights restrict a token to less than its user may do. The zero value restricts nothing.
type Rights struct {
	Denied    []string // permissions that the token lacks
	EntityIDs []int64  // nil for all that the user may see
	ReadOnly  bool
}

// Narrowed returns the access of a token with the given rights. A restricted token never has
// administrator access.
func (a Access) Narrowed(by Rights) Access {
	if len(by.Denied) == 0 && by.EntityIDs == nil && !by.ReadOnly {
		return a
	}
	narrow := a
	narrow.Administrator, narrow.AllEntities, narrow.ReadOnly = false, a.CanSeeAll(), a.ReadOnly || by.ReadOnly
	narrow.Denied = slices.Concat(a.Denied, by.Denied)
	if by.EntityIDs != nil {
		narrow.AllEntities = false
		narrow.EntityIDs = slices.DeleteFunc(slices.Clone(by.EntityIDs), func(id int64) bool { return !a.CanSee(id) })
	}
	return narrow
}

// Allows reports whether the user has the permission. An administrator has all.
func (a Access) Allows(p Permission) bool {
	return a.Administrator || !slices.Contains(a.Denied, string(p))
}

// Denying returns the permissions that are left out of a list of granted ones, and the names in it that are none.
func Denying(granted []string) (denied, unknown []string) {
	for _, p := range Permissions {
		if !slices.Contains(granted, string(p)) {
			denied = append(denied, string(p))
		}
	}
	for _, name := range granted {
		if !slices.Contains(Permissions, Permission(name)) {
			unknown = append(unknown, name)
		}
	}
	return denied, unknown
}

// Allowed returns the permissions that the user has.
func (a Access) Allowed() (allowed []Permission) {
	for _, p := range Permissions {
		if a.Allows(p) {
			allowed = append(allowed, p)
		}
	}
	return allowed
}

// Permission returns the permission that financial accounts of the kind require.
func (k AccountKind) Permission() Permission {
	if k == Receivable {
		return ReceivableAccounts
	}
	return PayableAccounts
}

// Families returns the families of changes that the user may see.
func (a Access) Families() (seen []Family) {
	for _, f := range ChangeFamilies {
		if p, listed := familyPermissions[f]; a.Administrator || listed && (p == everyMember || a.Allows(p)) {
			seen = append(seen, f)
		}
	}
	return seen
}

// everyMember is in place of the permission of families that every member sees.
const everyMember Permission = ""

// familyPermissions are the permissions that families require. Only administrators see a family that is not listed:
// members, tokens, webhooks, settings.
var familyPermissions = map[Family]Permission{
	FinancialTransactionsFamily: FinancialTransactions, BankStatementsFamily: FinancialTransactions,
	ReconcilesFamily: FinancialTransactions,
	TransfersFamily:  FinancialTransactions, ReconciliationRulesFamily: FinancialTransactions,
	PayableAccountsFamily: PayableAccounts, ReceivableAccountsFamily: ReceivableAccounts,
	SaleAccountsFamily: ReceivableAccounts, SaleRulesFamily: ReceivableAccounts, SalesFamily: ReceivableAccounts,
	CreditCardsFamily: CreditCards, CardTransactionsFamily: CreditCards, BudgetsFamily: Budgets,
	AttachmentsFamily:     everyMember, // by the families of their records (Event.VisibleTo)
	DepositAccountsFamily: everyMember, RegisterSessionsFamily: everyMember, EntitiesFamily: everyMember,
	PeopleFamily: everyMember, CategoriesFamily: everyMember, ClassificationCentersFamily: everyMember,
	CustomClassifiersFamily: everyMember, CustomClassifierValuesFamily: everyMember,
}

// AccountKinds returns the kinds of financial accounts that the user may see.
func (a Access) AccountKinds() (kinds []AccountKind) {
	if a.Allows(PayableAccounts) {
		kinds = append(kinds, Payable)
	}
	if a.Allows(ReceivableAccounts) {
		kinds = append(kinds, Receivable)
	}
	return kinds
}

// CanSee reports whether the user may see the entity. It does not check that the entity belongs to
// the account.
func (a Access) CanSee(entityID int64) bool {
	return a.CanSeeAll() || slices.Contains(a.EntityIDs, entityID)
}

// CanSeeAll reports whether the user may see every entity of the account.
func (a Access) CanSeeAll() bool { return a.Administrator || a.AllEntities }
