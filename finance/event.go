package finance

import (
	"slices"
	"strings"

	"bordero/internal/messages"
)

// Family is a family of resources whose changes are reported as events.
type Family string

// The families of records with webhook events, by the name that their events carry.
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

// The families that only the change feed reports. Entities are of themselves; a member has the id
// of the user, revoking a token is Destroyed, and the settings of an account have the account's id.
const (
	EntitiesFamily               Family = "entities"
	CustomClassifiersFamily      Family = "custom_classifiers"
	CustomClassifierValuesFamily Family = "custom_classifier_values"
	ReconcilesFamily             Family = "reconciles"
	TransfersFamily              Family = "transfers"
	ReconciliationRulesFamily    Family = "reconciliation_rules"
	BudgetsFamily                Family = "budgets"
	RegisterSessionsFamily       Family = "register_sessions"
	MembersFamily                Family = "members"
	TokensFamily                 Family = "tokens"
	WebhooksFamily               Family = "webhooks"
	SettingsFamily               Family = "settings"
)

// Families lists all families of records with webhook events. A webhook without a list of events receives all of
// these. A family that is added must go only to webhooks that name it: emitRecords (storage) must learn that first.
var Families = []Family{
	DepositAccountsFamily, FinancialTransactionsFamily, BankStatementsFamily, PayableAccountsFamily,
	ReceivableAccountsFamily,
	SaleAccountsFamily, SaleRulesFamily, SalesFamily, CreditCardsFamily, CardTransactionsFamily, PeopleFamily,
	CategoriesFamily,
	ClassificationCentersFamily, AttachmentsFamily,
}

// FamilyList is a list of families.
type FamilyList []Family

// Scan implements sql.Scanner for a JSON list of names.
func (l *FamilyList) Scan(src any) error { return scanJSON(src, l) }

// ChangeFamilies lists all families of the change feed.
var ChangeFamilies = slices.Concat(Families, []Family{
	EntitiesFamily, CustomClassifiersFamily, CustomClassifierValuesFamily, ReconcilesFamily, TransfersFamily,
	ReconciliationRulesFamily, BudgetsFamily, RegisterSessionsFamily,
	MembersFamily, TokensFamily, WebhooksFamily, SettingsFamily,
})

// Notifies reports whether webhooks are notified of the family.
func (f Family) Notifies() bool { return slices.Contains(Families, f) }

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

// eventNames lists the names that a webhook may subscribe to: each event, and each family as a
// whole.
var eventNames = func() (names []string) {
	for _, f := range Families {
		names = append(names, string(f)+".*")
		for _, a := range Actions {
			names = append(names, string(f)+"."+string(a))
		}
	}
	return names
}()

// EventNames are the events that a webhook asks for: names such as sales.created, and families such
// as sales.*; nil is all.
type EventNames []string

// Scan implements sql.Scanner for a list in JSON.
func (n *EventNames) Scan(src any) error {
	if src == nil {
		*n = nil
		return nil
	}
	return scanJSON(src, n)
}

// validate refuses names of nothing that is known.
func (n EventNames) validate(invalid *Invalid) {
	for _, name := range n {
		if !slices.Contains(eventNames, name) {
			invalid.AddAt("events/="+name, "events", messages.UnknownEvent.With(name, joined(Families),
				joined(Actions)).Of(eventNames))
		}
	}
}

// joined returns a list for a sentence.
func joined[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// Event reports a change to records of one family under one parent.
type Event struct {
	Family    Family
	Action    Action
	AccountID int64
	EntityID  int64 // 0 for records of account level: every webhook of the account receives their events
	ParentID  int64 // parent of a transaction, statement, rule or purchase; 0 if absent
	IDs       []int64

	// Attributes are the changes by an update of one record, as JSON with the old and the new
	// value, without secrets: {"name": ["A", "B"]}. They are empty for anything else.
	Attributes string
	// VisibleTo has families besides the event's own. The change is visible to users who may see at least
	// one of them: the families of an attachment's records, or the kind of account of a reconciliation.
	// An empty list is no condition.
	VisibleTo FamilyList
}
