package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/finance/statement/statementtest"
)

// formats are the formats of statements, with the least items per second of each.
var formats = []struct {
	name  string
	write statementtest.Write
	least float64
}{
	{"OFX", statementtest.WriteOFX, 400_000}, {"OFC", statementtest.WriteOFC, 200_000},
	{"QIF", statementtest.WriteQIF, 200_000}, {"CSV", statementtest.WriteCSV, 400_000},
	{"JSON", statementtest.WriteJSON, 300_000},
	{"CNAB 240", statementtest.WriteCNAB240, 600_000},
}

// measureParse compares the reader with the least items per second, on one core. The sample is that of
// the format with the worst ratio, as if the floor of each were that of OFX. It counts this process's CPU
// time, so other programs do not count, but the garbage collector does.
func measureParse(_ context.Context, h *harness) (ours, floor figure) {
	before := runtime.GOMAXPROCS(1)
	h.atEnd(func() { runtime.GOMAXPROCS(before) })
	files := make([][]byte, len(formats))
	for i, f := range formats {
		files[i] = statementtest.Bytes(f.write, h.items)
	}
	return func(_ context.Context, d time.Duration) sample {
		worst := math.Inf(1) // ratio
		for i, f := range formats {
			began, read := ownTime(), 0
			for read == 0 || ownTime()-began < d/time.Duration(len(formats)) {
				parse(bytes.NewReader(files[i]), h.items)
				read += h.items
			}
			rate := float64(read) / (ownTime() - began).Seconds()
			progress("%s: %s: %s items/s", h.measured, f.name, number(rate))
			worst = min(worst, rate/f.least)
		}
		return sample{value: worst * formats[0].least}
	}, func(context.Context, time.Duration) sample { return sample{value: formats[0].least} }
}

// parse reads a statement as the worker does, up to the values that are stored of each item.
func parse(file io.ReadSeeker, n int) {
	today := finance.DateOf(time.Now())
	r := statement.NewReader(file, today)
	for read := 0; ; read++ {
		item, err := r.Next()
		if err == io.EOF && read == n {
			return
		}
		check(err)
		_, _, err = statement.Classify(item, "", today)
		check(err)
	}
}

// ownTime returns the user and system time of this process.
func ownTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // never fails
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measureImport compares an upload and its import with a bare COPY of the rows that it stored, from files
// beside PostgreSQL's, in one transaction, with all indexes and constraints.
func measureImport(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api", "work statements", "scheduler")
	file := statementtest.OFX(h.items)
	statement := s.importFile(ctx, s.newDepositAccount(ctx), file, h.items)
	tables := map[string]string{} // the file of each
	for _, table := range []string{"financial_transactions", "imported_items"} {
		tables[table] = "'" + filepath.Join(one[string](ctx, s.db, `SHOW data_directory`), table+".copy") + "'"
		s.exec(ctx, fmt.Sprintf(`COPY (SELECT * FROM %s WHERE bank_statement_id = %d) TO %s`, table, statement,
			tables[table]))
	}
	return repeated(h.items, func(ctx context.Context) time.Duration {
			account := s.newDepositAccount(ctx)
			return timed(func() { s.importFile(ctx, account, file, h.items) })
		}), repeated(h.items, func(ctx context.Context) time.Duration {
			for table := range tables {
				s.exec(ctx, `DELETE FROM `+table+` WHERE bank_statement_id = $1`, statement)
				s.vacuum(ctx, table)
			}
			return timed(func() { s.copyBack(ctx, tables) })
		})
}

// measureKnown measures the upload and import of JSON whose items are all known already, to an account with as many:
// beside the import of new ones, each item is compared by its id, and nothing is stored but ignored items.
func measureKnown(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api", "work statements", "scheduler")
	file := statementtest.Bytes(statementtest.WriteJSON, h.items)
	account := s.newDepositAccount(ctx)
	s.importFile(ctx, account, file, h.items)
	return func(ctx context.Context, _ time.Duration) sample {
		took := timed(func() { s.importFile(ctx, account, file, 0) })
		return sample{value: float64(took.Milliseconds())}
	}, nil
}

func (s *service) copyBack(ctx context.Context, tables map[string]string) {
	inTx(ctx, s.db, func(tx *sql.Tx) {
		for table, file := range tables {
			done := must(tx.ExecContext(ctx, `COPY `+table+` FROM `+file))
			if n := must(done.RowsAffected()); n != int64(s.items) {
				check(fmt.Errorf("the COPY stored %d rows of %d in %s", n, s.items, table))
			}
		}
	})
}

// importFile uploads the file into the deposit account, waits for its import and checks how many items were
// new. It returns the id of the bank statement.
func (s *service) importFile(ctx context.Context, account int64, file []byte, fresh int) int64 {
	var shown struct {
		Statement struct {
			ID    int64
			New   int `json:"imported_items_count"`
			Event struct{ Status, Output string }
		} `json:"bank_statement"`
	}
	path := s.path("/deposit_accounts/%d/bank_statements", account)
	check(json.Unmarshal(must(answer(s.upload(ctx, s.addr, path, file))), &shown))
	until(ctx, 20*time.Millisecond, func() bool {
		s.ask(ctx, http.MethodGet, fmt.Sprint(path, "/", shown.Statement.ID), "", &shown)
		if shown.Statement.Event.Status == "error" {
			check(fmt.Errorf("import: %s", shown.Statement.Event.Output))
		}
		return shown.Statement.Event.Status == "success"
	})
	if shown.Statement.New != fresh {
		check(fmt.Errorf("%d new items, not %d", shown.Statement.New, fresh))
	}
	return shown.Statement.ID
}

// upload returns the request that uploads a statement.
func (t tenant) upload(ctx context.Context, addr, path string, file []byte) *http.Request {
	var b strings.Builder
	form := multipart.NewWriter(&b)
	part, _ := form.CreateFormFile("bank_statement[file]", "extrato.ofx") // a Builder accepts all writes
	_, _ = part.Write(file)
	_ = form.Close()
	req := t.request(ctx, addr, http.MethodPost, path, b.String())
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req
}
