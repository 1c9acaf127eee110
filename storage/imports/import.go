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
func Stage(ctx context.Context, s *storage.Store, fill func(add func(StagedItem) error) error) (staging *Staging,
	err error) {
	conn, err := s.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("stage: %w", err)
	}
	defer func() {
		if staging == nil { // also after a panic of fill
			err = errors.Join(err, conn.Close())
		}
	}()
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
		return nil, err
	}
	return &Staging{s, conn}, nil
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
	restates := statement.Format(finance.OrZero(b.FileFormat)).Restates()
	if restates && remembers.Anything {
		if imported.Restated, err = markRestated(ctx, tx, memory, format); err != nil {
			return imported, err
		}
	}
	err = steps(ctx, tx,
		step{selectKnown.SQL, selectKnown.Args(memory, format)},
		step{`ANALYZE remembered (day, amount, mark, fitid)`, nil},
		step{markAboveFile, nil},
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
