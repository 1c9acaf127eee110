package reports

import (
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/list"
)

// Family is a kind of records with totals: the list that is summed, its sums and the keys of its groups.
type Family struct {
	// Sums are the names of the sums, called as the attributes of the records.
	Sums []string

	values     []string // the expressions of one record that are summed
	parts      bool     // the values after the first are parts of it: classifications split them like the first
	derived    string   // the last sum, from those of values, if nothing splits the records; "" if values has it
	table      string
	alias      string
	from       func(search map[string]string) string // the rows of the list within the scope, up to its conditions
	args       db.Args                               // of from, beside the scope
	ofDeposits bool                                  // from has deposit accounts instead of entities
	parent     int64                                 // the only deposit account; 0 for all of the scope
	filters    func(search map[string]string) map[string]list.Filter
	keys       map[string]key     // by their names
	valued     storage.Classified // the kind of records that custom classifications split; "" for none
	centered   storage.Classified // the kind of records that center classifications split; "" for none
	currencies bool               // the sums may be of several currencies
}

// key is an expression by which records are grouped, and the expression of that by which its values are
// grouped again, with % for a value; "" for the values themselves. The first is cheap for a million records.
type key struct{ of, again string }

const (
	byMonth           = "to_char(%, 'YYYY-MM')"
	byEntityOfDeposit = "(SELECT x.entity_id FROM deposit_accounts x WHERE x.account_id = @account AND x.id = %)"
	byEntityOfCard    = "(SELECT x.entity_id FROM credit_cards x WHERE x.account_id = @account AND x.id = %)"
)

// ClassifierKey is the beginning of the key of a custom classifier's values, before the classifier's id.
const ClassifierKey = "classifier:"

// EntityKey is the key of the entities of an account.
const EntityKey = "entity"

// Keys returns the names of the keys, sorted. ClassifierKey stands for the keys of all classifiers.
func (f Family) Keys() []string {
	names := []string{}
	for name := range f.keys {
		names = append(names, name)
	}
	if f.valued != "" {
		names = append(names, ClassifierKey)
	}
	slices.Sort(names)
	return names
}

// Transactions returns the transactions of a deposit account; of all deposit accounts if parent is 0.
func Transactions(parent int64) Family {
	filters := storage.EntityTransactionFilters
	if parent != 0 {
		filters = storage.TransactionFilters
	}
	return Family{
		Sums:    []string{"credits", "debits", "sum"},
		values:  []string{"CASE WHEN t.amount > 0 THEN t.amount END", "CASE WHEN t.amount < 0 THEN t.amount END"},
		derived: "coalesce(sum(sum_1), 0) + coalesce(sum(sum_2), 0)",
		table:   "financial_transactions", alias: "t",
		from:       transactionsOf,
		ofDeposits: true, parent: parent,
		filters: func(map[string]string) map[string]list.Filter { return filters },
		keys: map[string]key{
			"category": {"t.category_id", ""}, "category_tree": {"t.category_id", ""}, "person": {"t.person_id", ""},
			"center":          {"t.classification_center_id", ""},
			"month":           {"t.occurred_at", byMonth},
			"deposit_account": {"t.deposit_account_id", ""},
			EntityKey:         {"t.deposit_account_id", byEntityOfDeposit},
		},
		currencies: true,
	}
}

// transactionsOf returns the transactions of deposit accounts. A search for days alone hides the column of the account
// from the planner, which would take account and deposit accounts for independent: it would combine the index of their
// days with the primary key, and so read the keys of all transactions of the account.
func transactionsOf(search map[string]string) string {
	days := len(search) > 0
	for name := range search {
		days = days && strings.HasPrefix(name, "occurred_at_")
	}
	account := "t.account_id"
	if days {
		account += " + 0"
	}
	return `financial_transactions t
			WHERE ` + account + ` = @account AND t.deposit_account_id = ANY(@deposit_accounts)`
}

// FinancialAccounts returns the payable or the receivable accounts.
func FinancialAccounts(kind finance.AccountKind) Family {
	return Family{
		Sums:   []string{"amount", "total_amount", "due_amount"},
		values: []string{"f.amount", "f.total_amount", "CASE WHEN f.status = 1 THEN " + storage.DueAmount + " END"},
		table:  "financial_accounts", alias: "f",
		from: always(`financial_accounts f
			WHERE f.account_id = @account AND f.entity_id = ANY(@entities) AND f.kind = @kind`),
		args:    db.Args{"kind": kind},
		filters: func(map[string]string) map[string]list.Filter { return storage.FinancialAccountFilters },
		keys: map[string]key{
			"status": {"f.status", ""}, "category": {"f.category_id", ""}, "category_tree": {"f.category_id", ""},
			"person": {"f.person_id", ""}, "center": {"f.classification_center_id", ""},
			"month":            {"f.due_date", byMonth},
			"competency_month": {"f.competency_month", byMonth},
			"deposit_account":  {"f.expected_deposit_account_id", ""},
			EntityKey:          {"f.entity_id", ""},
		},
		valued: "financial_account", centered: "financial_account",
	}
}

// Sales returns the sales.
func Sales() Family {
	return Family{
		Sums:   []string{"nominal_amount", "total_amount", "net_amount", "receivable_amount"},
		values: []string{"s.nominal_amount", "s.total_amount", "s.total_amount - s.total_taxes", "s.receivable_amount"},
		table:  "sales", alias: "s",
		from: func(search map[string]string) string {
			return `sales s` + storage.SaleTexts(search) + `
			WHERE s.account_id = @account AND s.entity_id = ANY(@entities)`
		},
		filters: storage.SaleFiltersFor,
		keys: map[string]key{
			"status": {"s.status", ""}, "category": {"s.category_id", ""}, "category_tree": {"s.category_id", ""},
			"person": {"s.person_id", ""}, "center": {"s.classification_center_id", ""},
			"month":            {"s.occurred_at", byMonth},
			"competency_month": {"s.competency_month", byMonth},
			EntityKey:          {"s.entity_id", ""},
		},
		valued: "sale", centered: "sale",
	}
}

// CardTransactions returns the transactions of a credit card; of all cards if parent is 0.
func CardTransactions(parent int64) Family {
	return Family{
		Sums: []string{"amount"}, values: []string{"t.amount"},
		table: "credit_card_transactions", alias: "t",
		from: always(`credit_card_transactions t
			WHERE t.account_id = @account AND t.credit_card_id = ANY (ARRAY(
				SELECT id FROM credit_cards WHERE account_id = @account AND entity_id = ANY(@entities)
					AND deleted_at IS NULL AND (@parent = 0 OR id = @parent)))`),
		args:    db.Args{"parent": parent},
		filters: func(map[string]string) map[string]list.Filter { return cards.TransactionFilters },
		keys: map[string]key{
			"category": {"t.category_id", ""}, "category_tree": {"t.category_id", ""}, "person": {"t.person_id", ""},
			"center":  {"t.classification_center_id", ""},
			"month":   {"t.occurred_at", byMonth},
			EntityKey: {"t.credit_card_id", byEntityOfCard},
		},
		valued: "credit_card_transaction",
	}
}

func always(from string) func(map[string]string) string {
	return func(map[string]string) string { return from }
}
