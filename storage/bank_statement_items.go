package storage

import (
	"context"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/db"
	"bordero/storage/list"
)

// StatementItems selects all stored items i, with their transactions t unless these are deleted.
const StatementItems = `(
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description,
			document, fitid,
			'imported' AS outcome, false AS suspect, CAST(NULL AS bigint) AS replaces, financial_transaction_id,
			false AS folded
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome,
			suspect AND NOT ` + BroughtByAnother + `, replaces, NULL, false
		FROM ignored_items i
		UNION ALL
		SELECT u.number, f.account_id, f.bank_statement_id, u.line, u.day, u.amount, u.mark, NULL, NULL, NULL,
			f.outcome, false, NULL, NULL, true
		FROM ` + unfolded + `) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id`

// StatementItemColumns are the columns of an item i of a statement and of its transaction t.
const StatementItemColumns = `i.id, i.account_id, i.bank_statement_id, i.line, i.occurred_at, i.amount, i.mark,
	i.description,
	i.document, i.fitid, i.outcome, i.suspect, i.folded, t.id AS financial_transaction_id, (
		SELECT r.id FROM financial_transactions r WHERE r.account_id = i.account_id AND r.id = i.replaces) AS replaces`

// BroughtByAnother is whether another statement of the deposit account brought the ignored item i: its movement is in
// the books, so it is no suspect any more. That it is one was decided before, so statements with the same days may
// have the same suspect. Equal items of one statement are movements of their own, and an item without an id of the
// bank is never a suspect.
const BroughtByAnother = `EXISTS (
			SELECT FROM bank_statements own
			JOIN imported_items m ON m.account_id = own.account_id AND m.deposit_account_id = own.deposit_account_id
				AND m.day = i.day AND m.amount = i.amount AND m.mark = i.mark AND m.fitid = i.fitid
				AND m.bank_statement_id <> own.id
			JOIN bank_statements other ON other.account_id = m.account_id AND other.id = m.bank_statement_id
				AND other.deleted_at IS NULL
			WHERE own.account_id = i.account_id AND own.id = i.bank_statement_id)`

// unfolded selects the items u of folded items f.
const unfolded = `folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)`

// KnownItems selects the items of a statement that were ignored as duplicates, with or without their
// texts. It takes expressions for the ids: a condition outside would not reach the index.
func KnownItems(account, statement string) string {
	return `(
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = ` + account + ` AND bank_statement_id = ` + statement + ` AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM ` + unfolded + `
		WHERE f.account_id = ` + account + ` AND f.bank_statement_id = ` + statement + ` AND f.outcome = 'duplicate')`
}

var statementItemFilters = list.Table("BankStatementItem", map[string]list.Filter{
	"outcome": list.Where("i.outcome = ?", list.OneOf(statement.Outcomes), "Exactly this outcome."),
	"suspect": list.Where("i.suspect = ?", list.Boolean,
		"Whether it may be another movement, or a transaction restated."),
})

// BankStatementItems reads one page of the items of a statement, in the order of its file. Items
// are numbered without gaps, so every page without a filter costs the same. A missing statement is
// ErrNotFound.
func (q Queries) BankStatementItems(ctx context.Context, s Scope, depositAccount, statement int64,
	l list.Query) (list.Page[finance.BankStatementItem], error) {
	var listed list.Page[finance.BankStatementItem]
	b, err := q.BankStatement(ctx, s, depositAccount, statement)
	if err != nil {
		return listed, err
	}
	items := StatementItems
	if b.Preview {
		items = previewedItems
	}
	if len(l.Search) > 0 || l.After != nil || l.Count > 0 {
		return list.Read[finance.BankStatementItem](ctx, q.DB, l, statementItemFilters, StatementItemColumns,
			items+` WHERE i.account_id = @account AND i.bank_statement_id = @statement AND i.id > 0`, list.By("i.id"),
			db.Args{"account": s.AccountID, "statement": statement})
	}
	if b.ItemsCount != nil {
		listed.Total = *b.ItemsCount
	}
	listed.Items, err = db.Many[finance.BankStatementItem](ctx, q.DB, `SELECT `+StatementItemColumns+` FROM `+items+`
		WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id > CAST($3 AS bigint)
			AND i.id <= CAST($4 AS bigint) ORDER BY i.id`,
		s.AccountID, statement, l.Offset(), l.Offset()+l.Size)
	return listed, err
}

// previewedItems selects the items i of previews, and no transactions t.
const previewedItems = `(
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description,
			document, fitid, outcome, suspect, replaces, false AS folded
		FROM previewed_items) i
	LEFT JOIN financial_transactions t ON false`
