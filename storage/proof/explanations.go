package proof

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/imports"

	"github.com/lib/pq"
)

// limits bound the records from which a difference is explained.
type limits struct {
	since *finance.Date // the beginning of the account and statements before that day are ignored; nil for none
	known int64         // how many known items the files of a gap may have; 0 for any number
}

// explain finds the explanations of the difference of a proof, if there are any. It begins after
// the last earlier statement that agrees, or at the beginning of the account if no statement
// agrees.
func explain(ctx context.Context, q storage.Queries, b *finance.BankStatement, p *finance.BalanceProof,
	within limits) error {
	ours, fits := p.OurBalance.Amount()
	difference, ok := p.Difference.Amount()
	if !fits || !ok {
		return nil
	}
	undone, err := undoing(ctx, q, b)
	if err != nil || undone {
		return err
	}
	anchors, err := anchors(ctx, q, b, ours, within.since)
	if err != nil || anchors == nil {
		return err
	}
	days, err := proofDays(ctx, q, b, anchors[0].Day)
	if err != nil {
		return err
	}
	spans, err := proofSpans(ctx, q, b, anchors, days, within)
	if err != nil || spans == nil {
		return err
	}
	deviations, err := deviations(ctx, q, b, days)
	if err == nil && deviations != nil {
		p.Explanations = finance.Explain(difference, spans, deviations)
	}
	return err
}

// undoing reports whether an import into the deposit account is being undone: only some of its rows
// are left.
func undoing(ctx context.Context, q storage.Queries, b *finance.BankStatement) (bool, error) {
	return db.One[bool](ctx, q.DB, `
		SELECT EXISTS (
			SELECT FROM bank_statements
			WHERE account_id = $1 AND deposit_account_id = $2 AND deleted_at IS NOT NULL AND event_status = 'success')`,
		b.AccountID, b.DepositAccountID)
}

// maxAnchors bounds the earlier statements that a proof looks at.
const maxAnchors = 48

// anchor is a balance that the bank stated. A nil day is the beginning of the account.
type anchor struct {
	ID    int64
	Bank  finance.Amount
	Day   *finance.Date
	Moved finance.Sum // of our transactions after the day, until the next anchor
}

var newestAnchors = db.Named("balance_proofs.anchors", `
	WITH suspected AS MATERIALIZED (
		SELECT i.day, max(b.id) AS last
		FROM bank_statements b JOIN ignored_items i ON i.account_id = b.account_id AND i.bank_statement_id = b.id
		WHERE b.account_id = @account AND b.deposit_account_id = @deposit_account AND b.deleted_at IS NULL
			AND b.event_status = 'success'
			AND i.day < @day AND i.day >= coalesce(@since, date '-infinity') AND i.outcome = 'duplicate' AND i.suspect
			AND NOT `+storage.BroughtByAnother+`
		GROUP BY i.day)
	SELECT a.id, a.bank, a.day, coalesce((
		SELECT sum(amount) FROM financial_transactions t
		WHERE t.account_id = @account AND t.deposit_account_id = @deposit_account AND t.occurred_at > a.day
			AND t.occurred_at <= a.until), 0) AS moved
	FROM (
		SELECT id, bank, day, lag(day, 1, CAST(@day AS date)) OVER (ORDER BY day DESC) AS until
		FROM (
			SELECT DISTINCT ON (b.ledger_balance_on) b.id, b.ledger_balance AS bank, b.ledger_balance_on AS day
			FROM bank_statements b
			WHERE `+provable+` AND b.deposit_account_id = @deposit_account AND b.ledger_balance_on < @day
				AND b.ledger_balance_on >= coalesce(@since, date '-infinity')
			ORDER BY b.ledger_balance_on DESC, b.id DESC) a
		WHERE NOT EXISTS (SELECT FROM `+rowsOfDay("a.id", "a.day")+` r WHERE later)
			AND NOT EXISTS (SELECT FROM suspected s WHERE s.day = a.day AND s.last > a.id)
		ORDER BY day DESC LIMIT @most) a
	ORDER BY day DESC`)

// anchors returns the balances that the bank stated before a statement, oldest first. They begin
// with the last balance that agrees or, without one, with the beginning of the account; nil if they
// can begin with neither. ours is our balance on the day of the statement. A statement is no anchor
// if a later file has further items or suspects of its day: the day had not ended. Suspects that a file brought are
// its items.
func anchors(ctx context.Context, q storage.Queries, b *finance.BankStatement, ours finance.Amount,
	since *finance.Date) (
	[]anchor, error) {
	for _, most := range []int{1, 8, maxAnchors} {
		newest, err := db.ManyNamed[anchor](ctx, q.DB, newestAnchors, db.Args{
			"account": b.AccountID, "deposit_account": b.DepositAccountID, "day": b.LedgerBalanceOn,
			"most": most, "since": since,
		})
		if err != nil {
			return nil, err
		}
		var found []anchor
		for _, a := range newest {
			moved, fits := a.Moved.Amount()
			if !fits {
				return nil, nil
			}
			ours -= moved
			found = slices.Insert(found, 0, a)
			if a.Bank == ours {
				return found, nil
			}
		}
		if len(newest) < most {
			if since != nil {
				return nil, nil
			}
			return slices.Insert(found, 0, anchor{}), nil
		}
		for _, a := range newest {
			moved, _ := a.Moved.Amount()
			ours += moved // begin again
		}
	}
	return nil, nil
}

// proofDay is a day on which files brought items or we have transactions.
type proofDay struct {
	Day         finance.Date
	Items, Ours finance.Sum // the sums of the items, and of our transactions
	Later       bool        // it is the day of the statement, and some of its items came with a later file
}

// differs reports whether the transactions of the day may not be the items that the bank had booked.
func (d proofDay) differs() bool { return d.Items != d.Ours || d.Later }

// proofDays sums the items of files, and our transactions, for the days after the given day through
// the day of the statement. It leaves out the items that later files brought for the day of the
// statement: the bank had not booked them.
func proofDays(ctx context.Context, q storage.Queries, b *finance.BankStatement, after *finance.Date) ([]proofDay,
	error) {
	var from finance.Date // the zero Date is before all others
	if after != nil {
		from = *after
	}
	return db.ManyNamed[proofDay](ctx, q.DB, sumsOfDays, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "after": from.String(),
		"day": b.LedgerBalanceOn, "statement": b.ID,
	})
}

// sumsOfDays reads both sums from indexes. The index of the items has no account id, so the deposit
// account supplies it.
var sumsOfDays = db.Named("balance_proofs.sums_of_days", `
	SELECT day, coalesce(i.sum, 0) - coalesce(l.sum, 0) AS items, coalesce(t.sum, 0) AS ours, l.sum IS NOT NULL AS later
	FROM (
		SELECT i.day, sum(i.amount) FROM deposit_accounts d JOIN imported_items i ON i.deposit_account_id = d.id
		WHERE d.account_id = @account AND d.id = @deposit_account AND i.day > @after AND i.day <= @day GROUP BY i.day) i
	FULL JOIN (
		SELECT occurred_at AS day, sum(amount) FROM financial_transactions
		WHERE account_id = @account AND deposit_account_id = @deposit_account AND occurred_at > @after
			AND occurred_at <= @day GROUP BY occurred_at) t USING (day)
	LEFT JOIN (SELECT day, sum(amount) FROM `+rowsOfDay("@statement", "@day")+
	` r WHERE later GROUP BY day) l USING (day)
	ORDER BY day`)

// rowsOfDay selects the rows that files brought for a day, and marks the rows later than a
// statement: a later file brought them, and the file of the statement does not have them. Of equal
// rows, the file of the statement has the first, as many as it names. Its duplicates count only if
// a later file brought rows for the day.
func rowsOfDay(statement, day string) string {
	return `(
		SELECT day, amount, bank_statement_id, number, financial_transaction_id, bank_statement_id > ` + statement +
		` AND nth > named AS later
		FROM (
			SELECT *, row_number() OVER (equal ORDER BY bank_statement_id, ordinal) AS nth,
				count(*) FILTER (WHERE bank_statement_id IS NULL OR bank_statement_id = ` + statement +
		`) OVER equal AS named
			FROM (
				SELECT day, amount, mark, ordinal, bank_statement_id, number, financial_transaction_id
					FROM imported_items
				WHERE account_id = @account AND deposit_account_id = @deposit_account AND day = ` + day + `
				UNION ALL
				SELECT day, amount, mark, NULL, NULL, NULL, NULL
				FROM ` + storage.KnownItems("@account", statement) + ` k
				WHERE day = ` + day + ` AND EXISTS (
					SELECT FROM imported_items
					WHERE account_id = @account AND deposit_account_id = @deposit_account AND day = ` + day +
		` AND bank_statement_id > ` + statement + `)) r
			WINDOW equal AS (PARTITION BY amount, mark)) r
		WHERE bank_statement_id IS NOT NULL)`
}

// proofSpans returns the spans between the anchors and until the statement, with the items that
// files brought and the days that they left out. It returns nil if there are too many to explain
// the difference.
func proofSpans(ctx context.Context, q storage.Queries, b *finance.BankStatement, anchors []anchor, days []proofDay,
	within limits) ([]finance.ProofSpan, error) {
	ends := append(slices.Clone(anchors[1:]), anchor{ID: b.ID, Bank: *b.LedgerBalance, Day: b.LedgerBalanceOn})
	spans := make([]finance.ProofSpan, len(ends))
	gaps := false
	for i, end := range ends {
		s := &spans[i]
		s.Bank, s.First = end.Bank-anchors[i].Bank, anchors[i].Day == nil
		s.Days.Last = *end.Day
		if !s.First {
			s.Days.First = anchors[i].Day.AddDays(1)
		}
		for len(days) > 0 && !days[0].Day.After(*end.Day) {
			items, fits := days[0].Items.Amount()
			if !fits {
				return nil, nil
			}
			s.Items += items
			days = days[1:]
		}
		if s.First {
			if err := begin(ctx, q, b, end.ID, s); err != nil {
				return nil, err
			}
		}
		gaps = gaps || s.Gap() != 0
	}
	if !gaps {
		return spans, nil
	}
	if few, err := looseItems(ctx, q, b, spans); err != nil || !few {
		return nil, err
	}
	if few, err := imports.MovedItems(ctx, q, b, spans); err != nil || !few {
		return nil, err
	}
	if few, err := findUncertainty(ctx, q, b, anchors, ends, spans, within); err != nil || !few {
		return nil, err
	}
	return spans, nil
}

// begin adds the beginning of the account to the first span, which ends with a statement.
func begin(ctx context.Context, q storage.Queries, b *finance.BankStatement, end int64, s *finance.ProofSpan) error {
	o, err := db.OneNamed[struct {
		Initial  finance.Amount
		Openable bool
		First    finance.Date
	}](ctx, q.DB, readBeginning, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "statement": end,
	})
	s.Initial, s.Openable, s.Opens = o.Initial, o.Openable, o.First
	return err
}

// opening reads the initial balance, the first day of the first @statement, and whether the
// initial balance may be wrong by any amount, because no transaction is before that day. The day is
// the first of the stated period, or the day of an earlier item, because banks state wrong periods.
// The query compares the first transaction only: as NOT EXISTS, a generic plan would read the
// transactions of all accounts.
var opening = `
	SELECT coalesce(d.initial_balance, 0) AS initial, coalesce((
			SELECT min(t.occurred_at) FROM financial_transactions t WHERE t.account_id = @account
				AND t.deposit_account_id = @deposit_account) >= s.first, true) AS openable, s.first
	FROM deposit_accounts d, LATERAL (
		SELECT least(b.period_start, b.period_end, b.ledger_balance_on, i.first) AS first
		FROM bank_statements b, LATERAL ` + itemDays + ` i WHERE b.account_id = @account AND b.id = @statement) s
	WHERE d.account_id = @account AND d.id = @deposit_account`

var readBeginning = db.Named("balance_proofs.beginning", opening)

// looseItems adds to the spans the items that were not imported although the bank may have counted
// them. A suspect that another file brought, or an item of the future once any file brought an equal one, is not
// loose; on the last day only if that file is not a later one, because rows of later files are no part of the span.
// few is false if the items are too many to explain the difference.
func looseItems(ctx context.Context, q storage.Queries, b *finance.BankStatement, spans []finance.ProofSpan) (few bool,
	err error) {
	const most = 1000
	rows, err := db.ManyNamed[struct {
		BankStatementID, Number int64
		Day                     finance.Date
		Amount                  finance.Amount
		Outcome                 string
	}](ctx, q.DB, readLooseItems, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "first": spans[0].Days.First.String(),
		"last": b.LedgerBalanceOn, "most": most, "statement": b.ID,
	})
	if err != nil || len(rows) == most {
		return false, err
	}
	for _, r := range rows {
		s := &spans[slices.IndexFunc(spans, func(s finance.ProofSpan) bool { return !r.Day.After(s.Days.Last) })]
		item := finance.LooseItem{ItemRef: finance.ItemRef{BankStatementID: r.BankStatementID, ID: r.Number},
			Amount: r.Amount}
		switch r.Outcome {
		case "future":
			s.Future = append(s.Future, item)
		case "balance":
			s.Balances = append(s.Balances, item)
		default:
			s.Suspects = append(s.Suspects, item)
		}
	}
	return true, nil
}

// readLooseItems reads an index by its condition: a suspect, or an outcome of the two.
var readLooseItems = db.Named("balance_proofs.loose_items", `
	SELECT DISTINCT ON (i.day, i.amount, i.mark, i.outcome, i.fitid, i.description) i.bank_statement_id, i.number,
		i.day, i.amount, i.outcome
	FROM bank_statements b JOIN ignored_items i ON i.account_id = b.account_id AND i.bank_statement_id = b.id
	WHERE b.account_id = @account AND b.deposit_account_id = @deposit_account AND b.deleted_at IS NULL
		AND b.event_status = 'success' AND i.day >= @first AND i.day <= @last
		AND (i.outcome IN ('balance', 'future') OR i.outcome = 'duplicate' AND i.suspect AND (
				SELECT t.id FROM financial_transactions t WHERE t.account_id = @account AND t.id = i.replaces) IS NULL)
		AND (i.outcome = 'balance' OR NOT EXISTS (
			SELECT FROM imported_items m JOIN bank_statements brought ON brought.account_id = @account
				AND brought.id = m.bank_statement_id AND brought.deleted_at IS NULL
			WHERE m.account_id = @account AND m.deposit_account_id = @deposit_account AND m.day = i.day
				AND m.amount = i.amount AND m.mark = i.mark AND (m.day < @last OR m.bank_statement_id <= @statement)
				AND (i.outcome = 'future' OR m.fitid = i.fitid AND m.bank_statement_id <> i.bank_statement_id)))
	ORDER BY i.day, i.amount, i.mark, i.outcome, i.fitid, i.description, i.bank_statement_id, i.number LIMIT @most`)

// maxExplaining bounds the records that an explanation names.
const maxExplaining = 1000

// deviations returns the differences between our transactions of the days and the items that files
// brought for them. It leaves out days with equal sums, which are no part of the difference. It
// returns nil if the deviations are too many to name.
func deviations(ctx context.Context, q storage.Queries, b *finance.BankStatement, days []proofDay) (
	[]finance.Explanation,
	error) {
	differing := pq.StringArray{}
	for _, d := range days {
		if d.differs() {
			differing = append(differing, d.Day.String())
		}
	}
	if len(differing) == 0 {
		return []finance.Explanation{}, nil
	}
	rows, err := db.ManyNamed[struct {
		Kind          finance.ExplanationKind
		Amount        finance.Sum
		TransactionID *int64
		StatementID   *int64
		Number        *int64
	}](ctx, q.DB, deviating, db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "days": differing,
		"day": b.LedgerBalanceOn, "statement": b.ID,
		"most": maxExplaining + 1,
	})
	if err != nil || len(rows) > maxExplaining {
		return nil, err
	}
	found := []finance.Explanation{}
	for _, kind := range finance.ExplanationKinds {
		e := finance.Explanation{Kind: kind}
		for _, r := range rows {
			amount, fits := r.Amount.Amount()
			switch {
			case !fits:
				return nil, nil
			case r.Kind != kind:
				continue
			case r.TransactionID != nil && kind != finance.DeletedItems:
				e.TransactionIDs = append(e.TransactionIDs, *r.TransactionID)
			}
			if r.StatementID != nil && r.Number != nil {
				e.Items = append(e.Items, finance.ItemRef{BankStatementID: *r.StatementID, ID: *r.Number})
			}
			e.Amount += amount
		}
		found = append(found, e)
	}
	return found, nil
}

// deviating compares the items of the @days with our transactions of these days. Items later than
// the @statement on its @day were not booked by the bank yet.
var deviating = db.Named("balance_proofs.deviations", `
	SELECT * FROM (
		SELECT CASE
				WHEN i.later AND t.amount = i.amount THEN 'later_items'
				WHEN i.amount IS NULL AND t.bank_statement_id IS NULL THEN 'manual_transactions'
				WHEN i.amount IS NULL OR t.amount IS NOT NULL THEN 'edited_items'
				WHEN EXISTS (
					SELECT FROM financial_transactions x
					WHERE x.account_id = @account AND x.deposit_account_id = @deposit_account
						AND x.id = i.financial_transaction_id) THEN 'edited_items'
				ELSE 'deleted_items' END AS kind,
			CASE WHEN i.later THEN 0 ELSE coalesce(i.amount, 0) END - coalesce(t.amount, 0) AS amount,
			coalesce(t.id, i.financial_transaction_id) AS transaction_id,
				coalesce(i.bank_statement_id, t.bank_statement_id) AS statement_id, i.number
		FROM (
			SELECT day, amount, bank_statement_id, number, financial_transaction_id, false AS later FROM imported_items
			WHERE account_id = @account AND deposit_account_id = @deposit_account AND day = ANY(@days::date[])
				AND day <> @day
			UNION ALL SELECT * FROM `+rowsOfDay("@statement", "@day")+` r WHERE day = ANY(@days::date[])) i
		FULL JOIN (
			SELECT id, amount, bank_statement_id FROM financial_transactions
			WHERE account_id = @account AND deposit_account_id = @deposit_account
				AND occurred_at = ANY(@days::date[])) t ON t.id = i.financial_transaction_id
		WHERE t.amount IS DISTINCT FROM i.amount OR i.later) d
	WHERE amount <> 0 ORDER BY kind, transaction_id LIMIT @most`)
