// Package matching finds the transactions and accounts that belong together: suggestions for people, and
// automatic reconciliation with the jobs that follow from events (storage.Follow).
package matching

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/lib/pq"
)

var suggestionFilters = list.Required("Suggestion", map[string]list.Filter{
	"deposit_account_id": list.Where("t.deposit_account_id = ?", list.ID,
		"Required. The deposit account, of transfers that of one side."),
	"occurred_at_gte": list.Where("t.occurred_at >= CAST(? AS date)", list.Day,
		"Required. The first day of the period."),
	"occurred_at_lte": list.Where("t.occurred_at <= CAST(? AS date)", list.Day,
		"Required. The last day of the period."),
})

// openPeriod is the part of a deposit account in which a search for suggestions looks.
type openPeriod struct {
	depositAccount *finance.DepositAccount
	from, to       any     // as list.Day parses days
	conditions     string  // of transactions t
	args           db.Args // of the conditions
}

// Texts are compared by their first 1,000 characters: a bank's file may have ten times as many, and
// up to 40,000 of them are compared with each other.
const (
	transactionText = `left(concat_ws(' ', t.original_description, t.user_description, p.name), 1000)`
	accountText     = `left(concat_ws(' ', f.description, p.name), 1000)`
)

// The identifiers of transactions t, some of them as the import read them in the bank's text, and of financial
// accounts f of the people p.
const (
	transactionIdentifiers = `coalesce(t.document, '') AS document, coalesce(t.end_to_end_id, '') AS end_to_end_id,
		coalesce(t.txid, '') AS tx_id, coalesce(t.counterpart_document, '') AS counterpart_document,
		coalesce(t.counterpart_name, '') AS counterpart_name`
	accountIdentifiers = `coalesce(f.document, '') AS document,
		coalesce(p.federation_subscription_code, '') AS counterpart_document, coalesce(p.name, '') AS counterpart_name`
)

// The columns that finance needs of transactions t of the @account that are neither reconciled
// nor a side of a transfer.
var (
	movementColumns = `t.id, t.deposit_account_id, t.occurred_at, t.amount, ` + transactionIdentifiers + `,
		` + transactionText + ` AS text`
	movementPeople = `LEFT JOIN people p ON p.account_id = t.account_id AND p.id = t.person_id`
	openMovement   = `t.account_id = @account AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND ` +
		storage.ImportStays("t")
)

// readPeriod reads the filters of a search for suggestions, which requires all of them.
func readPeriod(ctx context.Context, q storage.Queries, s storage.Scope, search map[string]string) (p openPeriod,
	err error) {
	p.conditions, p.args, err = suggested(search)
	if err != nil {
		return p, err
	}
	sent := func(name string) any { return p.args[list.Parameter(name)] }
	p.from, p.to = sent("occurred_at_gte"), sent("occurred_at_lte")
	id := cmp.Or(sent("deposit_account_id"), sent(list.OtherName("deposit_account_id")))
	p.depositAccount, err = q.DepositAccount(ctx, s, id.(int64))
	if errors.Is(err, storage.ErrNotFound) {
		err = finance.Refuse("deposit_account_id", messages.NotExisting)
	}
	return p, err
}

// movements reads the open transactions of the period.
func movements(ctx context.Context, q storage.Queries, s storage.Scope, p openPeriod) ([]finance.Movement, error) {
	open := db.Bind(`SELECT ` + movementColumns + `
		FROM financial_transactions t ` + movementPeople + ` WHERE ` + openMovement + p.conditions + ` LIMIT @most`)
	return db.ManyNamed[finance.Movement](ctx, q.DB, open,
		p.args, db.Args{"account": s.AccountID, "most": finance.MaxSuggestionRecords + 1})
}

// Suggestions returns one page of likely reconciliations, also those that the rules of the entity
// propose: open transactions of the deposit account and period, both required filters, and accounts of
// the kinds that were paid or received, or are due, about then and are expected in no other deposit
// account. Outstanding accounts of a known person or document belong to them if they are due at most
// finance.LatePaymentDays before the period or finance.EarlyPaymentDays after it. Transfers pay no account.
func Suggestions(ctx context.Context, q storage.Queries, s storage.Scope, charges finance.LateCharges,
	kinds []finance.AccountKind, l list.Query) (list.Page[finance.Suggestion], error) {
	rules, err := q.ReconciliationRules(ctx, s, list.Query{})
	if err != nil {
		return list.Page[finance.Suggestion]{}, err
	}
	open, err := readOpen(ctx, q, s, kinds, rules.Items, l.Search)
	if err != nil {
		return list.Page[finance.Suggestion]{}, err
	}
	listed := list.Numbered(finance.Suggest(charges, rules.Items, open.transactions, open.accounts, open.elsewhere), l)
	return listed, complete(ctx, q, s, listed.Items)
}

// accountsOf returns a statement that selects the columns that Suggestions needs of the accounts f that a query
// selects, each with its day and its total.
func accountsOf(f string) string {
	return `
	SELECT f.id, f.day AS occurred_at, CASE f.kind WHEN 'payable' THEN -f.total ELSE f.total END AS amount,
		f.amount AS nominal, ` + accountIdentifiers + `,
		` + accountText + ` AS text, f.status = 1 AS open, f.category_id, f.person_id
	FROM (` + f + `) f
	LEFT JOIN people p ON p.account_id = f.account_id AND p.id = f.person_id
	WHERE (f.expected_deposit_account_id IS NULL OR f.expected_deposit_account_id = @deposit_account)
		AND ` + storage.OwnerVisible("financial_accounts", "f")
}

// outstanding selects the outstanding accounts of an entity.
const outstanding = `
		SELECT *, due_date AS day, amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0)
			- coalesce(discount_amount, 0) AS total
		FROM financial_accounts
		WHERE account_id = @account AND entity_id = @entity AND status = 1 AND kind = ANY(@kinds)`

var (
	// accountsAround selects the accounts around a period.
	accountsAround = db.Named("suggestions.accounts", accountsOf(`
		SELECT *, occurred_at AS day, total_amount AS total FROM financial_accounts
		WHERE account_id = @account AND entity_id = @entity AND status = 2 AND kind = ANY(@kinds)
			AND occurred_at BETWEEN CAST(@from AS date) - @window::int AND CAST(@to AS date) + @window::int
		UNION ALL`+outstanding+`
			AND due_date BETWEEN CAST(@from AS date) - @window::int AND CAST(@to AS date) + @window::int`)+`
	LIMIT @most`)
	// owedAround selects the outstanding accounts beyond them that may be paid late or early by a payer who is
	// certain: those due latest, if they are too many.
	owedAround = db.Named("suggestions.owed", accountsOf(outstanding+`
			AND due_date BETWEEN CAST(@from AS date) - @late::int AND CAST(@to AS date) + @early::int
			AND due_date NOT BETWEEN CAST(@from AS date) - @window::int AND CAST(@to AS date) + @window::int
			AND (person_id IS NOT NULL OR document IS NOT NULL)`)+`
	ORDER BY f.day DESC, f.id LIMIT @most`)
)

// elsewhere counts the open transactions of some amounts around some days, by day, that a search does not find: those
// of other deposit accounts of the currency, or beyond the period. Beyond the reach of pairs around the period, the
// accounts that are paid late or early have none. The amounts are an array, which is hashed: of days that no ANALYZE
// has seen the planner expects one transaction, for which it would join a query by nested loops.
var elsewhere = db.Named("suggestions.elsewhere", db.PlanEach+`
	SELECT t.deposit_account_id, t.occurred_at, t.amount, count(*) AS count
	FROM deposit_accounts d JOIN financial_transactions t ON t.account_id = d.account_id
		AND t.deposit_account_id = d.id
	WHERE `+openMovement+` AND d.entity_id = @entity AND d.currency_id = @currency AND d.deleted_at IS NULL
		AND t.occurred_at BETWEEN greatest(CAST(@first AS date), CAST(@from AS date) - @reach::int) - @window::int
			AND least(CAST(@last AS date), CAST(@to AS date) + @reach::int) + @window::int
		AND t.amount = ANY(@amounts::numeric[])
		AND NOT (d.id = @deposit_account AND t.occurred_at BETWEEN CAST(@from AS date) AND CAST(@to AS date))
	GROUP BY 1, 2, 3 LIMIT @most`)

// maxElsewhere bounds the counts of transactions elsewhere that a search reads. The bound of the transactions that are
// compared would refuse searches of a day in an entity with much that is not reconciled.
const maxElsewhere = 10 * finance.MaxSuggestionRecords

// readElsewhere reads the transactions elsewhere that may be rivals of pairs with the shared amounts, at most the
// window away from their second sides. These are at most the reach away from the period.
func readElsewhere(ctx context.Context, q storage.Queries, s storage.Scope, p openPeriod,
	shared finance.SharedAmounts, window int, reach int64) ([]finance.Elsewhere, error) {
	if len(shared.Amounts) == 0 {
		return nil, nil
	}
	found, err := db.ManyNamed[finance.Elsewhere](ctx, q.DB, elsewhere, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "deposit_account": p.depositAccount.ID,
		"currency": p.depositAccount.CurrencyID, "from": p.from, "to": p.to, "first": shared.First,
		"last": shared.Last, "window": window, "reach": reach, "amounts": pq.Array(shared.Amounts),
		"most": maxElsewhere + 1,
	})
	if len(found) > maxElsewhere {
		return nil, finance.Refuse("occurred_at_lte", messages.TooManyElsewhere)
	}
	return found, err
}

// openMovements are the records that a search for suggestions compares.
type openMovements struct {
	transactions, accounts []finance.Movement
	elsewhere              []finance.Elsewhere
}

// readOpen reads the records that Suggestions compares: the transactions that a search finds, except transactions that
// only accounts of other kinds can pay, the accounts that are near enough for suggestions and for the rules or that
// owedAround selects, and the transactions elsewhere. It reads none for an account in another currency than the real.
func readOpen(ctx context.Context, q storage.Queries, s storage.Scope, kinds []finance.AccountKind,
	rules []finance.ReconciliationRule, search map[string]string) (o openMovements, err error) {
	p, err := readPeriod(ctx, q, s, search)
	if err != nil || p.depositAccount.CurrencyID != finance.BRL { // accounts are in reais
		return o, err
	}
	transactions, err := movements(ctx, q, s, p)
	if err != nil {
		return o, err
	}
	reach := finance.MatchWindow(rules)
	around := db.Args{
		"account": s.AccountID, "entity": s.EntityID, "kinds": kinds, "deposit_account": p.depositAccount.ID,
		"from": p.from, "to": p.to, "window": reach, "most": finance.MaxSuggestionRecords + 1,
	}
	accounts, err := db.ManyNamed[finance.Movement](ctx, q.DB, accountsAround, around)
	if err != nil {
		return o, err
	}
	if max(len(transactions), len(accounts)) > finance.MaxSuggestionRecords {
		return o, finance.Refuse("occurred_at_lte", messages.TooManyRecords)
	}
	owed, err := db.ManyNamed[finance.Movement](ctx, q.DB, owedAround, around, db.Args{
		"late": finance.LatePaymentDays, "early": finance.EarlyPaymentDays})
	if err != nil {
		return o, err
	}
	accounts = append(accounts, owed[:min(len(owed), finance.MaxSuggestionRecords-len(accounts))]...)
	transactions = slices.DeleteFunc(transactions, func(t finance.Movement) bool {
		return !slices.Contains(kinds, finance.KindOf(t.Amount))
	})
	for _, side := range [][]finance.Movement{transactions, accounts} {
		for i := range side {
			side[i].Identify()
		}
	}
	elsewhere, err := readElsewhere(ctx, q, s, p, finance.SharedBy(transactions, accounts), finance.SuggestionWindow,
		reach)
	return openMovements{transactions, accounts, elsewhere}, err
}

// PreviewReconciliationRule returns the decisions of a rule on the open transactions of a search,
// as if it were the only rule. The rule need not be stored.
func PreviewReconciliationRule(ctx context.Context, q storage.Queries, s storage.Scope, r *finance.ReconciliationRule,
	search map[string]string) (*finance.RulePreview, error) {
	rules := []finance.ReconciliationRule{*r}
	open, err := readOpen(ctx, q, s, []finance.AccountKind{finance.Payable, finance.Receivable}, rules, search)
	if err != nil {
		return nil, err
	}
	proposed, undecided := finance.ApplyRules(rules, open.transactions, open.accounts, open.elsewhere)
	p := finance.RulePreview{
		TransactionsCount: int64(len(open.transactions)), ProposedCount: int64(len(proposed)),
		UndecidedCount: int64(len(undecided)),
		Proposed:       proposed[:min(len(proposed), finance.MaxPreviewed)],
	}
	left := []finance.Suggestion{{TransactionIDs: undecided[:min(len(undecided), finance.MaxPreviewed)]}}
	if err := complete(ctx, q, s, left); err != nil {
		return nil, err
	}
	p.Undecided = left[0].Transactions
	return &p, complete(ctx, q, s, p.Proposed)
}

// suggested returns the conditions of a search for suggestions, which requires every
// filter.
func suggested(search map[string]string) (string, db.Args, error) {
	var invalid finance.Invalid
	for _, name := range slices.Sorted(maps.Keys(suggestionFilters)) {
		if search[name] == "" && search[list.OtherName(name)] == "" {
			invalid.Add(name, messages.Blank)
		}
	}
	if err := invalid.Err(); err != nil {
		return "", nil, err
	}
	return list.Conditions(suggestionFilters, "", search)
}

// transfersAround selects the transactions of other deposit accounts that may be the other sides of transfers with
// transactions of some amounts, an array as in elsewhere.
var transfersAround = db.Named("suggestions.transfers", db.PlanEach+`SELECT `+movementColumns+`
	FROM deposit_accounts d JOIN financial_transactions t ON t.account_id = d.account_id
		AND t.deposit_account_id = d.id `+movementPeople+`
	WHERE `+openMovement+` AND d.entity_id = @entity AND d.id <> @deposit_account AND d.currency_id = @currency
		AND d.deleted_at IS NULL
		AND t.occurred_at BETWEEN CAST(@from AS date) - @window::int AND CAST(@to AS date) + @window::int
		AND -t.amount = ANY(@amounts::numeric[]) LIMIT @most`)

// TransferSuggestions returns one page of likely transfers: open transactions of the deposit account
// and period, both required filters, each with one of another deposit account of the entity. name is
// that of the entity.
func TransferSuggestions(ctx context.Context, q storage.Queries, s storage.Scope, name string,
	l list.Query) (list.Page[finance.TransferSuggestion], error) {
	var listed list.Page[finance.TransferSuggestion]
	p, err := readPeriod(ctx, q, s, l.Search)
	if err != nil {
		return listed, err
	}
	here, err := movements(ctx, q, s, p)
	if err != nil {
		return listed, err
	}
	refused := finance.Refuse("occurred_at_lte", messages.TooManyRecords)
	if len(here) > finance.MaxSuggestionRecords {
		return listed, refused
	}
	amounts := make([]finance.Amount, len(here))
	for i, t := range here {
		amounts[i] = t.Amount
	}
	there, err := db.ManyNamed[finance.Movement](ctx, q.DB, transfersAround, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "deposit_account": p.depositAccount.ID,
		"currency": p.depositAccount.CurrencyID, "from": p.from, "to": p.to, "window": finance.TransferWindow,
		"amounts": pq.Array(amounts), "most": finance.MaxSuggestionRecords + 1,
	})
	if err != nil {
		return listed, err
	}
	if len(there) > finance.MaxSuggestionRecords {
		return listed, refused
	}
	beside, err := readElsewhere(ctx, q, s, p, finance.SharedBy(here, finance.Opposite(there)), finance.TransferWindow,
		finance.TransferWindow)
	if err != nil {
		return listed, err
	}
	listed = list.Numbered(finance.SuggestTransfers(here, there, beside, name), l)
	var ids []int64
	for _, one := range listed.Items {
		ids = append(ids, one.TransactionIDs()...)
	}
	transactions, err := bareTransactions(ctx, q, s, ids)
	for i := range listed.Items { // records removed meanwhile are left out
		of := &listed.Items[i]
		of.Transactions = storage.Among(transactions, of.TransactionIDs(), func(t finance.FinancialTransaction) int64 {
			return t.ID
		})
	}
	return listed, err
}

// bareTransactions reads transactions by their ids, ordered by id.
func bareTransactions(ctx context.Context, q storage.Queries, s storage.Scope, ids []int64) (
	[]finance.FinancialTransaction, error) {
	return db.Many[finance.FinancialTransaction](ctx, q.DB, `SELECT `+storage.BareTransactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.id`, s.AccountID, ids)
}

// complete reads the records of suggestions.
func complete(ctx context.Context, q storage.Queries, s storage.Scope, suggestions []finance.Suggestion) error {
	var accountIDs, transactionIDs []int64
	for _, one := range suggestions {
		accountIDs, transactionIDs = append(accountIDs, one.AccountIDs...),
			append(transactionIDs, one.TransactionIDs...)
	}
	accounts, err := db.Many[finance.FinancialAccount](ctx, q.DB, `SELECT `+storage.FinancialAccountColumns+`
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.id`, s.AccountID, accountIDs)
	if err != nil {
		return err
	}
	transactions, err := bareTransactions(ctx, q, s, transactionIDs)
	if err != nil {
		return err
	}
	for i := range suggestions { // records removed meanwhile are left out
		of := &suggestions[i]
		of.Accounts = storage.Among(accounts, of.AccountIDs, func(f finance.FinancialAccount) int64 { return f.ID })
		of.Transactions = storage.Among(transactions, of.TransactionIDs, func(t finance.FinancialTransaction) int64 {
			return t.ID
		})
	}
	return nil
}
