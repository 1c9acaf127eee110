package cli

import (
	"context"
	"fmt"

	"bordero/storage/verify"
)

// verifyCommand checks every stored total and state against its source rows. The exit status is 1 for a
// difference, as for a failure.
type verifyCommand struct {
	JSON bool `help:"Print JSON, one line per difference."`
	dataFlag
}

func (v verifyCommand) Run(ctx context.Context) error {
	s, err := v.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	bar, checked := newProgress("verify"), 0
	found, err := verify.Run(ctx, s, func(check string) {
		bar.show(float64(checked)/float64(verify.Checks()), check)
		checked++
	})
	bar.clear()
	if err != nil {
		return err
	}
	err = listing[verify.Difference]{
		json: v.JSON, none: fmt.Sprintf("everything agrees: %d checks", verify.Checks()),
		columns: []string{"CHECK", "ACCOUNT", "RECORD", "EXPECTED", "FOUND"},
		row: func(d verify.Difference) []string {
			return []string{d.Check, fmt.Sprint(d.AccountID), d.Record, d.Expected, d.Found}
		},
	}.print(found)
	if err != nil || len(found) == 0 {
		return err
	}
	return fmt.Errorf("differences found: %d", len(found))
}
