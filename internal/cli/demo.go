package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/demo"
)

// demoCommand fills an account with the books of a made-up company. Each run adds one entity,
// completely or not at all.
type demoCommand struct {
	Sales        int    `default:"10000" placeholder:"N" help:"How many sales (default 10,000)."`
	Transactions int    `default:"10000" placeholder:"N" help:"How many transactions (default 10,000)."`
	Account      int64  `placeholder:"ID" help:"The account; required if there are several."`
	Seed         uint64 `default:"1" placeholder:"S" help:"Seed of the random data; on one day, the same seed gives the same data (default 1)."`
	JSON         bool   `help:"Print JSON."`
	dataFlag
}

// filledDemo reports what a run created, and how quickly.
type filledDemo struct {
	demo.Filled
	Seconds    float64 `json:"seconds"`
	RowsPerSec float64 `json:"rows_per_second"`
}

// maxDemo limits the sales, and the transactions, of one run.
const maxDemo = 10_000_000

func (d demoCommand) Run(ctx context.Context) error {
	for _, n := range []struct {
		flag  string
		value int
	}{{"--sales", d.Sales}, {"--transactions", d.Transactions}} {
		if n.value < 0 || n.value > maxDemo {
			return wrongUsage("%s: %d is not between 0 and %d", n.flag, n.value, maxDemo)
		}
	}
	c, err := d.config("DATABASE_URL")
	if err != nil {
		return err
	}
	s, err := d.store()
	if err != nil {
		return err
	}
	defer s.Close()
	if d.Account == 0 {
		d.Account, err = s.OnlyAccount(ctx)
		if errors.Is(err, storage.ErrWhichAccount) {
			return errors.New("no account, or several: bordero account list shows them; choose one with --account ID, or create one with bordero account create")
		}
		if err != nil {
			return err
		}
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
	filled, err := demo.Fill(ctx, s, demo.Options{
		AccountID: d.Account, Sales: d.Sales, Transactions: d.Transactions, Seed: d.Seed, Today: finance.DateOf(time.Now().In(c.Timezone)),
	}, step)
	bar.clear()
	if errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("--account: there is no account %d", d.Account)
	}
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	return d.print(filledDemo{filled, took, float64(filled.Rows) / took})
}

func (d demoCommand) print(f filledDemo) error {
	if d.JSON {
		return printJSON(f)
	}
	fmt.Printf("account %d has entity %d: %d transactions, %d sales, %d payable and receivable accounts, %d reconciles, %d people\n",
		f.AccountID, f.EntityID, f.FinancialTransactions, f.Sales, f.FinancialAccounts, f.Reconciles, f.People)
	fmt.Printf("%d rows in %.1f s, %.0f rows/s\n", f.Rows, f.Seconds, f.RowsPerSec)
	return nil
}
