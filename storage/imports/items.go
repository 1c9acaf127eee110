package imports

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
)

// BankStatementItem reads one item of a statement, to import it. The lock of the statement serialises
// changes of its items. It refuses a preview.
func BankStatementItem(ctx context.Context, tx *storage.Tx, b *finance.BankStatement, id int64) (
	*finance.BankStatementItem,
	error) {
	if b.Preview {
		return nil, finance.Refuse(finance.Base, messages.OnlyPreviewed)
	}
	i, err := db.One[finance.BankStatementItem](ctx, tx.DB, `SELECT `+storage.StatementItemColumns+` FROM `+
		storage.StatementItems+`
		WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id = CAST($3 AS bigint)`, b.AccountID, b.ID, id)
	return &i, err
}

var insertItem = db.Named("bank_statement_items.insert_transaction", `
	INSERT INTO financial_transactions AS t (account_id, deposit_account_id, bank_statement_id, currency_id,
		amount, occurred_at, guid, document, original_description, `+paymentColumns+`)
	SELECT d.account_id, d.id, i.bank_statement_id, d.currency_id, i.amount, i.day, i.fitid, i.document, i.description,
		`+paymentColumns+`
	FROM deposit_accounts d JOIN ignored_items i ON i.account_id = d.account_id AND i.bank_statement_id = @statement
		AND i.number = @item
	WHERE d.account_id = @account AND d.id = @deposit_account
	RETURNING t.id`)

// ImportItem creates and returns the transaction of a locked item that was ignored as a duplicate,
// and adds the item to the memory of imported items. A proof then names the transaction that the item replaces as
// moved, until one of the two is deleted. It takes turns with imports into the deposit account. It refuses a suspect
// that another statement brought meanwhile. A missing deposit account is ErrNotFound.
func ImportItem(ctx context.Context, tx *storage.Tx, depositAccount int64, i *finance.BankStatementItem) (
	*finance.FinancialTransaction, error) {
	if _, err := db.Exec(ctx, tx.DB, takeTurn, depositAccount); err != nil {
		return nil, err
	}
	brought, err := db.One[bool](ctx, tx.DB, `
		SELECT EXISTS (
			SELECT FROM ignored_items i
			WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.number = $3 AND i.suspect
				AND `+storage.BroughtByAnother+`)`, i.AccountID, i.BankStatementID, i.ID)
	if err != nil {
		return nil, err
	}
	if brought {
		return nil, finance.Refuse("outcome", messages.ItemBroughtByAnother)
	}
	id, err := db.OneNamed[int64](ctx, tx.DB, insertItem, db.Args{
		"account": i.AccountID, "deposit_account": depositAccount, "statement": i.BankStatementID, "item": i.ID,
	})
	if err != nil {
		return nil, err
	}
	if err := ReadPayments(ctx, tx, i.AccountID, []int64{id}); err != nil {
		return nil, err
	}
	t, err := db.One[finance.FinancialTransaction](ctx, tx.DB, `SELECT `+storage.BareTransactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = $2`, i.AccountID, id)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, tx.DB, `
		WITH item AS (
			DELETE FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $3 AND number = $4
			RETURNING day, amount, mark, fitid, description, number, line, document, replaces
		), remembered AS (
			SELECT ordinal FROM imported_items JOIN item USING (day, amount, mark) WHERE account_id = $1
				AND deposit_account_id = $2
		)
		INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, mark, ordinal,
			fitid, description,
			number, line, document, financial_transaction_id, moved_from)
		SELECT $1, $2, $3, day, amount, mark,
			(SELECT min(o) FROM generate_series(1, (SELECT count(*) + 1 FROM remembered)) o
				WHERE o NOT IN (SELECT ordinal FROM remembered)),
			fitid, description, number, line, document, $5, replaces
		FROM item`, i.AccountID, depositAccount, i.BankStatementID, i.ID, t.ID)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE bank_statements SET imported_items_count = imported_items_count + 1,
			duplicate_items_ignored_count = duplicate_items_ignored_count - 1, updated_at = now()
		WHERE account_id = $1 AND id = $2`, i.AccountID, i.BankStatementID)
	if err != nil {
		return nil, err
	}
	tx.Move(i.AccountID, depositAccount, storage.BalanceChange{Sum: t.Amount, Count: 1, Newest: t.OccurredAt})
	return &t, nil
}

// ImportSuspects imports all items of a locked statement that are suspect duplicates, except those that replace a
// transaction or that another statement brought, as ImportItem does one, and returns the ids of the new transactions in
// the order of the file. Running it twice is harmless. It refuses a statement that is not imported: its import has the
// turn, and updates the statement last.
func ImportSuspects(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) ([]int64, error) {
	if err := b.SuspectsImportable(); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, tx.DB, takeTurn, b.DepositAccountID); err != nil {
		return nil, err
	}
	made, err := db.Many[struct {
		ID     int64
		Amount finance.Amount
		Day    finance.Date
	}](ctx, tx.DB, importSuspects, b.AccountID, b.DepositAccountID, b.ID)
	if err != nil || len(made) == 0 {
		return nil, err
	}
	ids := make([]int64, len(made))
	for i, t := range made {
		ids[i] = t.ID
		tx.Move(b.AccountID, b.DepositAccountID, storage.BalanceChange{Sum: t.Amount, Count: 1, Newest: t.Day})
	}
	if err := ReadPayments(ctx, tx, b.AccountID, ids); err != nil {
		return nil, err
	}
	*b, err = db.One[finance.BankStatement](ctx, tx.DB, `
		UPDATE bank_statements b SET imported_items_count = imported_items_count + $3,
			duplicate_items_ignored_count = duplicate_items_ignored_count - $3, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING `+storage.StatementColumns, b.AccountID, b.ID, len(made))
	return ids, err
}

// importSuspects gives the suspects the smallest free ordinals of their day, amount and mark. The
// k-th free ordinal is k plus the number of remembered ordinals with fewer than k free ones below
// them: a count in one sorted pass. No join matches the items with their ordinals: the planner
// expects one item, and would compare each with each.
const importSuspects = `
	WITH items AS (
		DELETE FROM ignored_items i WHERE account_id = $1 AND bank_statement_id = $3 AND suspect AND (
			SELECT t.id FROM financial_transactions t WHERE t.account_id = $1 AND t.id = replaces) IS NULL
			AND NOT ` + storage.BroughtByAnother + `
		RETURNING day, amount, mark, fitid, description, number, line, document, ` + paymentColumns + `
	), numbered AS MATERIALIZED (
		SELECT *, row_number() OVER (PARTITION BY day, amount, mark ORDER BY number) AS place,
			nextval(CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass)) AS id
		FROM (SELECT * FROM items ORDER BY number) i
	), placed AS (
		SELECT *, place + count(*) FILTER (WHERE id IS NULL) OVER (PARTITION BY day, amount, mark ORDER BY place,
			id IS NULL) AS ordinal
		FROM (
			SELECT day, amount, mark, fitid, description, number, line, document, place, id FROM numbered
			UNION ALL
			SELECT m.day, m.amount, m.mark, NULL, NULL, NULL, NULL, NULL,
				m.ordinal - row_number() OVER (PARTITION BY m.day, m.amount, m.mark ORDER BY m.ordinal), NULL
			FROM (SELECT DISTINCT day, amount, mark FROM numbered) g, imported_items m
			WHERE m.account_id = $1 AND m.deposit_account_id = $2 AND m.day = g.day AND m.amount = g.amount
				AND m.mark = g.mark) o
	), new_transactions AS (
		INSERT INTO financial_transactions (id, account_id, deposit_account_id, bank_statement_id, currency_id,
			amount, occurred_at, guid, document, original_description, ` + paymentColumns + `)
		SELECT n.id, d.account_id, d.id, $3, d.currency_id, n.amount, n.day, n.fitid, n.document, n.description,
			` + paymentColumns + `
		FROM numbered n JOIN deposit_accounts d ON d.account_id = $1 AND d.id = $2
		RETURNING id, amount, occurred_at
	), new_memory AS (
		INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, mark, ordinal,
			fitid, description,
			number, line, document, financial_transaction_id)
		SELECT $1, $2, $3, day, amount, mark, ordinal, fitid, description, number, line, document, id
		FROM placed WHERE id IS NOT NULL
	)
	SELECT id, amount, occurred_at AS day FROM new_transactions ORDER BY id`
