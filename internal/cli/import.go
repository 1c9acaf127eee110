package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/paths"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"
)

// importCommand uploads statements one after the other, through the public API. It is safe to
// run again: imported statements stay as they are.
type importCommand struct {
	Entity  int64    `required:"" placeholder:"ID" help:"Id of the entity."`
	Deposit *int64   `name:"deposit-account" placeholder:"ID" help:"Id of its deposit account. Without it, or with 0, the account numbers in a file choose among the deposit accounts with an account_number. Files with --account need it."`
	Files   []string `arg:"" name:"file" help:"The statements, or folders of them."`
	serverFlags
	Tenant  int64          `hidden:"" help:"The former name of --account."`
	JSON    bool           `help:"Print JSON, one line per file and account."`
	Preview bool           `help:"Import nothing: print what would become of each item, then ask on a terminal whether to import the file."`
	Confirm bool           `help:"With --preview: import the files without asking."`
	Timeout *time.Duration `placeholder:"DURATION" help:"Wait at most this long for the end of each import, such as 10m; then the command fails and tries no further file, and the server goes on with the statement. Without it there is no end, because an import waits for its turn."`
	Accept  []string       `enum:"other_account,other_currency" placeholder:"CODE,…" help:"Import files of another bank account than the first one's (other_account), or in another currency (other_currency)."`
}

// The states of a file besides those of an import (finance.ImportSuccess, ImportError).
const (
	failed        = "failed"    // the server refused the file
	statusUntried = "not tried" // the file would fail for the same reason as an earlier one
	statusSkipped = "skipped"   // the file, in a folder, is no statement by its name and its content
	statusUnknown = "unknown"   // the server accepted the file; the end of its import was not seen
)

// sentBefore explains the counters of a file that is sent again within a day.
const sentBefore = "sent before: these are the results of the first time."

// importedFile is the result of a file, as a line of JSON. A file of several accounts has a result of each.
type importedFile struct {
	File             string `json:"file"`
	Status           string `json:"status"`
	StatementID      int64  `json:"bank_statement_id,omitempty"`
	DepositAccountID int64  `json:"deposit_account_id,omitempty"`
	Account          string `json:"file_account_number,omitempty"`
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
	Pending      int64 `json:"pending_items_ignored_count"`
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
	if c.Confirm && !c.Preview {
		return wrongUsage("--confirm needs --preview")
	}
	if c.Timeout != nil && *c.Timeout <= 0 {
		return wrongUsage("--timeout must be positive; without it there is no end")
	}
	if err := c.readData(); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	u := c.uploader()
	files := listed(c.Files)
	if !slices.ContainsFunc(files, func(f importedFile) bool { return f.Status == "" }) {
		return fmt.Errorf("no statements: no name ends in %s, and no file has the content of one",
			strings.Join(statementEndings, ", "))
	}
	if !c.JSON {
		printSkipped(files)
	}
	if c.Preview {
		return c.previewFiles(ctx, u, files)
	}
	report, end := c.reports()
	lost, tried, stop := 0, 0, false
	for i, f := range files {
		u.place(i, len(files))
		results := []importedFile{f}
		switch {
		case f.Status != "":
		case stop:
			results[0].Status = statusUntried
		default:
			results, stop = u.importFile(ctx, f.File)
		}
		if f.Status != statusSkipped {
			tried++
		}
		if slices.ContainsFunc(results, importedFile.lost) {
			lost++
		}
		for _, result := range results {
			if err := report(result); err != nil {
				return err
			}
			c.progress(u, result)
			c.remark(result)
		}
	}
	if err := end(); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted; the server continues with the uploaded files, and running this again is safe")
	case lost > 0:
		return fmt.Errorf("not imported: %d of %d files", lost, tried)
	}
	return nil
}

// lost reports whether the import of the file failed.
func (f importedFile) lost() bool {
	return f.Status != finance.ImportSuccess && f.Status != finance.ImportPreviewed && f.Status != statusSkipped
}

// uploader returns the client for the deposit account, or for the deposit accounts that the files name.
func (c *importCommand) uploader() *uploader {
	deposit := finance.OrZero(c.Deposit)
	u := &uploader{
		server: c.serverFlags, preview: c.Preview, accept: c.Accept,
		timeout: finance.OrZero(c.Timeout), pause: pause, remarks: os.Stderr,
		url: c.URL + paths.BankStatements(c.Entity, deposit),
		missing: fmt.Sprintf("there is no deposit account %d in entity %d, or the token does not see it", deposit,
			c.Entity),
	}
	if deposit == 0 {
		u.entity, u.url = c.Entity, c.URL+paths.RoutedStatements(c.Entity)
		u.missing = fmt.Sprintf("there is no entity %d, or the token does not see it", c.Entity)
	}
	return u
}

// progress writes a line about a file to the standard error, if that is no terminal, where the line is updated in
// place. A single file needs none, and lines of JSON are progress themselves.
func (c *importCommand) progress(u *uploader, f importedFile) {
	if u.label == "" || c.JSON || f.Status == statusSkipped || isatty.IsTerminal(os.Stderr.Fd()) {
		return
	}
	line := fmt.Sprintf("%s%s: %s", u.label, filepath.Base(f.File), f.Status)
	if f.Status == finance.ImportSuccess {
		line += fmt.Sprintf(", %d new, %d already known", f.Imported, f.Duplicate)
	}
	fmt.Fprintln(os.Stderr, line)
}

// readOldNames reads --tenant, which --account was named in 0.1.0. There --account was the deposit account, which was
// required, and folders were not possible: a line of files with --account and without --deposit-account may be an old
// one, and is refused, because its statements could get into another deposit account.
func (c *importCommand) readOldNames() error {
	switch {
	case c.Account != 0 && c.Deposit == nil && !hasFolder(c.Files):
		return wrongUsage("--account %d was the deposit account once: for that, say --deposit-account %[1]d; for "+
			"account %[1]d of the token, and the deposit accounts that the files name, say --deposit-account 0 "+
			"--account %[1]d", c.Account)
	case c.Account != 0 && c.Tenant != 0:
		return wrongUsage("--tenant is the former name of --account: give only one of them")
	case c.Tenant != 0:
		c.Account = c.Tenant
	}
	return nil
}

// reports returns the functions that take the result of a file and print the end of the output. Only lines of JSON
// are printed at once.
func (c importCommand) reports() (report func(importedFile) error, end func() error) {
	if c.JSON {
		return func(f importedFile) error { return printJSON(f) }, func() error { return nil }
	}
	var all []importedFile
	report = func(f importedFile) error { all = append(all, f); return nil }
	if isatty.IsTerminal(os.Stdout.Fd()) {
		return report, func() error { return printNarrow(all) }
	}
	return report, func() error { return printWide(all) }
}

// printWide prints the results for programs.
func printWide(all []importedFile) error {
	t := newTable("FILE", "STATUS", "IMPORTED", "DUPLICATE", "FUTURE", "ZERO", "INVALID DATE", "BALANCE",
		"OTHER ACCOUNT", "OUTPUT", "WARNINGS", "ACCOUNT", "PENDING")
	for _, f := range all {
		row := []string{f.File, f.Status}
		for _, n := range f.counters() {
			row = append(row, fmt.Sprint(n))
		}
		t.row(append(row, f.Output, strings.Join(f.codes(), ","), f.Account, fmt.Sprint(f.Pending))...)
	}
	return t.end()
}

func (s statementCounts) counters() []int64 {
	return []int64{s.Imported, s.Duplicate, s.Future, s.Zero, s.InvalidDate, s.Balance, s.OtherAccount}
}

// items returns the number of items of the statement's account: each item is in one counter.
func (s statementCounts) items() (n int64) {
	for _, counter := range s.counters() {
		n += counter
	}
	return n + s.Pending - s.OtherAccount
}

// narrow is the number of columns of a narrow terminal, mostNumber of the account numbers on it.
const narrow, mostNumber = 80, 20

// printNarrow prints the results on a terminal of 80 columns: a table, then the outputs. Skipped files are not there:
// they were named before.
func printNarrow(all []importedFile) error {
	all = slices.DeleteFunc(all, func(f importedFile) bool { return f.Status == statusSkipped })
	rows := make([][]string, len(all))
	room := narrow
	widths := []int{0, len("ACCOUNT"), len("ITEMS"), len("NEW"), len("KNOWN"), len("STATUS")}
	for i, f := range all {
		rows[i] = []string{"", fitted(f.Account, mostNumber), fmt.Sprint(f.items()), fmt.Sprint(f.Imported),
			fmt.Sprint(f.Duplicate), f.Status}
		for k, cell := range rows[i] {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	for _, width := range widths[1:] {
		room -= 2 + width
	}
	t := newTable("FILE", "ACCOUNT", "ITEMS", "NEW", "KNOWN", "STATUS")
	for i, f := range all {
		t.row(append([]string{fitted(f.File, room)}, rows[i][1:]...)...)
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

// fitted returns the end of a text that is longer than most characters.
func fitted(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return "…" + string(runes[len(runes)-most+1:])
	}
	return text
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

// importFile uploads one file and waits for the end of its imports, one of each account of a routed file. stop reports
// whether the other files would fail for the same reason.
func (u *uploader) importFile(ctx context.Context, name string) (results []importedFile, stop bool) {
	f := importedFile{File: name, Status: failed}
	file, err := openStatement(name)
	if err != nil {
		f.Output = err.Error()
		return []importedFile{f}, false
	}
	defer file.Close()
	bar := u.newProgress(name)
	defer bar.clear()
	statements, err := u.upload(ctx, file, bar)
	if err != nil {
		f.Output = err.Error()
		return []importedFile{f}, errors.As(err, new(fatalError)) || ctx.Err() != nil
	}
	for _, s := range statements {
		f := importedFile{File: name}
		stop = u.await(ctx, &f, s, bar) || stop
		results = append(results, f)
	}
	return results, stop
}

// The pauses between looks at a statement grow from firstPause to longestPause; after remarkAfter, await says once that
// it waits.
const firstPause, longestPause, remarkAfter = 200 * time.Millisecond, 2 * time.Second, 10 * time.Second

// await waits for the end of a statement's import or preview, and returns stop as importFile does. After the timeout it
// stops: other files would wait as long if no worker runs.
func (u *uploader) await(ctx context.Context, f *importedFile, s uploaded, bar progress) (stop bool) {
	f.Status, f.StatementID, f.DepositAccountID = statusUnknown, s.ID, s.DepositAccountID
	before := s.before
	waited, remarked := time.Duration(0), false
	for next := firstPause; !s.ended(); next = min(next*5/4, longestPause) {
		if u.timeout > 0 && waited >= u.timeout {
			f.Output = fmt.Sprintf("bank statement %d is still %s after %v: look at it later, at %s", s.ID,
				s.Event.Status, u.timeout, u.address(s.DepositAccountID, s.ID))
			return true
		}
		if waited >= remarkAfter && !remarked {
			remarked = true
			bar.clear()
			fmt.Fprintf(u.remarks, "waiting: bank statement %d is still %s; is `work statements` running?\n", s.ID,
				s.Event.Status)
		}
		bar.show(1, s.Event.Status)
		if u.timeout > 0 {
			next = min(next, u.timeout-waited)
		}
		waited += next
		if err := u.pause(ctx, next); err != nil {
			f.Output = "interrupted"
			return true
		}
		var err error
		if s, err = u.statement(ctx, s); err != nil {
			f.Output = err.Error()
			return errors.As(err, new(fatalError)) || ctx.Err() != nil
		}
	}
	f.Status, f.statementCounts, f.Warnings, f.Output, f.Account = s.Event.Status, s.statementCounts, s.Event.Warnings,
		s.Event.Output, s.FileAccountNumber
	if before {
		f.Output = strings.TrimSpace(sentBefore + " " + f.Output)
	}
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
