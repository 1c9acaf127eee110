package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"bordero/finance/statement/statementtest"
	"bordero/storage"
)

// proofs is how many statements the account has whose balances are proven: as many as a proof looks back.
const proofs = 48

// measureProof measures GET of the newest statement of an account with a million transactions, and of
// the oldest and one in the middle: each with its balance proof. A page has the proofs of all.
// The newest is also measured while it differs from the one before, and while none agrees, so that
// a proof reads all items.
func measureProof(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	store, err := storage.Open(s.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return nil, nil, err
	}
	defer store.Close()
	if s.account, err = newDepositAccount(ctx, store, s.tenant); err != nil {
		return nil, nil, err
	}
	progress("%s: loading %d transactions", h.path.name, h.sales)
	statements, err := s.proven(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := func(n int) figure { return s.takes(s.accountPath(fmt.Sprintf("/bank_statements/%d", statements[n]))) }
	newest, oldest, middle := at(proofs-1), at(0), at(proofs/2)
	page := s.takes(s.accountPath("/balance_proofs"))
	recent := s.changed(`UPDATE bank_statements SET ledger_balance = ledger_balance + $3 WHERE account_id = $1 AND id = $2`, statements[proofs-1], newest)
	differs := s.changed(`UPDATE deposit_accounts SET initial_balance = coalesce(initial_balance, 0) + $3 WHERE account_id = $1 AND id = $2`, s.account, newest)
	return func(ctx context.Context, d time.Duration) (sample, error) {
		all, err := newest(ctx, d)
		for name, one := range map[string]figure{"oldest": oldest, "middle": middle, "page": page, "recent": recent, "differs": differs} {
			if err != nil {
				break
			}
			var other sample
			other, err = one(ctx, d)
			all.more[name] = other.value
		}
		return all, err
	}, nil, nil
}

// changed measures while 1 is added to an amount of a record. add is the SQL statement that adds it.
func (s servers) changed(add string, record int64, measured figure) figure {
	return func(ctx context.Context, d time.Duration) (all sample, err error) {
		if _, err := s.db.ExecContext(ctx, add, s.AccountID, record, 1); err != nil {
			return all, err
		}
		if all, err = measured(ctx, d); err != nil {
			return all, err
		}
		_, err = s.db.ExecContext(ctx, add, s.AccountID, record, -1)
		return all, err
	}
}

// proven creates transactions of two years, and a statement for each month of them, which agrees.
func (s servers) proven(ctx context.Context) (statements []int64, err error) {
	for _, query := range []string{`
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at, original_description)
		SELECT $1, $2, 1, (n % 1000 + 1) * (CASE WHEN n % 3 = 0 THEN 1 ELSE -1 END) / 100.0, date '2024-01-01' + (n::bigint * 720 / $3)::int, 'PIX ' || n
		FROM generate_series(0, $3 - 1) n`, `
		INSERT INTO bank_statements (id, account_id, deposit_account_id, file_key, file_file_name, file_content_type, file_file_size, event_status,
			event_finished_at, ledger_balance, ledger_balance_on, period_start, period_end, first_item_on, last_item_on)
		SELECT 1 + n, $1, $2, 'proof ' || n, 'extrato.ofx', 'application/x-ofx', $3, 'success', now(), (
				SELECT coalesce(sum(amount), 0) FROM financial_transactions WHERE deposit_account_id = $2 AND occurred_at < date '2024-01-01' + n * 15),
			date '2024-01-01' + n * 15 - 1, date '2024-01-01' + (n - 1) * 15, date '2024-01-01' + n * 15 - 1,
			date '2024-01-01' + (n - 1) * 15, date '2024-01-01' + n * 15 - 1
		FROM generate_series(1, 48) n ORDER BY n`, `
		INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, ordinal, fitid, description, number, line, financial_transaction_id)
		SELECT $1, $2, 1 + (t.occurred_at - date '2024-01-01') / 15 + 1, t.occurred_at, t.amount,
			row_number() OVER (PARTITION BY t.occurred_at, t.amount ORDER BY t.id), 'F' || t.id, t.original_description, t.id, t.id, t.id
		FROM financial_transactions t WHERE t.deposit_account_id = $2 AND $3 > 0`, `
		UPDATE deposit_accounts SET transactions_count = $3, last_transaction_date = '2025-12-20',
			transactions_sum = (SELECT sum(amount) FROM financial_transactions WHERE deposit_account_id = $2)
		WHERE account_id = $1 AND id = $2`} {
		if _, err := s.db.ExecContext(ctx, query, s.AccountID, s.account, s.harness.effort.sales); err != nil {
			return nil, err
		}
	}
	if _, err := s.db.ExecContext(ctx, `VACUUM ANALYZE`); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2 ORDER BY id`, s.AccountID, s.account)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		statements = append(statements, id)
	}
	if len(statements) != proofs {
		return nil, fmt.Errorf("%d statements", len(statements))
	}
	return statements, rows.Err()
}

// measureProvenImport compares the import of a file that states a balance with that of the same
// file without it.
func measureProvenImport(ctx context.Context, h *harness) (ours, floor figure, err error) {
	i, err := newImports(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	file := statementtest.OFX(h.items)
	begin, end := bytes.Index(file, []byte("<LEDGERBAL>")), bytes.Index(file, []byte("</LEDGERBAL>"))
	if begin < 0 || end < begin {
		return nil, nil, fmt.Errorf("the file states no balance")
	}
	without := append(bytes.Clone(file[:begin]), file[end+len("</LEDGERBAL>"):]...)
	return i.first(file, h.items), i.first(without, h.items), nil
}
