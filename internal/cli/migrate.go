package cli

import (
	"context"
	"fmt"
	"time"

	"bordero/migrations"
)

// migrateCommand is about the schema. The processes never change it themselves.
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
	n, err := migrations.UpFor(ctx, c.DatabaseURL, c.OwnerDatabaseURL)
	if err != nil {
		return err
	}
	fmt.Printf("%d migrations applied; the schema is at %d\n", n, migrations.Latest())
	return nil
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
	table, missing := [][]string{{"MIGRATION", "APPLIED"}}, 0
	for _, one := range all {
		applied := "missing"
		if one.AppliedAt != nil {
			applied = one.AppliedAt.Format(time.RFC3339)
		} else {
			missing++
		}
		table = append(table, []string{one.Name, applied})
		if m.JSON {
			if err := printJSON(one); err != nil {
				return err
			}
		}
	}
	if !m.JSON {
		if err := printTable(table); err != nil {
			return err
		}
	}
	if missing > 0 {
		return fmt.Errorf("the schema is at %d of %d, and %d migrations are missing; run bordero migrate", current, migrations.Latest(), missing)
	}
	if current > migrations.Latest() && !m.JSON {
		fmt.Printf("the schema is at %d, of a later release than this one (%d), and serves both\n", current, migrations.Latest())
	}
	return nil
}
