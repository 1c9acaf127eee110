package faults

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
)

// ledger is what the clients know to be stored: for each family, the visible state of the
// records by marker, a text that is unique to a request. It changes when a request has been
// answered.
type ledger struct {
	mu   sync.Mutex
	kept map[string]map[string]string
}

func newLedger() *ledger { return &ledger{kept: map[string]map[string]string{}} }

// record stores the current state of a record.
func (l *ledger) record(family, marker, state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept[family] == nil {
		l.kept[family] = map[string]string{}
	}
	l.kept[family][marker] = state
}

// drop records that a record is gone.
func (l *ledger) drop(family, marker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.kept[family], marker)
}

// dropBelow records that a record is gone, with everything created below it: their markers begin
// with its own.
func (l *ledger) dropBelow(family, marker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.kept[family], marker)
	for _, records := range l.kept {
		for m := range records {
			if strings.HasPrefix(m, marker+"-") {
				delete(records, m)
			}
		}
	}
}

// families are the queries of all records: marker and state.
var families = map[string]string{
	"people":     `SELECT name, '' FROM people`,
	"categories": `SELECT full_name, '' FROM categories`,
	"entities":   `SELECT name, '' FROM entities`,
	"deposit accounts": `SELECT name, (coalesce(initial_balance, 0) + transactions_sum)::numeric(15, 2)
		FROM deposit_accounts`,
	"transactions": `SELECT user_description, amount FROM financial_transactions`,
	"accounts": `SELECT description, concat_ws(' ', kind, status, amount) FROM financial_accounts
		WHERE sale_account_id IS NULL`,
	"reconciles": `SELECT description, count(r.id) OVER (PARTITION BY r.id) FROM reconciles r JOIN financial_accounts f
		ON f.account_id = r.account_id AND f.reconcile_id = r.id`,
	"statements": `SELECT file_file_name, concat_ws(' ', event_status, (SELECT count(*) FROM financial_transactions t
		WHERE t.bank_statement_id = b.id))
		FROM bank_statements b`,
	"attachments":   `SELECT title, attachment_file_size FROM attachments`,
	"sale accounts": `SELECT name, '' FROM sale_accounts`,
	"sale rules": `SELECT name, fee_percentage::numeric(9, 1) FROM sale_rules r JOIN sale_accounts a
		ON a.id = r.sale_account_id`,
	"sales": `SELECT description, concat_ws(' ', nominal_amount, status) FROM sales`,
	"credit cards": `SELECT name, (SELECT b.closing_day FROM credit_card_billings b WHERE b.account_id = c.account_id
		AND b.credit_card_id = c.id ORDER BY b.starts_on DESC LIMIT 1) FROM credit_cards c`,
	"card transactions": `SELECT concat_ws('/', description, parcel), amount FROM credit_card_transactions`,
	"webhooks":          `SELECT description, '' FROM webhooks`,
	"budgets": `SELECT concat_ws('/', c.full_name, to_char(b.month, 'YYYY-MM')), b.amount FROM budgets b
		JOIN categories c ON c.account_id = b.account_id AND c.id = b.category_id`,
	"tokens": `SELECT name, '' FROM tokens`,
}

// tally is the comparison of a family's records with the ledger.
type tally struct{ kept, missing, doubled, unasked, other int }

func (t tally) good() bool { return t.missing+t.doubled+t.unasked+t.other == 0 }

// compare counts the records, and describes the first that differ.
func (l *ledger) compare(ctx context.Context, db *sql.DB, family string) (t tally, wrong []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT marker, state::text FROM (`+families[family]+
		`) AS records (marker, state) WHERE marker LIKE 'f-%'`)
	if err != nil {
		return t, nil, err
	}
	defer rows.Close()
	found := map[string]int{}
	tell := func(format string, args ...any) {
		if len(wrong) < 5 {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	for rows.Next() {
		var marker, state string
		if err := rows.Scan(&marker, &state); err != nil {
			return t, nil, err
		}
		found[marker]++
		want, kept := l.kept[family][marker]
		switch {
		case !kept:
			t.unasked++
			tell("%s: nobody knows of it", marker)
		case found[marker] > 1:
			t.doubled++
			tell("%s: it is there %d times", marker, found[marker])
		case state != want:
			t.other++
			tell("%s: %q, want %q", marker, state, want)
		}
	}
	for marker := range l.kept[family] {
		if found[marker] == 0 {
			t.missing++
			tell("%s: it is missing", marker)
		}
	}
	t.kept = len(l.kept[family])
	return t, wrong, rows.Err()
}
