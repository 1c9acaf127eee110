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
	step, done := progress(storage.Checks())
	found, err := s.Verify(ctx, step)
	done()
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

// progress shows on a terminal, on one line, which of n steps is running. done clears the line.
func progress(n int) (step func(string), done func()) {
	if !isatty.IsTerminal(os.Stderr.Fd()) {
		return func(string) {}, func() {}
	}
	const again = "\r\x1b[K" // clears the line
	i := 0
	step = func(name string) {
		i++
		fmt.Fprintf(os.Stderr, again+"%d of %d: %s…", i, n, name)
	}
	return step, func() { fmt.Fprint(os.Stderr, again) }
}
