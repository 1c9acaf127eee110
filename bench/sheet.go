package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"time"
)

// copied selects the columns of a transaction in CSV, with the names beside the ids.
const copied = `SELECT t.id, t.guid, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END, abs(t.amount), t.amount,
	t.occurred_at, t.document, t.original_description, t.user_description, t.bank_statement_id,
	t.classification_center_id, z.name, t.deposit_account_id, d.name, t.person_id, p.name, t.currency_id, t.category_id,
	c.name, t.created_at, t.updated_at, t.observation, t.reconcile_id
	FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
	LEFT JOIN categories c ON c.account_id = t.account_id AND c.id = t.category_id
	LEFT JOIN people p ON p.account_id = t.account_id AND p.id = t.person_id
	LEFT JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
	WHERE t.account_id = %d AND t.deposit_account_id = %d ORDER BY t.occurred_at DESC, t.id DESC`

// measureCSV compares the CSV of 100,000 transactions with psql's \copy of the same columns, in rows per second.
func measureCSV(ctx context.Context, h *harness) (ours, floor figure) {
	return measureSheet(ctx, h, ".csv", linesOf)
}

// measureXLSX is measureCSV for the workbook, whose floor is the same.
func measureXLSX(ctx context.Context, h *harness) (ours, floor figure) {
	return measureSheet(ctx, h, ".xlsx", func(file []byte) int {
		unzipped := must(zip.NewReader(bytes.NewReader(file), int64(len(file))))
		rows := must(io.ReadAll(must(unzipped.Open("xl/worksheets/sheet1.xml"))))
		return bytes.Count(rows, []byte("<row ")) - 1 // without the sums
	})
}

func linesOf(text []byte) int { return bytes.Count(text, []byte("\n")) }

// measureSheet compares a sheet with the suffix; count returns the number of its rows, with the header row.
func measureSheet(ctx context.Context, h *harness, suffix string, count func([]byte) int) (ours, floor figure) {
	h.few(3)
	const rows = 100_000
	s := h.service(ctx, "api")
	account := s.newDepositAccount(ctx)
	s.exec(ctx, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at, guid,
			document, original_description, category_id)
		SELECT $1, $2, 1, (n * 10 + 1 + n % 9) * (CASE WHEN n % 4 = 0 THEN 1 ELSE -1 END) / 100.0,
			date '2025-01-02' + n / 500, 'F' || n, n, 'PIX ENVIADO MARIA DA CONCEIÇÃO ' || n,
			(SELECT min(id) + n % 20 FROM categories WHERE account_id = $1)
		FROM generate_series(1, $3::int) n`, s.AccountID, account, rows)
	s.vacuum(ctx)
	perSecond := func(count func([]byte) int, export func() []byte) figure {
		return func(context.Context, time.Duration) sample {
			var got []byte
			took := timed(func() { got = export() })
			if n := count(got); n != rows+1 {
				check(fmt.Errorf("%d rows with the header row for %d", n, rows))
			}
			return sample{value: rows / took.Seconds()}
		}
	}
	path := s.path("/deposit_accounts/%d/financial_transactions", account) + suffix
	command := `\copy (` + string(bytes.ReplaceAll(fmt.Appendf(nil, copied, s.AccountID, account), []byte("\n"),
		[]byte(" "))) + `) TO STDOUT (FORMAT csv, HEADER)`
	return perSecond(count, func() []byte {
			return must(answer(s.request(ctx, s.addr, http.MethodGet, path, "")))
		}), perSecond(linesOf, func() []byte {
			return must(exec.CommandContext(ctx, "psql", "-XAtq", s.databaseURL, "-c", command).Output())
		})
}
