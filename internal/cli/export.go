package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"
)

// exportCommand writes a list, a total or a report of the API as CSV or XLSX. It reads through the public API, so that
// the rights of a token select the records.
type exportCommand struct {
	Path     string   `arg:"" help:"Path of a list, total or report, such as /entities/1/sales."`
	Search   []string `short:"s" sep:"none" placeholder:"FILTER=VALUE" help:"Only records that a filter of the list finds, as --search due_date_gte=2026-01-01; several filters are combined."`
	Output   string   `short:"o" type:"path" placeholder:"FILE" help:"Write to this file instead of the standard output, which is also -. The file appears once it is complete."`
	XLSX     bool     `name:"xlsx" help:"Write a workbook instead of CSV, as with an output or a path that ends with .xlsx."`
	Language string   `default:"en" placeholder:"LANGUAGE" help:"pt-BR for semicolons and decimal commas, as spreadsheets in Portuguese read."`
	serverFlags

	reached bool // the server has answered before, so an outage may be temporary
}

// Help shows examples.
func (exportCommand) Help() string {
	return `Examples:

  bordero export /entities/1/payable_accounts --search due_date_gte=2026-01-01 -o contas.csv --language pt-BR

  bordero export /entities/1/deposit_accounts/2/financial_transactions --data .data | head

  bordero export '/changes?after=0' -o changes.csv

  bordero export '/sales/totals?group_by=month' -o vendas.xlsx

A list of more than 100,000 records is refused: filter it. Changes beyond as many rows are asked for until all are
written.`
}

func (e *exportCommand) Run(ctx context.Context, line *kong.Context) error {
	if err := apart(line, "data", "url", "token"); err != nil {
		return err
	}
	if e.Output == "-" {
		e.Output = ""
	}
	if err := e.readData(); err != nil {
		return err
	}
	address, err := e.address()
	if err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	isWorkbook := strings.HasSuffix(address.Path, ".xlsx")
	if isWorkbook && e.Output == "" && isatty.IsTerminal(os.Stdout.Fd()) {
		return wrongUsage("a workbook is no text: name a file with --output")
	}
	err = e.export(ctx, address, isWorkbook)
	switch {
	case err != nil && ctx.Err() != nil && e.Output != "":
		return fmt.Errorf("interrupted; %s is unchanged", e.Output)
	case err != nil && ctx.Err() != nil:
		return errIncomplete
	}
	return err
}

// errIncomplete is the error of an export to the standard output that was interrupted.
var errIncomplete = errors.New("interrupted; the export is not complete")

// export writes the sheet at the address to the output.
func (e *exportCommand) export(ctx context.Context, address *url.URL, isWorkbook bool) error {
	answer, err := e.ask(ctx, address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	rows, _ := strconv.Atoi(answer.Header.Get("X-Total-Count"))
	if isWorkbook {
		rows = 0 // they are compressed, so that their lines are unknown
	}
	bar := newProgress(address.Path)
	bar.terminal = bar.terminal && e.Output != "" // the rows may go to the same terminal
	defer bar.clear()
	body := &countedRows{Reader: answer.Body, of: rows, bar: bar}
	write := func(w io.Writer) error { return e.writeRows(ctx, w, body, address, answer.Header) }
	if e.Output == "" {
		err = write(os.Stdout)
	} else {
		err = writeWhole(e.Output, write)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the server stopped before the end: the export is not complete; run it again")
	}
	return err
}

// nextSheet matches the link of a sheet of changes to the one that continues it.
var nextSheet = regexp.MustCompile(`<[^>?]*\?([^>]*)>; rel="next"`)

// writeRows writes the rows of a sheet, and of the sheets that continue it. header is the header of the first answer.
func (e *exportCommand) writeRows(ctx context.Context, w io.Writer, rows *countedRows, address *url.URL,
	header http.Header) error {
	for {
		if _, err := io.Copy(w, rows); err != nil {
			return err
		}
		next := nextSheet.FindStringSubmatch(header.Get("Link"))
		if next == nil {
			return nil
		}
		address.RawQuery = next[1] // the link names the public address, which may be another one
		answer, err := e.ask(ctx, address)
		if err != nil {
			return err
		}
		defer answer.Body.Close() // at its end already, unless it fails
		body := bufio.NewReader(answer.Body)
		if _, err := body.ReadString('\n'); err != nil { // the names of the columns
			return err
		}
		rows.Reader, header = body, answer.Header
	}
}

// address returns the URL of the sheet.
func (e *exportCommand) address() (*url.URL, error) {
	path, err := url.Parse(e.Path)
	if err != nil || path.Host != "" || strings.Trim(path.Path, "/") == "" {
		return nil, wrongUsage("%q is no path of a list, such as /entities/1/sales", e.Path)
	}
	query, err := url.ParseQuery(path.RawQuery)
	if err != nil || path.Fragment != "" { // a part of a filter would be left out
		return nil, wrongUsage("the query of %q cannot be read: give filters as --search name=value", e.Path)
	}
	for _, filter := range e.Search {
		name, value, found := strings.Cut(filter, "=")
		if !found || name == "" {
			return nil, wrongUsage("--search: %q is not FILTER=VALUE", filter)
		}
		query.Add("search["+name+"]", value) // the API refuses a filter with two values
	}
	address, err := url.Parse(strings.TrimRight(e.URL, "/"))
	if err != nil {
		return nil, fmt.Errorf("the address of the server: %w", err)
	}
	suffix := ".csv"
	list, isWorkbook := strings.CutSuffix(strings.TrimSuffix(strings.Trim(path.Path, "/"), suffix), ".xlsx")
	if isWorkbook || e.XLSX || strings.EqualFold(filepath.Ext(e.Output), ".xlsx") {
		suffix = ".xlsx"
	}
	address.Path += "/" + list + suffix
	address.RawQuery = query.Encode()
	return address, nil
}

// ask requests the sheet, again while the server is busy or, once it has answered, unreachable, and returns the answer
// with its body.
func (e *exportCommand) ask(ctx context.Context, address *url.URL) (*http.Response, error) {
	for begun := time.Now(); ; {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return nil, err
		}
		e.authorize(r)
		r.Header.Set("Accept-Language", e.Language)
		answer, err := httpClient.Do(r)
		e.reached = e.reached || err == nil
		wait := time.Second
		switch {
		case err != nil:
			err = unanswered("bordero API", e.URL, err)
		case answer.StatusCode == http.StatusOK:
			return answer, nil
		default:
			wait, err = e.refused(answer)
		}
		if !e.reached || wait == 0 || time.Since(begun)+wait > patience {
			return nil, err
		}
		if pause(ctx, wait) != nil {
			return nil, errors.New("interrupted")
		}
	}
}

// refused returns the error of an answer without a sheet, and how long the server asks to wait; 0 if it does not.
func (e *exportCommand) refused(answer *http.Response) (wait time.Duration, err error) {
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return 0, err
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second, cmp.Or(e.refusal(response{answer.StatusCode, answer.Header, body}),
		errors.New(cmp.Or(errorText(body), "the server answers "+answer.Status)))
}

// writeWhole writes a file that appears once it is complete. A present one keeps its mode, and links to it stay. A
// device or a pipe, such as /dev/null, is not replaced.
func writeWhole(name string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o600)
	if present, err := os.Stat(name); err == nil {
		if !present.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		}
		mode = present.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // unless it was renamed
	if err := errors.Join(write(f), f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// countedRows shows the progress of the rows that are read.
type countedRows struct {
	io.Reader
	read, of int // lines; a row may have several. of is 0 if unknown
	bar      progress
}

func (r *countedRows) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += bytes.Count(p[:n], []byte("\r\n"))
	if r.of > 0 {
		r.bar.show(min(float64(r.read)/float64(r.of), 1), fmt.Sprintf("%d rows", min(r.read, r.of)))
	}
	return n, err
}
