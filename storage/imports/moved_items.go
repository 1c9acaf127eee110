package imports

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// findMoved marks the new items that an earlier file had on another day. The FITID of such an item
// is unique in both files. It is remembered, with the amount and the description of the item, for a
// day that this file covers, and this file has fewer items of that day than are remembered. Both
// transactions stay: a person decides (decision 0036). The file covers the days of its items, of
// its period and of its balance. Remembered items are read only if there are new items.
var findMoved = db.Named("imported_items.find_moved", `
	WITH file AS MATERIALIZED (
		SELECT least(@period_start, @period_end, @balance_on, min(day)) AS first,
			greatest(@period_start, @period_end, @balance_on, max(day)) AS last
		FROM staged WHERE ignored IS NULL
	), unique_fitids AS MATERIALIZED (
		SELECT min(number) AS number FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL AND (SELECT EXISTS (
			SELECT FROM imported_items
			WHERE `+ofMemory+` AND day >= (SELECT first FROM file) AND day <= (SELECT last FROM file)))
		GROUP BY fitid HAVING count(*) = 1
	), candidates AS MATERIALIZED (
		SELECT p.number, r.day, r.amount, r.mark, r.fitid, r.bank_statement_id, r.financial_transaction_id
		FROM placed p JOIN unique_fitids USING (number) JOIN (
			SELECT * FROM imported_items
			WHERE `+ofMemory+` AND day >= (SELECT first FROM file) AND day <= (SELECT last FROM file)
				AND (SELECT EXISTS (SELECT FROM placed WHERE fresh))) r
			ON r.fitid = p.fitid AND r.amount = p.amount AND r.day <> p.day
				AND r.description IS NOT DISTINCT FROM p.description
		WHERE p.fresh
	), remembered AS (
		SELECT k.*, r.items FROM (SELECT DISTINCT day, amount, mark FROM candidates) k, LATERAL (
			SELECT count(*) AS items FROM imported_items
			WHERE `+ofMemory+` AND day = k.day AND amount = k.amount AND mark = k.mark) r
	), staying AS (
		SELECT day, amount, mark, count(*) AS items FROM staged WHERE ignored IS NULL GROUP BY day, amount, mark
	), once AS (
		SELECT bank_statement_id, fitid FROM imported_items
		WHERE account_id = @account
			AND bank_statement_id = ANY(ARRAY(SELECT DISTINCT bank_statement_id FROM candidates))
		GROUP BY bank_statement_id, fitid HAVING count(*) = 1
	), moved AS (
		SELECT DISTINCT ON (c.number) c.number, t.id
		FROM candidates c JOIN remembered r USING (day, amount, mark) LEFT JOIN staying s USING (day, amount, mark)
		JOIN once USING (bank_statement_id, fitid)
		JOIN financial_transactions t ON t.account_id = @account AND t.deposit_account_id = @deposit_account
			AND t.id = c.financial_transaction_id
		WHERE coalesce(s.items, 0) < r.items
		ORDER BY c.number, c.bank_statement_id DESC
	)
	UPDATE placed SET moved_from = m.id FROM moved m WHERE placed.number = m.number`)

// ofMemory selects the remembered items of the @deposit_account. A @preview, which forgets
// nothing, leaves out the items of deleted statements.
const ofMemory = `account_id = @account AND deposit_account_id = @deposit_account
			AND NOT (@preview AND bank_statement_id = ANY(ARRAY(` + deletedStatements + `)))`

// MovedItems adds to the spans the items that an earlier file had on another day, or that a person imported beside
// the transaction that they replace, until the day of the statement, if both transactions exist. If a person has
// deleted one, the files still have both items, and the span is doubtful: its gap is not what else is missing. It
// returns false if these are too many to explain the difference. Items that a later file brought for the day of the
// statement are no part of its span.
func MovedItems(ctx context.Context, q storage.Queries, b *finance.BankStatement, spans []finance.ProofSpan) (bool,
	error) {
	const most = 1000
	rows, err := db.Many[struct {
		BankStatementID, Number int64
		Day                     finance.Date
		Was, Is                 int64
		Gone                    bool           // one of the two
		Amount                  finance.Amount // of the former item: a person imports other amounts, too
	}](ctx, q.DB, `
		SELECT i.bank_statement_id, i.number, i.day, i.moved_from AS was, i.financial_transaction_id AS "is",
			was.id IS NULL OR t.id IS NULL AS gone,
			CASE WHEN i.card IS NULL THEN coalesce((
				SELECT f.amount FROM imported_items f WHERE f.account_id = $1 AND f.deposit_account_id = $2
					AND f.day BETWEEN i.day - 45 AND i.day + 45 AND f.financial_transaction_id = i.moved_from LIMIT 1),
				i.amount) ELSE i.amount END AS amount
		FROM imported_items i
		LEFT JOIN financial_transactions t ON t.account_id = $1 AND t.deposit_account_id = $2
			AND t.id = i.financial_transaction_id
		LEFT JOIN financial_transactions was ON was.account_id = $1 AND was.deposit_account_id = $2
			AND was.id = i.moved_from
		WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.moved_from IS NOT NULL
			AND i.day >= $3 AND i.day <= $4
			AND (i.day < $4 OR i.bank_statement_id <= $5)
			AND (was.occurred_at <= $4 OR was.id IS NULL AND EXISTS (
				SELECT FROM imported_items f WHERE f.account_id = $1 AND f.deposit_account_id = $2
					AND f.day BETWEEN i.day - 45 AND least(i.day + 45, $4)
					AND f.financial_transaction_id = i.moved_from))
		ORDER BY i.day, i.bank_statement_id, i.number LIMIT $6`,
		b.AccountID, b.DepositAccountID, spans[0].Days.First.String(), b.LedgerBalanceOn, b.ID, most)
	if err != nil || len(rows) == most {
		return false, err
	}
	for _, r := range rows {
		s := &spans[slices.IndexFunc(spans, func(s finance.ProofSpan) bool { return !r.Day.After(s.Days.Last) })]
		if r.Gone {
			s.Doubtful = true
			continue
		}
		item := finance.ItemRef{BankStatementID: r.BankStatementID, ID: r.Number}
		s.Moved = append(s.Moved, finance.MovedItem{
			LooseItem:      finance.LooseItem{ItemRef: item, Amount: -r.Amount},
			TransactionIDs: []int64{r.Was, r.Is},
		})
	}
	return true, nil
}
