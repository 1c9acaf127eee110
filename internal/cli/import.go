package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bordero/deploy/up"
	"bordero/finance"
	"bordero/internal/paths"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"
)

// importCommand uploads statements one after the other, through the public API. It is safe to
// run again: imported statements stay as they are.
type importCommand struct {
	Entity  int64    `required:"" placeholder:"ID" help:"Id of the entity."`
	Deposit int64    `name:"deposit-account" placeholder:"ID" help:"Id of its deposit account; required."`
	Files   []string `arg:"" name:"file" help:"The statements."`
	URL     string   `env:"BORDERO_URL" placeholder:"URL" help:"Address of the server."`
	Token   string   `env:"BORDERO_TOKEN" placeholder:"TOKEN" help:"Access token; safer in the environment."`
	Account int64    `placeholder:"ID" help:"Which of the token's accounts, if it has several."`
	Tenant  int64    `hidden:"" help:"The former name of --account."`
	Data    string   `placeholder:"DIR" help:"Use the URL and a token of the bordero up with this --data instead of those in the environment."`
	JSON    bool     `help:"Print JSON, one line per file."`
	Preview bool     `help:"Import nothing: print what would become of each item, then ask on a terminal whether to import the file."`
	Confirm bool     `help:"With --preview: import the files without asking."`
	Accept  []string `enum:"other_account,other_currency" placeholder:"CODE,…" help:"Import files of another bank account than the first one's (other_account), or in another currency (other_currency)."`
}

// The states of a file besides those of an import (finance.ImportSuccess, ImportError).
const (
	failed        = "failed"    // the server refused the file
	statusSkipped = "not tried" // the file would fail for the same reason as an earlier one
	statusUnknown = "unknown"   // the server accepted the file; the end of its import was not seen
)

// importedFile is the result of a file, as a line of JSON.
type importedFile struct {
	File        string `json:"file"`
	Status      string `json:"status"`
	StatementID int64  `json:"bank_statement_id,omitempty"`
	statementCounts
	Warnings finance.StatementWarnings `json:"warnings"`
	Output   string                    `json:"output"`
}

// statementCounts are the counters of a statement.
type statementCounts struct {
	Imported     int64 `json:"imported_items_count"`
	Duplicate    int64 `json:"duplicate_items_ignored_count"`
	Future       int64 `json:"future_items_ignored_count"`
	Zero         int64 `json:"amount_zero_items_ignored_count"`
	InvalidDate  int64 `json:"invalid_date_items_ignored_count"`
	Balance      int64 `json:"balance_items_ignored_count"`
	OtherAccount int64 `json:"other_account_items_ignored_count"`
}

func (c *importCommand) Run(ctx context.Context, line *kong.Context) error {
	if err := apart(line, "data", "url", "token"); err != nil {
		return err
	}
	if err := c.readOldNames(); err != nil {
		return err
	}
	if c.Data != "" {
		var err error
		if c.URL, c.Token, err = up.Credentials(c.Data); err != nil {
			return err
		}
	}
	if c.URL == "" || c.Token == "" {
		return errors.New("no server: set BORDERO_URL and BORDERO_TOKEN, or name the directory of a running bordero " +
			"up: --data .data")
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	u := &uploader{
		server: c.URL, url: c.URL + paths.BankStatements(c.Entity, c.Deposit), token: c.Token, account: c.Account,
		preview: c.Preview, accept: c.Accept,
		missing: fmt.Sprintf("there is no deposit account %d in entity %d, or the token does not see it", c.Deposit,
			c.Entity),
	}
	if c.Preview {
		return c.previewFiles(ctx, u)
	}
	if c.Confirm {
		return wrongUsage("--confirm needs --preview")
	}
	all := make([]importedFile, len(c.Files))
	report, end := c.reports()
	lost, stop := 0, false
	for i, name := range c.Files {
		if stop {
			all[i] = importedFile{File: name, Status: statusSkipped}
		} else {
			all[i], stop = u.importFile(ctx, name)
		}
		if all[i].Status != finance.ImportSuccess {
			lost++
		}
		if err := report(all[i]); err != nil {
			return err
		}
		c.remark(all[i])
	}
	if err := end(); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted; the server continues with the uploaded files, and running this again is safe")
	case lost > 0:
		return fmt.Errorf("not imported: %d of %d files", lost, len(all))
	}
	return nil
}

// readOldNames supports the command lines of earlier releases, which named the deposit account
// --account, and the account --tenant. Only the deposit account was required, so a line without
// --deposit-account is of an earlier release.
func (c *importCommand) readOldNames() error {
	switch {
	case c.Deposit == 0 && c.Account == 0:
		return wrongUsage("missing flags: --deposit-account=ID")
	case c.Deposit == 0:
		fmt.Fprintf(os.Stderr, "--account %d is read as the deposit account, its former meaning: say "+
			"--deposit-account %[1]d\n", c.Account)
		c.Deposit, c.Account = c.Account, c.Tenant
	case c.Account != 0 && c.Tenant != 0:
		return wrongUsage("--tenant is the former name of --account: give only one of them")
	case c.Tenant != 0:
		c.Account = c.Tenant
	}
	return nil
}

// reports returns the functions that print the result of a file and the end of the output.
func (c importCommand) reports() (report func(importedFile) error, end func() error) {
	if c.JSON {
		return func(f importedFile) error { return printJSON(f) }, func() error { return nil }
	}
	if isatty.IsTerminal(os.Stdout.Fd()) {
		var all []importedFile
		return func(f importedFile) error { all = append(all, f); return nil }, func() error { return printNarrow(all) }
	}
	t := newTable(append(append([]string{"FILE", "STATUS"}, counterNames...), "OUTPUT", "WARNINGS")...)
	return func(f importedFile) error {
		row := []string{f.File, f.Status}
		for _, n := range f.counters() {
			row = append(row, fmt.Sprint(n))
		}
		t.row(append(row, f.Output, strings.Join(f.codes(), ","))...)
		return t.err
	}, t.end
}

// counterNames are the columns of counters.
var counterNames = []string{"IMPORTED", "DUPLICATE", "FUTURE", "ZERO", "INVALID DATE", "BALANCE", "OTHER ACCOUNT"}

func (s statementCounts) counters() []int64 {
	return []int64{s.Imported, s.Duplicate, s.Future, s.Zero, s.InvalidDate, s.Balance, s.OtherAccount}
}

// printNarrow prints the results on a terminal, which may be narrow: a table of the counters that are not all zero,
// then the outputs.
func printNarrow(all []importedFile) error {
	shown := make([]bool, len(counterNames))
	shown[0] = true
	for _, f := range all {
		for i, n := range f.counters() {
			shown[i] = shown[i] || n > 0
		}
	}
	columns := []string{"FILE", "STATUS"}
	for i, name := range counterNames {
		if shown[i] {
			columns = append(columns, name)
		}
	}
	t := newTable(columns...)
	for _, f := range all {
		row := []string{f.File, f.Status}
		for i, n := range f.counters() {
			if shown[i] {
				row = append(row, fmt.Sprint(n))
			}
		}
		t.row(row...)
	}
	if err := t.end(); err != nil {
		return err
	}
	t.out = os.Stdout
	for _, f := range all {
		if f.Output != "" {
			t.row("")
			t.row(f.File + ": " + f.Output)
		}
	}
	return t.err
}

// codes returns the codes of the warnings.
func (f importedFile) codes() (codes []string) {
	for _, w := range f.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}

// remark writes to the standard error how to import a file that was refused for its account or currency.
func (c importCommand) remark(f importedFile) {
	if codes := f.Warnings.Unaccepted(c.Accept); f.Status == finance.ImportError && len(codes) > 0 {
		fmt.Fprintf(os.Stderr, "%s is refused (%s): if it belongs to this deposit account, import it with --accept "+
			"%[2]s\n", f.File, strings.Join(codes, ","))
	}
}

// importFile uploads one file and waits for the end of its import. stop reports whether the
// other files would fail for the same reason.
func (u *uploader) importFile(ctx context.Context, name string) (f importedFile, stop bool) {
	f = importedFile{File: name, Status: failed}
	file, err := openStatement(name)
	if err != nil {
		f.Output = err.Error()
		return f, false
	}
	defer file.Close()
	bar := newProgress(filepath.Base(name))
	defer bar.clear()
	s, err := u.upload(ctx, file, bar)
	if err != nil {
		f.Output = err.Error()
		return f, errors.As(err, new(fatalError)) || ctx.Err() != nil
	}
	stop = u.await(ctx, &f, s, bar)
	return f, stop
}

// await waits for the end of a statement's import or preview, and returns stop as importFile does.
func (u *uploader) await(ctx context.Context, f *importedFile, s uploaded, bar progress) (stop bool) {
	f.Status, f.StatementID = statusUnknown, s.ID
	for !s.ended() {
		bar.show(1, s.Event.Status)
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			f.Output = "interrupted"
			return true
		}
		var err error
		if s, err = u.statement(ctx, f.StatementID); err != nil {
			f.Output = err.Error()
			return errors.As(err, new(fatalError)) || ctx.Err() != nil
		}
	}
	f.Status, f.statementCounts, f.Warnings, f.Output = s.Event.Status, s.statementCounts, s.Event.Warnings,
		s.Event.Output
	return false
}

// pause waits for d; it returns an error if ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
