package main

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
)

// rows are the rows that an import stores of each item, in the format of COPY, without the columns
// that differ from import to import.
type rows struct{ transactions, imported []string }

// rowsOf returns the rows of a statement with items that are all imported. Each item must be the
// only one of its day and amount.
func rowsOf(file []byte) (rows, error) {
	var all rows
	today := finance.DateOf(time.Now())
	for r := statement.NewReader(bytes.NewReader(file), today); ; {
		item, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		outcome, amount, err := statement.Classify(item, "", today)
		if err != nil || outcome != statement.Imported {
			return all, fmt.Errorf("line %d does not come in: %s %w", item.Line, outcome, err)
		}
		all.transactions = append(all.transactions,
			strings.Join([]string{amount.String(), item.Day.String(), item.FITID, item.Document, item.Description},
				"\t"))
		number := len(all.imported) + 1
		all.imported = append(all.imported, fmt.Sprintf("%s\t%s\t\tf\t1\t%s\t%s\t%d\t%d\t%s\t%d",
			item.Day, amount, item.FITID, item.Description, number, item.Line, item.Document, number))
	}
}

// copyRows is the floor of an import: a COPY of its rows in one transaction, with all indexes
// and constraints. With checked false it skips the foreign keys, to load data that is not
// measured.
func copyRows(ctx context.Context, i imports, account int64, all rows, checked bool) (took time.Duration, err error) {
	var statement int64
	err = i.db.QueryRowContext(ctx, `
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size)
		VALUES ($1, $2, gen_random_uuid(), 'extrato.ofx', 'application/octet-stream', 0) RETURNING id`, i.AccountID,
		account).Scan(&statement)
	if err != nil {
		return 0, err
	}
	owner := fmt.Sprintf("%d\t%d\t%d\t", i.AccountID, account, statement)
	role := "origin"
	if !checked {
		role = "replica"
	}
	steps := []struct {
		query string
		data  []string
	}{
		{`SET session_replication_role = ` + role, nil},
		{`BEGIN`, nil},
		{`COPY financial_transactions (account_id, deposit_account_id, bank_statement_id, currency_id,
			amount, occurred_at, guid, document, original_description) FROM STDIN`,
			chunks(owner+"1\t", all.transactions)},
		{`COPY imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, mark, card, ordinal,
			fitid, description,
			number, line, document, financial_transaction_id) FROM STDIN`, chunks(owner, all.imported)},
		{`COMMIT`, nil},
	}
	conn, err := i.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	began := time.Now()
	for _, step := range steps {
		err := conn.Raw(func(c any) error {
			if step.data != nil {
				return copyIn(c.(driver.ConnPrepareContext), step.query, step.data)
			}
			_, err := c.(driver.ExecerContext).ExecContext(ctx, step.query, nil)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// chunks joins rows into the blocks that the driver sends at once.
func chunks(start string, rows []string) (all []string) {
	var b strings.Builder
	for _, row := range rows {
		if b.Len() > 60<<10 {
			all = append(all, b.String())
			b.Reset()
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(start)
		b.WriteString(row)
	}
	return append(all, b.String())
}

// copyIn sends rows as they are. The driver's Exec would split and rejoin them, which is no part
// of a bare COPY.
func copyIn(c driver.ConnPrepareContext, query string, chunks []string) error {
	ctx := context.Background() // a cancellable context costs a goroutine per chunk
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, chunk := range chunks {
		_, err := stmt.(interface {
			CopyData(context.Context, string) (driver.Result, error)
		}).CopyData(ctx, chunk)
		if err != nil {
			return err
		}
	}
	//lint:ignore SA1019 only this Exec ends a COPY in this driver
	_, err = stmt.Exec(nil)
	return err
}
