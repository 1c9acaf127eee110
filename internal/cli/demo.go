package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"bordero/finance"
	books "bordero/finance/demo"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/members"

	"github.com/alecthomas/kong"
)

// demoCommand fills an account with the books of a made-up company. Each run adds one entity,
// completely or not at all.
type demoCommand struct {
	Sales        int    `default:"10000" placeholder:"N" help:"How many sales (default 10,000)."`
	Transactions int    `default:"10000" placeholder:"N" help:"How many transactions (default 10,000)."`
	Account      int64  `placeholder:"ID" help:"The account; required if there are several."`
	Seed         uint64 `default:"1" placeholder:"S" help:"Seed of the random data; on one day, or of one month, the same seed gives the same data (default 1)."`
	Month        string `placeholder:"YYYY-MM" help:"Instead, one open month: bank lines, and accounts that they paid or did not."`
	Truth        string `placeholder:"FILE" help:"With --month: write here, as JSON, what each bank line really is."`
	JSON         bool   `help:"Print JSON."`
	dataFlag
}

// Help implements kong.HelpProvider.
func (demoCommand) Help() string {
	return "Until it ends, after minutes with millions of rows, requests that change the account's entities, " +
		"members, tokens or categories, or add a webhook, get 503 after 10 s. Commands for members, quotas and the " +
		"deletion of the account wait; bordero token revoke does not."
}

// filledDemo reports the records that a run created, and how long the run took.
type filledDemo struct {
	demo.Filled
	Seconds    float64 `json:"seconds"`
	RowsPerSec float64 `json:"rows_per_second"`
}

// maxDemo limits the sales, and the transactions, of one run.
const maxDemo = 10_000_000

func (d demoCommand) Run(ctx context.Context, line *kong.Context) error {
	if err := apart(line, "month", "sales", "transactions"); err != nil {
		return err
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"--sales", d.Sales}, {"--transactions", d.Transactions}} {
		if n.value < 0 || n.value > maxDemo {
			return wrongUsage("%s: %d is not between 0 and %d", n.flag, n.value, maxDemo)
		}
	}
	var month finance.Month
	if err := month.UnmarshalText([]byte(d.Month)); d.Month != "" &&
		(err != nil || d.Month < "2000" || d.Month > "2100") {
		return wrongUsage("--month: %q is not a month from 2000-01 to 2099-12, as YYYY-MM", d.Month)
	}
	if d.Truth != "" && d.Month == "" {
		return wrongUsage("--truth: only a --month has one")
	}
	c, err := d.config("DATABASE_URL")
	if err != nil {
		return err
	}
	s, err := d.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if d.Account == 0 {
		d.Account, err = s.OnlyAccount(ctx)
		if errors.Is(err, storage.ErrWhichAccount) {
			return errors.New("no account, or several: bordero account list shows them; choose one with --account " +
				"ID, or create one with bordero account create")
		}
		if err != nil {
			return err
		}
	}
	switch going, err := members.BeingDeleted(ctx, s.Queries, d.Account); {
	case err != nil:
		return err
	case going:
		return noOpenAccount(d.Account)
	}
	bar := newProgress("demo")
	step := func(what string, stored, of int) {
		line := fmt.Sprintf("%s: %d of %d", what, stored, of)
		bar.show(float64(stored)/float64(of), line)
		if !bar.terminal {
			fmt.Fprintln(os.Stderr, line)
		}
	}
	began := time.Now()
	filled, err := d.fill(ctx, s, demo.Options{
		AccountID: d.Account, Sales: d.Sales, Transactions: d.Transactions, Seed: d.Seed,
		Today: finance.DateOf(time.Now().In(c.Timezone)),
	}, month, step)
	bar.clear()
	if errors.Is(err, storage.ErrNotFound) {
		return noOpenAccount(d.Account)
	}
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	return d.print(filledDemo{filled, took, float64(filled.Rows) / took})
}

// fill adds the books of a company, or of one month. For a month it also writes the truth file.
func (d demoCommand) fill(ctx context.Context, s *storage.Store, o demo.Options, month finance.Month,
	step func(string, int, int)) (demo.Filled, error) {
	switch {
	case d.Month == "":
		return demo.Fill(ctx, s, o, step)
	case d.Truth == "":
		filled, _, err := demo.FillMonth(ctx, s, o, month, step)
		return filled, err
	}
	var filled demo.Filled
	var failed error
	err := writeWhole(d.Truth, func(w io.Writer) error { // which opens a file before anything is stored
		var truth books.Truth
		if filled, truth, failed = demo.FillMonth(ctx, s, o, month, step); failed != nil {
			return failed
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "\t")
		return encoder.Encode(truth)
	})
	switch {
	case failed != nil:
		return filled, failed
	case err != nil && filled.EntityID == 0:
		return filled, fmt.Errorf("--truth: %w", err)
	}
	return filled, lost(err, "entity %d exists", filled.EntityID)
}

func (d demoCommand) print(f filledDemo) error {
	if d.JSON {
		return printJSON(f)
	}
	fmt.Printf("account %d has entity %d: %d transactions, %d sales, %d payable and receivable accounts, %d "+
		"reconciles, %d people\n",
		f.AccountID, f.EntityID, f.FinancialTransactions, f.Sales, f.FinancialAccounts, f.Reconciles, f.People)
	fmt.Printf("%d rows in %.1f s, %.0f rows/s\n", f.Rows, f.Seconds, f.RowsPerSec)
	return nil
}
