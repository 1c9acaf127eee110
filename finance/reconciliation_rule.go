package finance

import (
	"database/sql/driver"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"bordero/finance/taxid"
	"bordero/internal/messages"
)

// Bounds of reconciliation rules.
const (
	// MaxReconciliationRules is the maximum number of rules of an entity.
	MaxReconciliationRules = 100
	// MaxRuleParts is the maximum number of texts of a rule's TextContains.
	MaxRuleParts = 10
	// MaxRuleDays is the maximum distance in days between a transaction and an account that a rule
	// matches with it.
	MaxRuleDays = 60
	// MaxRulePosition is the highest position of a rule.
	MaxRulePosition = 1_000_000
)

// ReconciliationRule determines the reconciliation of the transactions that it fits (OpenAPI:
// ReconciliationRule). Of several rules that fit, the first by Position and ID counts.
type ReconciliationRule struct {
	ID        int64
	AccountID int64
	EntityID  int64
	Name      string
	Position  int64 // 0 for the last, until it is stored
	Automatic bool  // the worker reconciles the transactions that it fits; otherwise they are only suggested

	// Conditions. At least one is set, and all that are set must hold.
	TextContains        Texts // parts of the texts, whatever case and accents
	AmountGte           *Amount
	AmountLte           *Amount // like AmountGte of the absolute amount
	Type                *string
	DepositAccountID    *int64
	CounterpartDocument *string // a CPF or CNPJ, as it was sent

	// The action: exactly one is set.
	NewAccount bool // make an account
	Match      bool // find the one open account of the amount
	RuleAction

	CreatedAt time.Time
	UpdatedAt time.Time

	parts []string // TextContains without case and accents; nil before the first transaction
}

// RuleAction has the attributes of a rule's new account, or what the account that it matches must
// have: the category and the person where they are set, and a day that is near enough.
type RuleAction struct {
	References
	Description *string // this and the next two are of new accounts only
	Document    *string
	Observation *string
	Days        int64 // of a match only
}

// Texts are texts that are stored as a list in JSON.
type Texts []string

// Scan implements sql.Scanner for a list in JSON.
func (l *Texts) Scan(src any) error { return scanJSON(src, l) }

// Value implements driver.Valuer as a list in JSON.
func (l Texts) Value() (driver.Value, error) {
	text, err := json.Marshal(append([]string{}, l...))
	return string(text), err
}

// Validate refuses a rule without a name or a condition, conditions that nothing can fulfil, and a
// rule that does not do exactly one thing.
func (r *ReconciliationRule) Validate() error {
	var invalid Invalid
	validateName(&invalid, r.Name)
	if r.Position < 0 || r.Position > MaxRulePosition {
		invalid.Add("position", messages.NotBetween.With(1, MaxRulePosition))
	}
	r.validateConditions(&invalid)
	if r.NewAccount == r.Match {
		invalid.Add(Base, messages.OneRuleAction, "new_account", "match")
	}
	validateText(&invalid, "new_account.description", r.Description)
	validateText(&invalid, "new_account.document", r.Document)
	validateNote(&invalid, "new_account.observation", r.Observation)
	if r.Days < 0 || r.Days > MaxRuleDays {
		invalid.Add("match.days", messages.NotBetween.With(0, MaxRuleDays))
	}
	return invalid.Err()
}

func (r *ReconciliationRule) validateConditions(invalid *Invalid) {
	if len(r.TextContains) == 0 && r.AmountGte == nil && r.AmountLte == nil && r.Type == nil &&
		r.DepositAccountID == nil && r.CounterpartDocument == nil {
		invalid.Add(Base, messages.NoCondition, "text_contains", "amount_gte", "amount_lte", "type",
			"deposit_account_id", "counterpart_document")
	}
	if len(r.TextContains) > MaxRuleParts {
		invalid.Add("text_contains", messages.TooManyItems.With(MaxRuleParts))
	}
	for _, part := range r.TextContains {
		var item Invalid
		if strings.TrimSpace(plain(part)) == "" { // it would be in every text
			item.Add("text_contains", messages.Blank)
		}
		validateText(&item, "text_contains", &part)
		for _, m := range item.Messages {
			invalid.AddAt("text_contains/="+part, m.Attribute, m.Fault)
		}
	}
	for _, bound := range []struct {
		attribute string
		amount    *Amount
	}{{"amount_gte", r.AmountGte}, {"amount_lte", r.AmountLte}} {
		if OrZero(bound.amount) < 0 {
			invalid.Add(bound.attribute, messages.Negative)
		}
	}
	if r.AmountGte != nil && r.AmountLte != nil && *r.AmountGte > *r.AmountLte {
		invalid.Add("amount_lte", messages.NotLess.With("amount_gte"), "amount_gte")
	}
	if r.Type != nil && *r.Type != Debit && *r.Type != Credit {
		invalid.Add("type", messages.NotOneOf([]string{Credit, Debit}))
	}
	if r.CounterpartDocument != nil && !taxid.Valid(*r.CounterpartDocument) {
		invalid.Add("counterpart_document", messages.NotTaxID)
	}
}

// Fits reports whether all conditions of the rule hold for a transaction.
func (r *ReconciliationRule) Fits(t *Movement) bool { return r.fits(t, ruleText(t)) }

// ruleText returns the text of a transaction without case and accents, and without the ids of Pix,
// whose random letters may be any short word.
func ruleText(t *Movement) string { return plain(endToEndID.ReplaceAllString(t.Text, "")) }

// fits is Fits with the text of the transaction, without case and accents.
func (r *ReconciliationRule) fits(t *Movement, text string) bool {
	amount := t.Amount.Abs()
	switch {
	case r.AmountGte != nil && amount < *r.AmountGte, r.AmountLte != nil && amount > *r.AmountLte:
		return false
	case r.Type != nil && *r.Type != TypeOf(t.Amount):
		return false
	case r.DepositAccountID != nil && *r.DepositAccountID != t.DepositAccountID:
		return false
	case r.CounterpartDocument != nil && taxid.Compact(*r.CounterpartDocument) != t.CounterpartDocument:
		return false
	}
	if r.parts == nil {
		for _, part := range r.TextContains {
			r.parts = append(r.parts, plain(part))
		}
	}
	return !slices.ContainsFunc(r.parts, func(part string) bool { return !strings.Contains(text, part) })
}

// FirstFitting returns the first of rules, which are in their order, that fits a transaction; nil
// if no rule fits.
func FirstFitting(rules []ReconciliationRule, t *Movement) *ReconciliationRule {
	text := ruleText(t)
	for i := range rules {
		if rules[i].fits(t, text) {
			return &rules[i]
		}
	}
	return nil
}
