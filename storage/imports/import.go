// Package imports stores the items of bank statements: staging, the memory of imported items (decision
// 0016), previews, and the removal of an import.
package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/finance/statement"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/queue"

	"github.com/jmoiron/sqlx"
)

// StagedItem is an item of a bank statement, in the order of its file.
type StagedItem struct {
	Line        int
	Day         finance.Date
	Amount      finance.Amount
	Card        bool // the mark of an instalment in its description distinguishes it
	FITID       string
	Document    string
	Description string
	Payment     memo.Payment // read from the texts
	Ignored     string       // the outcome that states why; "" for an item that is imported unless known
}

// Staging contains the items of one file, in a temporary table of one connection. They are copied
// before the transaction that imports them begins: no timeout ends a client that stalls in COPY
// inside a transaction, and such a client would keep the job's row locked.
type Staging struct {
	s    *storage.Store
	conn *sqlx.Conn
}

// Stage copies the items that fill adds to a temporary table; the caller closes the
// Staging. It wraps an error of fill. Only this connection sees the staged
// items, and they end with it.
func Stage(ctx context.Context, s *storage.Store, fill func(add func(StagedItem) error) error) (*Staging, error) {
	conn, err := s.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("stage: %w", err)
	}
	staging := &Staging{s, conn}
	// database/sql would roll back when ctx ends, in the middle of a COPY, and lib/pq would
	// then read the connection from two goroutines. So ctx is checked between items instead.
	lasting := db.Guarded(ctx)
	err = db.Try(lasting, conn, func(t *sqlx.Tx) error {
		tx := storage.NewTx(t)
		return stage(lasting, tx, func(add func(StagedItem) error) error {
			return fill(func(i StagedItem) error { return cmp.Or(ctx.Err(), add(i)) })
		})
	})
	if err != nil {
		return nil, errors.Join(err, staging.Close())
	}
	return staging, nil
}

// StagingTables creates the temporary tables of a connection that imports.
const StagingTables = `
	CREATE TEMP TABLE IF NOT EXISTS staged (number int, line int, day date, amount numeric(15,2), mark text,
		card boolean, fitid text, document text, description text, ignored text, end_to_end_id text, txid text,
		counterpart_name text, counterpart_document text, suspect boolean NOT NULL DEFAULT false, replaces bigint);
	CREATE TEMP TABLE IF NOT EXISTS remembered (day date, amount numeric(15,2), mark text, items int, ordinal int,
		fitid text, description text, has_gap boolean, same_door boolean, above_file boolean NOT NULL DEFAULT false);
	CREATE TEMP TABLE IF NOT EXISTS placed (id bigint, number int, line int, day date, amount numeric(15,2),
		mark text, card boolean, ordinal int, fitid text, document text, description text, fresh boolean,
		doubtful boolean, suspect boolean, end_to_end_id text, txid text, counterpart_name text,
		counterpart_document text, moved_from bigint)`

// makeStaging creates the temporary tables of the connection, or empties those of an
// earlier import: by DELETE while they are small, because TRUNCATE, which creates and
// removes files, takes longer than all items of a small statement.
func makeStaging(ctx context.Context, tx *storage.Tx) error {
	if _, err := db.Exec(ctx, tx.DB, StagingTables); err != nil {
		return err
	}
	const large = 1 << 20 // deleted rows stay in the tables, and scans read past them
	size, err := db.One[int64](ctx, tx.DB, `SELECT pg_table_size('staged') + pg_table_size('remembered') +
		pg_table_size('placed')`)
	if err != nil {
		return err
	}
	empty := `DELETE FROM staged; DELETE FROM remembered; DELETE FROM placed`
	if size > large {
		empty = `TRUNCATE staged, remembered, placed`
	}
	_, err = db.Exec(ctx, tx.DB, empty)
	return err
}

func stage(ctx context.Context, tx *storage.Tx, fill func(add func(StagedItem) error) error) error {
	if err := makeStaging(ctx, tx); err != nil {
		return err
	}
	number := 0
	columns := []string{"number", "line", "day", "amount", "mark", "card", "fitid", "document", "description",
		"ignored", "end_to_end_id", "txid", "counterpart_name", "counterpart_document"}
	err := tx.Copy(ctx, "staged", columns, func(add func(...any) error) error {
		return fill(func(i StagedItem) error {
			number++
			mark := ""
			if i.Card { // banks date every instalment with the day of the purchase
				mark = statement.Instalment(i.Description)
			}
			return add(number, i.Line, i.Day, i.Amount, mark, i.Card, null(i.FITID), null(i.Document),
				null(i.Description), null(i.Ignored), null(i.Payment.EndToEndID), null(i.Payment.TxID),
				null(i.Payment.CounterpartName), null(i.Payment.CounterpartDocument))
		})
	})
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `ANALYZE staged (day, amount, mark, fitid, ignored)`)
	return err
}

// null returns s, or NULL if it is empty.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Complete is Store.Complete on the connection that has the staged items.
func (st *Staging) Complete(ctx context.Context, job queue.Job, fn func(*storage.Tx) error) error {
	return st.s.CompleteOn(ctx, st.conn, job, fn)
}

// Close returns the connection to the pool.
func (st *Staging) Close() error { return st.conn.Close() }

// Imported is the result of an import.
type Imported struct {
	New, Known      int64
	Suspects        int64                        // of the known
	ReadDifferently int64                        // of the known: an earlier release read them with another sign or day
	Restated        int64                        // of the known: they replace transactions
	Moved           int64                        // of the new: an earlier file had them on another day
	Doubtful        int64                        // of the known: their description differs from the remembered one
	Doubts          []finance.SuspectedDuplicate // the first 100 of these
	Preview         []finance.PreviewDifference  // of an import that was previewed: where it differs
}

// StoreStaged stores the staged items that are new to the deposit account as transactions of the
// statement, and in the memory of imported items (decision 0016). It stores the others as ignored.
// Imports into one deposit account are serialised from here to the end of the transaction; other
// writers wait for the balance only. Items with a sum beyond an Amount are a finance.Invalid. It
// emits the event of the new transactions.
func StoreStaged(ctx context.Context, tx *storage.Tx, i storage.StatementImport) (imported Imported, err error) {
	account, into, statement := i.BankStatement.AccountID, i.Into.ID, i.BankStatement.ID
	err = steps(ctx, tx, step{takeTurn, []any{into}},
		step{forgetDeleted.SQL, forgetDeleted.Args(db.Args{"account": account, "deposit_account": into})})
	if err != nil {
		return imported, fmt.Errorf("import: %w", err)
	}
	if imported, err = placeStaged(ctx, tx, i, false); err != nil {
		return imported, fmt.Errorf("import: %w", err)
	}
	err = steps(ctx, tx,
		step{insertTransactions, []any{account, into, statement, i.Into.CurrencyID}},
		step{insertImportedItems, []any{account, into, statement}},
		step{insertIgnored, []any{account, statement}},
	)
	if err != nil {
		return imported, fmt.Errorf("import: %w", err)
	}
	if imported.Doubts, err = db.Many[finance.SuspectedDuplicate](ctx, tx.DB, selectSuspectedDuplicates); err != nil {
		return imported, fmt.Errorf("import: %w", err)
	}
	if imported.Preview, err = db.ManyNamed[finance.PreviewDifference](ctx, tx.DB, comparePreview,
		db.Args{"account": account, "statement": statement}); err != nil {
		return imported, fmt.Errorf("import: %w", err)
	}
	return imported, settleImport(ctx, tx, i, &imported)
}

// step is a statement and its arguments.
type step struct {
	sql  string
	args []any
}

// steps executes statements one after the other.
func steps(ctx context.Context, tx *storage.Tx, all ...step) error {
	for _, s := range all {
		if _, err := db.Exec(ctx, tx.DB, s.sql, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// placeStaged places the staged items among those that the deposit account remembers.
func placeStaged(ctx context.Context, tx *storage.Tx, i storage.StatementImport, preview bool) (imported Imported,
	err error) {
	b, account, into := i.BankStatement, i.BankStatement.AccountID, i.Into.ID
	if _, err := db.Exec(ctx, tx.DB, `SET LOCAL work_mem = '32MB'`); err != nil { // sorts 200,000 items in memory
		return imported, err
	}
	memory := db.Args{"account": account, "deposit_account": into, "preview": preview}
	format := db.Args{"format": b.FileFormat}
	// Most imports can skip the statements about earlier readings and moved items, which take long
	// to plan.
	remembers, err := db.OneNamed[struct{ Earlier, Anything bool }](ctx, tx.DB, selectRemembers, memory)
	if err != nil {
		return imported, err
	}
	if remembers.Earlier {
		if err := renewMarks(ctx, tx, account, into, preview); err != nil {
			return imported, err
		}
		imported.ReadDifferently, err = db.ExecNamed(ctx, tx.DB, findReadDifferently,
			memory, db.Args{"same_file": i.SameFile})
		if err != nil {
			return imported, err
		}
	}
	restates := finance.OrZero(b.FileFormat) == string(statement.JSON)
	if restates && remembers.Anything {
		if imported.Restated, err = markRestated(ctx, tx, memory, format); err != nil {
			return imported, err
		}
	}
	err = steps(ctx, tx,
		step{selectKnown.SQL, selectKnown.Args(memory, format)},
		step{`ANALYZE remembered (day, amount, mark, fitid)`, nil},
		step{markBeyond, nil},
		step{placeItems, []any{!preview}},
	)
	if err == nil && remembers.Anything && !restates && !b.PeriodBroken { // or it does not cover all days of its period
		imported.Moved, err = db.ExecNamed(ctx, tx.DB, findMoved, memory, db.Args{
			"period_start": b.PeriodStart, "period_end": b.PeriodEnd, "balance_on": b.LedgerBalanceOn,
		})
	}
	return imported, err
}

// settleImport emits the event of the new transactions and adds them to the balance.
func settleImport(ctx context.Context, tx *storage.Tx, i storage.StatementImport, imported *Imported) error {
	err := tx.EmitImported(ctx, finance.Event{
		Family: finance.FinancialTransactionsFamily, Action: finance.Created,
		AccountID: i.Into.AccountID, EntityID: i.Into.EntityID, ParentID: i.Into.ID,
	}, i.BankStatement.ID)
	if err != nil {
		return err
	}
	sum, newest, err := countPlaced(ctx, tx, imported)
	if err != nil || imported.New == 0 {
		return err
	}
	tx.Move(i.Into.AccountID, i.Into.ID, storage.BalanceChange{Sum: sum, Count: imported.New, Newest: *newest})
	return nil
}

// countPlaced counts the placed items, and returns the sum and the last day of the new ones.
func countPlaced(ctx context.Context, tx *storage.Tx, imported *Imported) (finance.Amount, *finance.Date, error) {
	total, err := db.One[struct {
		New, Known, Suspects, Doubtful int64
		Sum                            finance.Amount
		Newest                         *finance.Date
	}](ctx, tx.DB, `
		SELECT count(*) FILTER (WHERE fresh) AS new, count(*) FILTER (WHERE NOT fresh) AS known,
			count(*) FILTER (WHERE suspect) AS suspects,
			count(*) FILTER (WHERE doubtful) AS doubtful,
			coalesce(sum(amount) FILTER (WHERE fresh), 0) AS sum, max(day) FILTER (WHERE fresh) AS newest
		FROM placed`)
	if errors.Is(err, finance.ErrAmountTooLarge) {
		return 0, nil, finance.Refuse("amount", messages.BalanceTooLarge)
	}
	imported.New, imported.Known = total.New, total.Known+imported.ReadDifferently+imported.Restated
	imported.Suspects, imported.Doubtful = total.Suspects, total.Doubtful
	return total.Sum, total.Newest, err
}

// takeTurn serialises changes to the memory of the deposit account $1 until the end of the
// transaction.
const takeTurn = `SELECT pg_advisory_xact_lock(hashtextextended('import:' || $1::bigint, 0))`

// tryTurn takes the turn if it is free and an item is of a card.
const tryTurn = `SELECT pg_try_advisory_xact_lock(hashtextextended('import:' || $1::bigint, 0))
	FROM (SELECT FROM staged WHERE card LIMIT 1) c`

// forgetDeleted removes the items of statements that are being deleted from the memory:
// their files can be imported again at once, however far the deletion has come.
var forgetDeleted = db.Named("imported_items.forget_deleted", `
	DELETE FROM imported_items
	WHERE account_id = @account AND bank_statement_id = ANY(ARRAY(`+deletedStatements+`))`)

const deletedStatements = `SELECT id FROM bank_statements WHERE account_id = @account
	AND deposit_account_id = @deposit_account AND deleted_at IS NOT NULL`

// selectKnown collects the remembered items of the days, amounts and marks of the file: one probe
// of the index for each, in its order, however many items the account has. The window prevents a
// join that scans the whole period, which is cheaper only while the account has about as many items
// as the file. items counts the items of the file, and has_gap states whether a smaller ordinal is
// free. An import has forgotten the items of deleted statements already; a statement that is deleted
// later counts as deleted after the import.
var selectKnown = db.Named("imported_items.select_known", `
	INSERT INTO remembered (day, amount, mark, items, ordinal, fitid, description, has_gap, same_door)
	SELECT g.day, g.amount, g.mark, g.items, i.ordinal, i.fitid, i.description, i.has_gap,
		i.bank_statement_id NOT IN (`+otherDoors+`)
	FROM (SELECT day, amount, mark, count(*) AS items FROM staged WHERE ignored IS NULL GROUP BY day, amount,
		mark ORDER BY day, amount, mark) g,
	LATERAL (
		SELECT ordinal, fitid, description, bank_statement_id, max(ordinal) OVER () > count(*) OVER () AS has_gap
		FROM imported_items
		WHERE `+ofMemory+` AND day = g.day AND amount = g.amount AND mark = g.mark) i`)

// otherDoors selects the statements of the @deposit_account that are not in the @format of the file. That of earlier
// releases is unknown.
const otherDoors = `SELECT id FROM bank_statements WHERE account_id = @account
	AND deposit_account_id = @deposit_account AND file_format <> @format`

// markBeyond marks remembered items that stand for no item of the file (decision 0016). An item
// with a FITID that is unique in the file pairs with the first remembered item with that FITID; the
// other items of the file take the first positions beside these pairs. Remembered items above these
// positions are above the file. If all items of the file are known, nothing is marked: their texts are
// compared with all remembered items. Only gaps can make an item new while another is above the file.
const markBeyond = `
	WITH unique_fitids AS (
		SELECT fitid, min(day) AS day, min(amount) AS amount, min(mark) AS mark
		FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL GROUP BY fitid HAVING count(*) = 1
	), remembered AS (
		SELECT k.ctid AS row, day, amount, mark, k.items, k.ordinal,
			u.fitid IS NOT NULL AND row_number() OVER (PARTITION BY day, amount, mark,
				fitid ORDER BY k.ordinal) = 1 AS paired
		FROM remembered k LEFT JOIN unique_fitids u USING (day, amount, mark, fitid) WHERE k.has_gap
	), others AS (
		SELECT row, day, amount, mark, paired, items - count(*) FILTER (WHERE paired) OVER (PARTITION BY day, amount,
			mark) AS number,
			ordinal - count(*) FILTER (WHERE paired) OVER (PARTITION BY day, amount, mark ORDER BY ordinal) AS position
		FROM remembered
	), compared AS (
		SELECT row, position > number AS above_file, number,
			count(*) FILTER (WHERE position <= number) OVER (PARTITION BY day, amount, mark) AS known
		FROM others WHERE NOT paired
	)
	UPDATE remembered SET above_file = true FROM compared c WHERE remembered.ctid = c.row AND c.above_file
		AND c.known < c.number`

// placeItems numbers the items of each day, amount and mark. First come items with a remembered
// FITID that is unique in the file; then items with a remembered description, at most as many as
// remembered items have it beside these FITIDs; then the others. Where only one of two items has a FITID,
// a description that contains the other is the same: one format of a bank has the payee before the
// text of another (decision 0044). Twenty texts of a day, amount and mark are compared so. Each group
// is in the order of the file. The first items, as many as are remembered, are known; the others are
// new. Remembered items that are above the file do not count. New items get the smallest free ordinals
// and, if $1, transaction ids in the order of the file. An item raises no doubt if its description
// contains the remembered description of its FITID: earlier releases left the REFNUM out of
// descriptions. Another FITID or description says nothing beside items of other doors alone, which have ids and
// texts of their own (decision 0045). The free ordinals are joined last: a sort would copy the array of a group with
// each of its items.
const placeItems = `
	WITH groups AS (
		SELECT day, amount, mark, count(*) FILTER (WHERE NOT above_file) AS n, bool_or(same_door) AS same_door,
			CASE WHEN bool_or(has_gap) THEN
				ARRAY(SELECT o FROM generate_series(1, max(ordinal)) o EXCEPT SELECT unnest(array_agg(ordinal))
					ORDER BY 1) END AS free
		FROM remembered GROUP BY day, amount, mark
	), holes AS (
		SELECT day, amount, mark, h.ordinal, h.nth FROM groups, unnest(free) WITH ORDINALITY h (ordinal, nth)
	), unique_fitids AS (
		SELECT fitid, min(day) AS day, min(amount) AS amount, min(mark) AS mark
		FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL GROUP BY fitid HAVING count(*) = 1
	), known_fitids AS (
		SELECT day, amount, mark, fitid, min(coalesce(description, '')) AS description FROM remembered
			JOIN unique_fitids
			USING (day, amount, mark, fitid) GROUP BY 1, 2, 3, 4
	), remembered_fitids AS (
		SELECT DISTINCT day, amount, mark, fitid FROM remembered WHERE fitid IS NOT NULL
	), known_descriptions AS (
		SELECT day, amount, mark, coalesce(description, '') AS description,
			count(*) - count(DISTINCT u.fitid) AS left_over, bool_or(remembered.fitid IS NULL) AS without_fitid,
			bool_or(remembered.fitid IS NOT NULL) AS with_fitid
		FROM remembered LEFT JOIN unique_fitids u USING (day, amount, mark, fitid) WHERE NOT above_file
		GROUP BY 1, 2, 3, 4
	), known_texts AS (
		SELECT day, amount, mark,
			(array_agg(description ORDER BY description) FILTER (WHERE with_fitid))[1:20] AS with_fitid,
			(array_agg(description ORDER BY description) FILTER (WHERE without_fitid))[1:20] AS without_fitid
		FROM known_descriptions WHERE description <> '' GROUP BY 1, 2, 3
	), spoken AS (
		SELECT s.*, CASE WHEN k.description IS NOT NULL THEN k.description
			ELSE coalesce((SELECT min(text)
				FROM unnest(CASE WHEN s.fitid IS NULL THEN t.with_fitid ELSE t.without_fitid END) text
				WHERE s.description <> '' AND (strpos(s.description, text) > 0 OR strpos(text, s.description) > 0)),
				s.description, '') END AS text
		FROM staged s LEFT JOIN known_texts t USING (day, amount, mark)
		LEFT JOIN known_descriptions k ON k.day = s.day AND k.amount = s.amount AND k.mark = s.mark
			AND k.description = s.description
		WHERE s.ignored IS NULL
	), compared AS (
		SELECT s.*, g.n, f.fitid IS NOT NULL AS same_fitid,
			coalesce(g.same_door, false) AS same_door, r.fitid IS NULL AND s.fitid IS NOT NULL AS other_fitid,
			coalesce(strpos(s.description, f.description) > 0, false) AS longer,
				k.description IS NULL AS new_description, coalesce(k.left_over, 0) AS left_over,
			row_number() OVER (PARTITION BY s.day, s.amount, s.mark, f.fitid IS NULL, s.text ORDER BY s.number) AS nth
		FROM spoken s
		LEFT JOIN groups g ON g.day = s.day AND g.amount = s.amount AND g.mark = s.mark
		LEFT JOIN known_fitids f ON f.day = s.day AND f.amount = s.amount AND f.mark = s.mark AND f.fitid = s.fitid
		LEFT JOIN remembered_fitids r ON r.day = s.day AND r.amount = s.amount AND r.mark = s.mark AND r.fitid = s.fitid
		LEFT JOIN known_descriptions k ON k.day = s.day AND k.amount = s.amount AND k.mark = s.mark
			AND k.description = s.text
	), numbered AS (
		SELECT *, row_number() OVER (PARTITION BY day, amount, mark ORDER BY same_fitid DESC, other_description,
			number) AS place
		FROM (SELECT *, new_description OR NOT same_fitid AND nth > left_over AS other_description FROM compared) c
	)
	INSERT INTO placed (id, number, line, day, amount, mark, card, ordinal, fitid, document, description, fresh,
		doubtful, suspect, end_to_end_id, txid, counterpart_name, counterpart_document)
	SELECT CASE WHEN fresh
		AND $1 THEN nextval(CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass)) END, p.*
	FROM (
		SELECT i.number, i.line, i.day, i.amount, i.mark, i.card, coalesce(h.ordinal, i.place),
			i.fitid, i.document, i.description, i.place > coalesce(i.n, 0) AS fresh, i.place <= i.n
				AND i.same_door AND i.other_description AND NOT i.longer,
			coalesce(i.place <= i.n AND i.same_door AND i.new_description AND i.other_fitid, false),
			i.end_to_end_id, i.txid, i.counterpart_name, i.counterpart_document
		FROM numbered i LEFT JOIN holes h ON h.day = i.day AND h.amount = i.amount AND h.mark = i.mark
			AND h.nth = i.place - i.n
		ORDER BY i.number) p`

const insertTransactions = `
	INSERT INTO financial_transactions (id, account_id, deposit_account_id, bank_statement_id, currency_id,
		amount, occurred_at, guid, document, original_description, end_to_end_id, txid, counterpart_name,
		counterpart_document)
	SELECT id, $1, $2, $3, $4, amount, day, fitid, document, description, end_to_end_id, txid, counterpart_name,
		counterpart_document
	FROM placed WHERE fresh`

const insertImportedItems = `
	INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, mark, card, ordinal,
		fitid, description,
		number, line, document, financial_transaction_id, moved_from)
	SELECT $1, $2, $3, day, amount, mark, card, ordinal, fitid, description, number, line, document, id, moved_from
		FROM placed WHERE fresh`

// insertIgnored stores the other items. Items of another account, or without a valid date, have no
// amount: it was not read. Only known items, which a person may import, have a payment.
const insertIgnored = `
	INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome, fitid,
		document, description, suspect, replaces, ` + paymentColumns + `)
	SELECT $1, $2, i.*
	FROM (
		SELECT number, line, day, amount, mark, 'duplicate', fitid, document, description, suspect,
			CAST(NULL AS bigint), ` + paymentColumns + ` FROM placed
			WHERE NOT fresh
		UNION ALL ` + stagedIgnored + `, ` + paymentColumns + ` FROM staged WHERE ignored IS NOT NULL) i`

const stagedIgnored = `
		SELECT number, line, day, CASE WHEN ignored NOT IN ('other_account', 'invalid_date') THEN amount END, mark,
			ignored,
			fitid, document, description, suspect, replaces`

// paymentColumns are what the texts and the fields of an item say about the payment.
const paymentColumns = `end_to_end_id, txid, counterpart_name, counterpart_document`

const selectSuspectedDuplicates = `
	SELECT p.line, p.day, p.amount, coalesce(p.description, '') AS description, coalesce(k.description, '') AS known
	FROM (SELECT * FROM placed WHERE doubtful ORDER BY number LIMIT 100) p, LATERAL (
		SELECT description FROM remembered k WHERE NOT above_file AND k.day = p.day AND k.amount = p.amount
			AND k.mark = p.mark
		ORDER BY k.fitid IS DISTINCT FROM p.fitid, k.description IS NOT DISTINCT FROM p.description,
			k.ordinal LIMIT 1) k
	ORDER BY p.number`
