package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"bordero/migrations"
)

// migrateCommand has the commands of the schema. No other process changes the schema.
type migrateCommand struct {
	Up     migrateUpCommand     `cmd:"" default:"withargs" help:"Update the database schema."`
	Status migrateStatusCommand `cmd:"" help:"Show which migrations are applied. Exits with 1 if one is missing."`
}

// migrateUpCommand applies missing migrations.
type migrateUpCommand struct {
	dataFlag
}

func (m migrateUpCommand) Run(ctx context.Context) error {
	c, err := m.config("DATABASE_URL")
	if err != nil {
		return err
	}
	if _, err := refusePooler(ctx, "DATABASE_URL", c.DatabaseURL); err != nil {
		return err
	}
	if c.OwnerDatabaseURL != "" {
		if _, err := refusePooler(ctx, "BORDERO_OWNER_DATABASE_URL", c.OwnerDatabaseURL); err != nil {
			return err
		}
	}
	n, err := migrations.UpFor(ctx, c.DatabaseURL, c.OwnerDatabaseURL)
	if err != nil {
		return err
	}
	_, current, err := migrations.Status(ctx, cmp.Or(c.OwnerDatabaseURL, c.DatabaseURL))
	if err != nil {
		return err
	}
	fmt.Printf("%d migrations applied; the schema is at %d\n", n, current)
	remarkLater(current)
	return nil
}

// remarkLater warns on the standard error if the schema is of a later release than this binary.
func remarkLater(current int64) {
	if current > migrations.Latest() {
		fmt.Fprintf(os.Stderr, "the schema is at %d, of a later release than this one (%d), and serves both\n", current,
			migrations.Latest())
	}
}

// migrateStatusCommand lists the migrations and changes nothing.
type migrateStatusCommand struct {
	JSON bool `help:"Print JSON, one line per migration."`
	dataFlag
}

func (m migrateStatusCommand) Run(ctx context.Context) error {
	c, err := m.config("DATABASE_URL")
	if err != nil {
		return err
	}
	all, current, err := migrations.Status(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	err = listing[migrations.Migration]{
		json: m.JSON, columns: []string{"MIGRATION", "APPLIED"},
		row: func(one migrations.Migration) []string {
			if one.AppliedAt == nil {
				return []string{one.Name, "missing"}
			}
			return []string{one.Name, one.AppliedAt.Format(time.RFC3339)}
		},
	}.print(all)
	if err != nil {
		return err
	}
	missing := 0
	for _, one := range all {
		if one.AppliedAt == nil {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("the schema is at %d of %d, and %d migrations are missing; run bordero migrate", current,
			migrations.Latest(), missing)
	}
	if !m.JSON {
		remarkLater(current)
	}
	return nil
}
