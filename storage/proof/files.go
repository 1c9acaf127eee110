package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/db"
	"bordero/storage"
)

// proofFile is a statement that was imported.
type proofFile struct {
	ID                     int64
	PeriodStart, PeriodEnd *finance.Date
	LedgerBalanceOn        *finance.Date
	Days                   finance.Period // that it covers; empty if nothing says
	Account                *string        // the number that it names
	Undated                bool           // it has items without a valid date
	Broken                 bool           // it does not cover all these days
	Known                  int64          // how many of its items were ignored as duplicates
}

// in reports whether the file may have items of the days.
func (f proofFile) in(days finance.Period) bool {
	return f.Days == finance.Period{} || !f.Days.First.After(days.Last) && !f.Days.Last.Before(days.First)
}

// itemDays reads the first and the last day of the imported and the known items of a statement b. The
// release before does not store them.
var itemDays = `(
	SELECT coalesce(b.first_item_on, min(day)) AS first, coalesce(b.last_item_on, max(day)) AS last FROM (
		SELECT day FROM imported_items WHERE account_id = b.account_id AND bank_statement_id = b.id
			AND b.first_item_on IS NULL
		UNION ALL
		SELECT day FROM ` + storage.KnownItems("b.account_id", "b.id") + ` k WHERE b.first_item_on IS NULL) d)`

// proofFiles reads the imported statements of the deposit account.
func proofFiles(ctx context.Context, q storage.Queries, b *finance.BankStatement) ([]proofFile, error) {
	rows, err := db.Many[struct {
		proofFile
		First, Last *finance.Date
	}](ctx, q.DB, `
		SELECT b.id, `+storage.PeriodStart+` AS period_start, `+storage.PeriodEnd+
		` AS period_end, b.ledger_balance_on, i.first, i.last,
			b.file_account_number AS account, b.invalid_date_items_ignored_count > 0 AS undated,
				b.period_broken AS broken, b.duplicate_items_ignored_count AS known
		FROM bank_statements b, LATERAL `+itemDays+` i
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL AND b.event_status = 'success'`,
		b.AccountID, b.DepositAccountID)
	files := make([]proofFile, len(rows))
	for i, r := range rows {
		items := finance.Period{First: finance.OrZero(r.First), Last: finance.OrZero(r.Last)}
		files[i] = r.proofFile
		files[i].Days = finance.Covered(r.PeriodStart, r.PeriodEnd, items)
	}
	return files, err
}

// uncovered returns the days of a span that no file covers. A file covers the day of its balance,
// too, so that no day is called missing by mistake. The first span begins with the days of the file
// of its statement. There the day of the balance is left out, so that the initial balance is not
// named by mistake.
func uncovered(s finance.ProofSpan, end int64, files []proofFile) []finance.Period {
	var periods []finance.Period
	span := s.Days
	if s.First {
		span.First = s.Opens
	}
	for _, f := range files {
		days := f.Days
		add := func(day *finance.Date) {
			if day != nil {
				days.Add(*day)
			}
		}
		switch {
		case !s.First:
			add(f.LedgerBalanceOn)
		case f.ID == end:
			add(&s.Opens)
			add(f.PeriodStart)
			add(f.PeriodEnd)
		}
		if days != (finance.Period{}) {
			periods = append(periods, days)
		}
	}
	return finance.Uncovered(span, periods)
}

// findUncertainty adds to the spans with a gap the days that no file covers, and whether a part of any amount may be
// missing for another reason. few is false if the files of these days have more known items than within allows.
func findUncertainty(ctx context.Context, q storage.Queries, b *finance.BankStatement, anchors, ends []anchor,
	spans []finance.ProofSpan, within limits) (few bool, err error) {
	files, err := proofFiles(ctx, q, b)
	if err != nil {
		return false, err
	}
	days := gapDays(spans)
	known := int64(0)
	for _, f := range files {
		if f.in(days) {
			known += f.Known
		}
	}
	if within.known > 0 && known > within.known {
		return false, nil
	}
	forgotten, err := forgottenDays(ctx, q, b, days)
	if err != nil {
		return false, err
	}
	for i := range spans {
		s := &spans[i]
		if s.Gap() == 0 {
			continue
		}
		s.Uncovered = uncovered(*s, ends[i].ID, files)
		s.Doubtful = s.Doubtful || fileContradicts(*s, b, []int64{anchors[i].ID, ends[i].ID}, files) ||
			slices.ContainsFunc(forgotten, func(day finance.Date) bool {
				return !day.Before(s.Days.First) && !day.After(s.Days.Last)
			})
		if s.Doubtful {
			continue
		}
		if s.Doubtful, err = rowsContradict(ctx, q, b, ends[i].ID, s.Days, files); err != nil {
			return false, err
		}
	}
	return true, nil
}

// gapDays returns the days from the first span with a gap to the last one. There must be one.
func gapDays(spans []finance.ProofSpan) finance.Period {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s finance.ProofSpan) bool { return s.Gap() == 0 })
	return finance.Period{First: spans[0].Days.First, Last: spans[len(spans)-1].Days.Last}
}

// fileContradicts reports whether a file of the span has items without a valid date or does not cover its period,
// or a file of the span, or that states a balance for it, is of another account than the statement.
func fileContradicts(s finance.ProofSpan, b *finance.BankStatement, stated []int64, files []proofFile) bool {
	return slices.ContainsFunc(files, func(f proofFile) bool {
		in := f.in(s.Days)
		other := f.Account != nil && b.FileAccountNumber != nil && !statement.SameAccount(*f.Account,
			*b.FileAccountNumber)
		return (f.Undated || f.Broken) && in || other && (in || slices.Contains(stated, f.ID))
	})
}

// covered returns the days that some of the files cover, as PostgreSQL writes them.
func covered(files []proofFile, some func(id int64) bool) string {
	var periods []string
	for _, f := range files {
		if some(f.ID) && f.Days != (finance.Period{}) {
			periods = append(periods, fmt.Sprintf("[%v,%v]", f.Days.First, f.Days.Last))
		}
	}
	return "{" + strings.Join(periods, ",") + "}"
}

// rowsContradict reports whether the rows of a span, which ends with a statement, leave open which of
// them the bank counted.
func rowsContradict(ctx context.Context, q storage.Queries, b *finance.BankStatement, end int64, days finance.Period,
	files []proofFile) (bool, error) {
	own := covered(files, func(id int64) bool { return id == end })
	before := covered(files, func(id int64) bool { return id < end })
	return db.OneNamed[bool](ctx, q.DB, leftOpen, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "first": days.First.String(), "last": days.Last,
		"end": end, "own_days": own, "earlier_days": before,
	})
}

var leftOpen = db.Named("balance_proofs.left_open", `SELECT `+exportedTwice+` OR `+outside+` OR `+contradicted)

// exportedTwice is whether rows of the days look exported twice, with one id of the bank. The first of two
// rows with one id may have come with an earlier file.
const exportedTwice = `EXISTS (
		SELECT FROM (SELECT DISTINCT day, amount, mark FROM imported_items
			WHERE account_id = @account AND deposit_account_id = @deposit_account AND day >= @first AND day <= @last
				AND ordinal > 1) g
		JOIN imported_items i ON i.account_id = @account AND i.deposit_account_id = @deposit_account AND i.day = g.day
			AND i.amount = g.amount AND i.mark = g.mark
		WHERE i.fitid IS NOT NULL GROUP BY i.day, i.amount, i.mark, i.fitid HAVING count(*) > 1)`

// outside is whether a later file than @end has rows of the days that are outside its own period:
// such a file does not show whether the bank had booked them.
const outside = `EXISTS (
		SELECT FROM bank_statements b JOIN imported_items i ON i.account_id = b.account_id
			AND i.bank_statement_id = b.id
		WHERE b.account_id = @account AND b.deposit_account_id = @deposit_account AND b.id > @end AND (` +
	storage.PeriodStart +
	` > @first OR ` + storage.PeriodEnd + ` < @last)
			AND i.deposit_account_id = @deposit_account AND i.day >= @first AND i.day <= @last AND (i.day < ` +
	storage.PeriodStart + ` OR i.day > ` + storage.PeriodEnd + `))`

// forgottenDays returns the days for which a file has more rows than are remembered: its duplicates came with a file
// that was deleted. A missing ordinal is a deleted row among equal rows, to which a person has added a duplicate. The
// days of all spans are read at once, since a file may belong to many.
func forgottenDays(ctx context.Context, q storage.Queries, b *finance.BankStatement, days finance.Period) (
	[]finance.Date, error) {
	return db.ManyNamed[finance.Date](ctx, q.DB, readForgottenDays, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "first": days.First.String(), "last": days.Last,
	})
}

// readForgottenDays reads the duplicates of statements with some of the days. Early releases stored no days of a
// statement.
var readForgottenDays = db.Named("balance_proofs.forgotten_days", `
	WITH duplicates AS MATERIALIZED (
		SELECT i.day, i.amount, i.mark, b.id AS bank_statement_id
		FROM bank_statements b, LATERAL `+storage.KnownItems("b.account_id", "b.id")+` i
		WHERE b.account_id = @account AND b.deposit_account_id = @deposit_account AND b.deleted_at IS NULL
			AND b.event_status = 'success'
			AND (b.first_item_on IS NULL OR b.first_item_on <= @last AND b.last_item_on >= @first)
			AND i.day >= @first AND i.day <= @last
	), compared AS (
		SELECT day, amount, mark, count(*)::int AS rows, count(ordinal)::int AS remembered, max(ordinal) AS last
			FROM (
			SELECT *, NULL::int AS ordinal FROM duplicates
			UNION ALL
			SELECT day, amount, mark, bank_statement_id, ordinal FROM imported_items
			WHERE account_id = @account AND deposit_account_id = @deposit_account
				AND day = ANY(ARRAY(SELECT DISTINCT day FROM duplicates))) r
		GROUP BY day, amount, mark, bank_statement_id
	)
	SELECT DISTINCT day FROM (
		SELECT day FROM compared GROUP BY day, amount, mark
		HAVING sum(rows) > sum(remembered) AND greatest(max(rows), max(last)) > sum(remembered)) g`)

// contradicted is whether the statement @end lacks rows of days that its file covers (@own_days),
// or later files have further rows of days that an earlier file covers (@earlier_days): the bank
// booked them later, or withdrew them. Later rows of the last day are known to be booked later.
// Rows of other files that the statement has too are its duplicates.
var contradicted = `EXISTS (
		SELECT FROM (
			SELECT day, amount, mark, 1 AS more FROM imported_items
			WHERE account_id = @account AND deposit_account_id = @deposit_account AND day >= @first AND day <= @last
				AND bank_statement_id <> @end
				AND (day < @last OR bank_statement_id < @end)
				AND (day <@ CAST(@own_days AS datemultirange) OR bank_statement_id > @end
					AND day <@ CAST(@earlier_days AS datemultirange))
			UNION ALL
			SELECT day, amount, mark, -1 FROM ` + storage.KnownItems("@account", "@end") + ` k
			WHERE day >= @first AND day <= @last) r
		GROUP BY day, amount, mark HAVING sum(more) > 0)`
