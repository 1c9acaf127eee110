package imports

import (
	"context"
	"fmt"
	"slices"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// ofEarlier selects the remembered items of the @deposit_account from files that an earlier
// release read (decision 0036).
const ofEarlier = ofMemory + ` AND card IS NULL`

// selectRemembers reads whether the deposit account remembers items that an earlier release read,
// and any at all: from the first entries of indexes.
var selectRemembers = db.Named("imported_items.remembers", `
	SELECT coalesce((
			SELECT true FROM imported_items WHERE `+ofEarlier+`
			ORDER BY deposit_account_id, fitid LIMIT 1), false) AS earlier,
		coalesce((
			SELECT true FROM imported_items WHERE `+ofMemory+`
			ORDER BY deposit_account_id, day LIMIT 1), false) AS anything`)

// findReadDifferently makes duplicates of the staged items that an earlier release read with
// another sign or day. An item is one of these if its FITID, unique in the file, is remembered
// once, with its description and its amount up to the sign, on a day of the same numbers, and the
// file has fewer items there than are remembered. REFNUM was no part of a description before. An item that
// a person imported from a file with a known format is not of an earlier release. If the same file, byte by
// byte, was imported as the statement @same_file, the items that had another day or amount then are
// duplicates, too.
var findReadDifferently = db.Named("imported_items.find_read_differently", `
	WITH unique_fitids AS (
		SELECT fitid, min(number) AS number, min(day) AS day, min(amount) AS amount, min(description) AS description
		FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL
		GROUP BY fitid HAVING count(*) = 1
	), earlier AS (
		SELECT s.number, r.day, r.amount
		FROM unique_fitids s, LATERAL (
			SELECT day, amount, description, count(*) OVER () AS times FROM imported_items
			WHERE `+ofEarlier+` AND fitid = s.fitid AND bank_statement_id = ANY(ARRAY(
				SELECT id FROM bank_statements WHERE account_id = @account AND deposit_account_id = @deposit_account
					AND file_format IS NULL))) r
		WHERE r.times = 1 AND (r.day, r.amount) <> (s.day, s.amount) AND abs(r.amount) = abs(s.amount)
			AND (r.description IS NOT DISTINCT FROM s.description OR strpos(s.description, r.description) > 0)
			AND `+numbersOf("r.day")+` = `+numbersOf("s.day")+`
	), compared AS (
		SELECT number, coalesce(f.items, 0) AS items, (
			SELECT count(*) FROM imported_items i
			WHERE i.account_id = @account AND i.deposit_account_id = @deposit_account AND i.day = e.day
				AND i.amount = e.amount) AS remembered
		FROM earlier e LEFT JOIN (
			SELECT day, amount, count(*) AS items FROM staged WHERE ignored IS NULL GROUP BY day, amount) f
			USING (day, amount)
	), of_file AS (
		SELECT number, day, amount FROM imported_items WHERE account_id = @account
			AND bank_statement_id = @same_file
		UNION ALL
		SELECT number, day, amount FROM `+storage.KnownItems("@account", "@same_file")+` i
		WHERE EXISTS (
			SELECT FROM imported_items r
			WHERE r.account_id = @account AND r.deposit_account_id = @deposit_account AND r.day = i.day
				AND r.amount = i.amount)
	)
	UPDATE staged SET ignored = 'duplicate' WHERE ignored IS NULL AND number IN (
		SELECT number FROM compared WHERE items < remembered
		UNION ALL
		SELECT number FROM of_file o JOIN staged s USING (number)
		WHERE (o.day, o.amount) <> (s.day, s.amount) AND abs(o.amount) = abs(s.amount))`)

// numbersOf returns the year without its century, the month and the day of the month, in the order
// of their size: another convention of dates changes nothing else.
func numbersOf(day string) string {
	return `ARRAY(SELECT unnest(string_to_array(to_char(` + day + `, 'YY-MM-DD'), '-')) ORDER BY 1)`
}

// marked is an item of the memory of a deposit account.
type marked struct {
	Day         finance.Date
	Amount      finance.Amount
	Mark        string
	Ordinal     int
	Description string
	Earlier     bool // its mark may follow the rule of an earlier release
}

// renewMarks computes the marks again that earlier releases remembered for the days and amounts of
// the staged items of cards. An import has the turn of the deposit account. A preview takes it only
// if it is free: else it reads the marks as they are.
func renewMarks(ctx context.Context, tx *storage.Tx, account, into int64, preview bool) error {
	if preview {
		turn, err := db.Many[bool](ctx, tx.DB, tryTurn, into)
		if err != nil || !slices.Contains(turn, true) {
			return err
		}
	}
	remembered, err := db.Many[marked](ctx, tx.DB, selectMarked, account, into)
	if err != nil || len(remembered) == 0 {
		return err
	}
	var days, amounts, marks, newMarks pq.StringArray
	var ordinals, newOrdinals pq.Int64Array
	for at := 0; at < len(remembered); {
		same := remembered[at:]
		other := func(m marked) bool { return m.Day != same[0].Day || m.Amount != same[0].Amount }
		if end := slices.IndexFunc(same, other); end > 0 {
			same = same[:end]
		}
		at += len(same)
		for n, is := range withMarks(same) {
			if was := same[n]; is != was {
				days, amounts = append(days, was.Day.String()), append(amounts, was.Amount.String())
				marks, ordinals = append(marks, was.Mark), append(ordinals, int64(was.Ordinal))
				newMarks, newOrdinals = append(newMarks, is.Mark), append(newOrdinals, int64(is.Ordinal))
			}
		}
	}
	args := db.Args{
		"account": account, "deposit_account": into, "days": days, "amounts": amounts, "marks": marks,
		"ordinals":  ordinals,
		"new_marks": newMarks, "new_ordinals": newOrdinals,
	}
	for _, s := range []db.Statement{liftOrdinals, setMarks} { // in between no two items have one key
		_, err := db.ExecNamed(ctx, tx.DB, s, args)
		if err != nil {
			return fmt.Errorf("marks: %w", err)
		}
	}
	return nil
}

// withMarks returns the items of one day and amount, in the order of their marks and ordinals, with
// the marks of their descriptions. An item with a changed mark gets the next free ordinal of the
// new mark, and the items behind it close the gap that it leaves: a file could fill a gap again.
func withMarks(items []marked) []marked {
	renewed, taken := slices.Clone(items), map[string]map[int]bool{}
	left := map[string]int{} // how many items have left each mark so far
	for n := range renewed {
		i := &renewed[n]
		if i.Earlier && statement.Instalment(i.Description) != i.Mark {
			left[i.Mark]++
			continue
		}
		i.Ordinal -= left[i.Mark]
		if taken[i.Mark] == nil {
			taken[i.Mark] = map[int]bool{}
		}
		taken[i.Mark][i.Ordinal] = true
	}
	next := map[string]int{}
	for n := range renewed {
		i := &renewed[n]
		mark := statement.Instalment(i.Description)
		if !i.Earlier || mark == i.Mark {
			continue
		}
		for next[mark]++; taken[mark][next[mark]]; next[mark]++ {
		}
		i.Mark, i.Ordinal, i.Earlier = mark, next[mark], false
	}
	return renewed
}

// selectMarked reads all remembered items of the days and amounts of cards' items where the rule of
// an earlier release may have given another mark.
const selectMarked = `
	SELECT i.* FROM (SELECT DISTINCT day, amount FROM staged WHERE card AND ignored IS NULL ORDER BY day, amount) g,
	LATERAL (
		SELECT day, amount, mark, ordinal, coalesce(description, '') AS description, card IS NULL AS earlier FROM (
			SELECT *, bool_or(card IS NULL AND (mark <> '' OR description ~ '[0-9][^0-9]+[0-9]')) OVER () AS renewed
			FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $2 AND day = g.day AND amount = g.amount) m
		WHERE renewed) i
	ORDER BY day, amount, mark, ordinal`

const changedMarks = `unnest(CAST(@days AS date[]), CAST(@amounts AS numeric[]), CAST(@marks AS text[]),
	CAST(@ordinals AS int[]),
		CAST(@new_marks AS text[]), CAST(@new_ordinals AS int[])) c (day, amount, mark, ordinal, new_mark, new_ordinal)`

var (
	liftOrdinals = db.Named("imported_items.lift_ordinals", `
		UPDATE imported_items i SET ordinal = i.ordinal + 1000000000 FROM `+changedMarks+`
		WHERE i.account_id = @account AND i.deposit_account_id = @deposit_account AND i.day = c.day
			AND i.amount = c.amount AND i.mark = c.mark
			AND i.ordinal = c.ordinal`)
	setMarks = db.Named("imported_items.set_marks", `
		UPDATE imported_items i SET mark = new_mark, ordinal = new_ordinal, card = true FROM `+changedMarks+`
		WHERE i.account_id = @account AND i.deposit_account_id = @deposit_account AND i.day = c.day
			AND i.amount = c.amount AND i.mark = c.mark
			AND i.ordinal = c.ordinal + 1000000000`)
)
