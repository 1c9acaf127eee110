package main

import (
	"context"
	"fmt"

	"bordero/migrations"
)

// migrateCommand applies missing migrations. Processes never do on their own.
type migrateCommand struct {
	dataFlag
}

func (m migrateCommand) Run(ctx context.Context) error {
	c, err := m.config("DATABASE_URL")
	if err != nil {
		return err
	}
	n, err := migrations.Up(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	fmt.Printf("%d migrations applied; the schema is at %d\n", n, migrations.Latest())
	return nil
}
