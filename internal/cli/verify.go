package cli

import (
	"context"
	"fmt"
	"os"

	"bordero/storage"

	"github.com/mattn/go-isatty"
)

// verifyCommand checks every stored total and state against the rows it is derived from. The
// exit status is 1 for a difference, as for a failure.
type verifyCommand struct {
	JSON bool `help:"Print JSON, one line per difference."`
	dataFlag
}

func (v verifyCommand) Run(ctx context.Context) error {
	s, err := v.store()
	if err != nil {
		return err
	}
	defer s.Close()
	bar, checked := newProgress("verify"), 0
	found, err := s.Verify(ctx, func(check string) {
		bar.show(float64(checked)/float64(storage.Checks()), check)
		checked++
	})
	bar.clear()
	if err != nil {
		return err
	}
	if err := v.print(found); err != nil || len(found) == 0 {
		return err
	}
	return fmt.Errorf("differences found: %d", len(found))
}

func (v verifyCommand) print(found []storage.Difference) error {
	rows := [][]string{{"CHECK", "ACCOUNT", "RECORD", "EXPECTED", "FOUND"}}
	for _, d := range found {
		if v.JSON {
			if err := printJSON(d); err != nil {
				return err
			}
		}
		rows = append(rows, []string{d.Check, fmt.Sprint(d.AccountID), d.Record, d.Expected, d.Found})
	}
	switch {
	case v.JSON:
		return nil
	case len(found) > 0:
		return printTable(rows)
	case isatty.IsTerminal(os.Stdout.Fd()):
		fmt.Printf("everything agrees: %d checks\n", storage.Checks())
	}
	return nil
}
