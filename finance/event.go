package finance

// Family is a family of resources whose changes are reported as events.
type Family string

// The families, by the name their events carry.
const (
	DepositAccountsFamily       Family = "deposit_accounts"
	FinancialTransactionsFamily Family = "financial_transactions"
	BankStatementsFamily        Family = "bank_statements"
	PayableAccountsFamily       Family = "payable_accounts"
	ReceivableAccountsFamily    Family = "receivable_accounts"
	SaleAccountsFamily          Family = "sale_accounts"
	SaleRulesFamily             Family = "sale_rules"
	SalesFamily                 Family = "sales"
	CreditCardsFamily           Family = "credit_cards"
	CardTransactionsFamily      Family = "credit_card_transactions"
	PeopleFamily                Family = "people"
	CategoriesFamily            Family = "categories"
	ClassificationCentersFamily Family = "classification_centers"
	AttachmentsFamily           Family = "attachments"
)

// Families lists all families.
var Families = []Family{
	DepositAccountsFamily, FinancialTransactionsFamily, BankStatementsFamily, PayableAccountsFamily, ReceivableAccountsFamily,
	SaleAccountsFamily, SaleRulesFamily, SalesFamily, CreditCardsFamily, CardTransactionsFamily, PeopleFamily, CategoriesFamily,
	ClassificationCentersFamily, AttachmentsFamily,
}

// Action is the change that an event reports.
type Action string

// The actions of an event.
const (
	Created   Action = "created"
	Updated   Action = "updated"
	Destroyed Action = "destroyed"
)

// Actions lists all actions.
var Actions = []Action{Created, Updated, Destroyed}

// Event reports a change to records of one family under one parent.
type Event struct {
	Family    Family
	Action    Action
	AccountID int64
	EntityID  int64 // 0 for records of account level, whose events every webhook of the account receives
	ParentID  int64 // parent of a transaction, statement, rule or purchase; 0 for none
	IDs       []int64
}
