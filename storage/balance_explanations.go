package storage

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"

	"github.com/lib/pq"
)

// explain finds what explains the difference of a proof, if anything does. It begins after the
// last earlier statement that agrees, or at the beginning if none does.
func (q Queries) explain(ctx context.Context, b *finance.BankStatement, p *finance.BalanceProof) error {
	ours, fits := p.OurBalance.Amount()
	difference, ok := p.Difference.Amount()
	if !fits || !ok {
		return nil
	}
	anchors, err := q.anchors(ctx, b, ours)
	if err != nil || anchors == nil {
		return err
	}
	spans, err := q.proofSpans(ctx, b, anchors)
	if err != nil || spans == nil {
		return err
	}
	deviations, err := q.deviations(ctx, b, anchors[0].Day)
	if err == nil && deviations != nil {
		p.Explanations = finance.Explain(difference, spans, deviations)
	}
	return err
}

// maxAnchors bounds the earlier statements that a proof looks at.
const maxAnchors = 48

// anchor is a balance that the bank stated. A nil day is the beginning of the account.
type anchor struct {
	ID          int64
	Bank        finance.Amount
	Day         *finance.Date
	PeriodStart *finance.Date
	Moved       finance.Sum // of our transactions after the day, until the next anchor
}

// anchors returns what the bank stated before a statement, oldest first: the last one that agrees
// and those after it, or the beginning and all; nil is neither. ours is our balance on the day
// of the statement. A statement of a day on which a later file brought more is no anchor: the day had
// not ended.
func (q Queries) anchors(ctx context.Context, b *finance.BankStatement, ours finance.Amount) ([]anchor, error) {
	for _, most := range []int{2, maxAnchors} {
		newest, err := db.Many[anchor](ctx, q.DB, `
			SELECT a.id, a.bank, a.day, a.period_start, coalesce((
				SELECT sum(amount) FROM financial_transactions t
				WHERE t.account_id = $1 AND t.deposit_account_id = $2 AND t.occurred_at > a.day AND t.occurred_at <= a.until), 0) AS moved
			FROM (
				SELECT id, bank, day, period_start, lag(day, 1, CAST($3 AS date)) OVER (ORDER BY day DESC) AS until
				FROM (
					SELECT DISTINCT ON (b.ledger_balance_on) b.id, b.ledger_balance AS bank, b.ledger_balance_on AS day, b.period_start
					FROM bank_statements b
					WHERE `+provable+` AND b.deposit_account_id = $2 AND b.ledger_balance_on < $3 ORDER BY b.ledger_balance_on DESC, b.id DESC) a
				WHERE NOT EXISTS (
					SELECT FROM imported_items i
					WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.day = a.day AND i.bank_statement_id > a.id)
				ORDER BY day DESC LIMIT $4) a
			ORDER BY day DESC`, b.AccountID, b.DepositAccountID, b.LedgerBalanceOn, most)
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
			return slices.Insert(found, 0, anchor{}), nil
		}
		for _, a := range newest {
			moved, _ := a.Moved.Amount()
			ours += moved // begin again
		}
	}
	return nil, nil
}

// proofSpans reads what files brought, or did not, between the anchors and until the statement. It
// returns nil if that is too much to explain anything.
func (q Queries) proofSpans(ctx context.Context, b *finance.BankStatement, anchors []anchor) ([]finance.ProofSpan, error) {
	ends := append(slices.Clone(anchors[1:]), anchor{ID: b.ID, Bank: *b.LedgerBalance, Day: b.LedgerBalanceOn, PeriodStart: b.PeriodStart})
	from, to := make([]finance.Date, len(ends)), make([]finance.Date, len(ends))
	for i, end := range ends {
		to[i] = *end.Day
		if day := anchors[i].Day; day != nil {
			from[i] = *day
		}
	}
	rows, err := db.Many[struct {
		Items   finance.Sum
		Doubled bool
	}](ctx, q.DB, itemsOfSpans, b.AccountID, b.DepositAccountID, days(from), days(to), b.ID)
	if err != nil {
		return nil, err
	}
	spans := make([]finance.ProofSpan, len(ends))
	for i, end := range ends {
		items, fits := rows[i].Items.Amount()
		if !fits {
			return nil, nil
		}
		spans[i] = finance.ProofSpan{Bank: end.Bank - anchors[i].Bank, Items: items, Doubled: rows[i].Doubled}
	}
	if few, err := q.looseItems(ctx, b, from, to, spans); err != nil || !few {
		return nil, err
	}
	periods, err := q.periods(ctx, b)
	if err != nil {
		return nil, err
	}
	for i := range spans {
		first := from[i].AddDays(1)
		if anchors[i].Day == nil {
			o, err := db.One[struct {
				Initial  finance.Amount
				Openable bool
				First    finance.Date
			}](ctx, q.DB, opening, b.AccountID, b.DepositAccountID, ends[i].ID)
			if err != nil {
				return nil, err
			}
			spans[i].First, spans[i].Initial, spans[i].Openable, first = true, o.Initial, o.Openable, o.First
			if start := ends[i].PeriodStart; start != nil {
				periods = append(periods, finance.Period{First: first, Last: *start})
			}
		}
		spans[i].Uncovered = finance.Uncovered(finance.Period{First: first, Last: to[i]}, periods)
	}
	return spans, nil
}

// days returns dates as an array; the zero Date is before all others.
func days(all []finance.Date) pq.StringArray {
	texts := make(pq.StringArray, len(all))
	for i, d := range all {
		texts[i] = d.String()
	}
	return texts
}

// itemsOfSpans sums the items that files brought in the spans of days after $3 until $4, without
// those that files later than $5 brought for the last day. Rows of one file with one id of the bank
// look exported twice.
const itemsOfSpans = `
	SELECT coalesce((
			SELECT sum(amount) FROM imported_items i WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.day > s.first AND i.day <= s.last), 0)
		- coalesce((
			SELECT sum(amount) FROM imported_items i
			WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.day = s.last AND s.place = cardinality($4::date[]) AND i.bank_statement_id > $5), 0) AS items,
		EXISTS (
			SELECT FROM imported_items i
			JOIN imported_items j ON j.account_id = i.account_id AND j.deposit_account_id = i.deposit_account_id AND j.day = i.day AND j.amount = i.amount
				AND j.mark = i.mark AND j.ordinal < i.ordinal AND j.fitid = i.fitid AND j.bank_statement_id = i.bank_statement_id
			WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.day > s.first AND i.day <= s.last AND i.ordinal > 1) AS doubled
	FROM unnest($3::date[], $4::date[]) WITH ORDINALITY s (first, last, place) ORDER BY s.place`

// opening reads the initial balance, whether it may be wrong by any amount, because no transaction
// is before the first day of the first statement, $3, and that day: of the period that it states, or of an
// earlier item, because banks state wrong periods.
const opening = `
	SELECT coalesce(d.initial_balance, 0) AS initial, NOT EXISTS (
			SELECT FROM financial_transactions t WHERE t.account_id = $1 AND t.deposit_account_id = $2 AND t.occurred_at < s.first) AS openable, s.first
	FROM deposit_accounts d, LATERAL (
		SELECT least(b.period_start, b.ledger_balance_on, (
			SELECT i.day FROM imported_items i
			WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.bank_statement_id = b.id ORDER BY i.day LIMIT 1)) AS first
		FROM bank_statements b WHERE b.account_id = $1 AND b.id = $3) s
	WHERE d.account_id = $1 AND d.id = $2`

// looseItems adds the items to the spans that were not imported although the bank may have counted
// them. few is false if there are too many to explain anything.
func (q Queries) looseItems(ctx context.Context, b *finance.BankStatement, from, to []finance.Date, spans []finance.ProofSpan) (few bool, err error) {
	const most = 1000
	rows, err := db.Many[struct {
		BankStatementID, Number int64
		Day                     finance.Date
		Amount                  finance.Amount
		Outcome                 string
	}](ctx, q.DB, `
		SELECT DISTINCT ON (i.day, i.amount, i.mark, i.outcome, i.fitid, i.description) i.bank_statement_id, i.number, i.day, i.amount, i.outcome
		FROM bank_statements b JOIN ignored_items i ON i.account_id = b.account_id AND i.bank_statement_id = b.id
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL AND b.event_status = 'success'
			AND i.day > $3 AND i.day <= $4 AND (i.outcome IN ('future', 'balance') OR i.outcome = 'duplicate' AND i.suspect)
		ORDER BY i.day, i.amount, i.mark, i.outcome, i.fitid, i.description, i.bank_statement_id, i.number LIMIT $5`,
		b.AccountID, b.DepositAccountID, from[0].String(), to[len(to)-1], most)
	if err != nil || len(rows) == most {
		return false, err
	}
	for _, r := range rows {
		s := &spans[slices.IndexFunc(to, func(end finance.Date) bool { return !r.Day.After(end) })]
		item := finance.LooseItem{ItemRef: finance.ItemRef{BankStatementID: r.BankStatementID, ID: r.Number}, Amount: r.Amount}
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

// periods reads what the files of the deposit account cover. A file without a period covers the days
// from its first item to its last.
func (q Queries) periods(ctx context.Context, b *finance.BankStatement) ([]finance.Period, error) {
	return db.Many[finance.Period](ctx, q.DB, `
		SELECT coalesce(b.period_start, i.first) AS first, coalesce(b.period_end, i.last) AS last
		FROM bank_statements b, LATERAL (
			SELECT min(day) AS first, max(day) AS last FROM imported_items
			WHERE account_id = b.account_id AND bank_statement_id = b.id AND (b.period_start IS NULL OR b.period_end IS NULL)) i
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL AND b.event_status = 'success'
			AND coalesce(b.period_start, i.first) IS NOT NULL AND coalesce(b.period_end, i.last) IS NOT NULL`, b.AccountID, b.DepositAccountID)
}

// maxExplaining bounds the records that an explanation names.
const maxExplaining = 1000

// deviations returns by what our transactions after a day, until that of the statement, differ
// from the items that files brought for these days. It returns nil if they are too many to name.
func (q Queries) deviations(ctx context.Context, b *finance.BankStatement, after *finance.Date) ([]finance.Explanation, error) {
	var from finance.Date
	if after != nil {
		from = *after
	}
	rows, err := db.Many[struct {
		Kind          finance.ExplanationKind
		Amount        finance.Sum
		TransactionID *int64
		StatementID   *int64
		Number        *int64
	}](ctx, q.DB, deviating, b.AccountID, b.DepositAccountID, from.String(), b.LedgerBalanceOn, b.ID, maxExplaining+1)
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

// deviating compares the items of the days after $3 until $4 with our transactions of these days.
// What a file later than $5 brought for the last day is what the bank had not booked.
const deviating = `
	SELECT * FROM (
		SELECT CASE
				WHEN i.day = $4 AND i.bank_statement_id > $5 AND t.amount = i.amount THEN 'later_items'
				WHEN i.amount IS NULL AND t.bank_statement_id IS NULL THEN 'manual_transactions'
				WHEN i.amount IS NULL OR t.amount IS NOT NULL THEN 'edited_items'
				WHEN EXISTS (
					SELECT FROM financial_transactions x
					WHERE x.account_id = $1 AND x.deposit_account_id = $2 AND x.id = i.financial_transaction_id) THEN 'edited_items'
				ELSE 'deleted_items' END AS kind,
			CASE WHEN i.day = $4 AND i.bank_statement_id > $5 THEN 0 ELSE coalesce(i.amount, 0) END - coalesce(t.amount, 0) AS amount,
			coalesce(t.id, i.financial_transaction_id) AS transaction_id, coalesce(i.bank_statement_id, t.bank_statement_id) AS statement_id, i.number
		FROM (
			SELECT * FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2 AND day > $3 AND day <= $4) i
		FULL JOIN (
			SELECT id, amount, bank_statement_id FROM financial_transactions
			WHERE account_id = $1 AND deposit_account_id = $2 AND occurred_at > $3 AND occurred_at <= $4) t ON t.id = i.financial_transaction_id
		WHERE t.amount IS DISTINCT FROM i.amount OR i.day = $4 AND i.bank_statement_id > $5) d
	WHERE amount <> 0 ORDER BY kind, transaction_id LIMIT $6`
