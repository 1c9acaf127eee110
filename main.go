// Command bordero is the whole service in one binary. Its first argument selects the process or
// the command. The Procfile has a line for each process.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands are the command line. Their names are a contract: added, never renamed.
type commands struct {
	Up        upCommand        `cmd:"" help:"Start everything on this machine: private PostgreSQL and Redis, and every process of the Procfile."`
	API       apiCommand       `cmd:"" name:"api" help:"Run the API."`
	Work      workCommand      `cmd:"" help:"Run a worker of one queue."`
	Scheduler schedulerCommand `cmd:"" help:"Run the relay of due jobs and the work of the clock."`
	Monitor   monitorCommand   `cmd:"" help:"Run the overview of the jobs and the dashboard of the queues, behind a login."`
	Migrate   migrateCommand   `cmd:"" help:"Bring the database's schema up to date, or tell how far it is."`
	Import    importCommand    `cmd:"" help:"Upload statements to a running server and tell what became of them. Exits with 1 when one did not come in."`
	Demo      demoCommand      `cmd:"" help:"Fill an account with the books of a made-up company, to try the service on."`
	Verify    verifyCommand    `cmd:"" help:"Check that all that is kept agrees with what it follows from. Exits with 1 when something does not."`
	Config    configCommand    `cmd:"" help:"Print the configuration that is in force, with secrets masked."`
	Version   versionCommand   `cmd:"" help:"Print what this binary is and was built from."`
	Jobs      jobsCommand      `cmd:"" help:"Look at jobs and try failed ones again."`
	Account   accountCommand   `cmd:"" help:"Make and delete accounts."`
	Member    memberCommand    `cmd:"" help:"Add, list and remove the members of an account."`
	Token     tokenCommand     `cmd:"" help:"Make, list and revoke access tokens."`
	Secrets   secretsCommand   `cmd:"" help:"Make the keys and passwords of a new installation."`
	Health    healthCommand    `cmd:"" help:"Ask the process at BORDERO_OPS_ADDR how it is. Exits with 1 when it is not ready."`
}

func main() {
	// The first signal starts an orderly shutdown; a second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	var c commands
	line := kong.Parse(&c,
		kong.Name("bordero"),
		kong.Description("Financial management for companies: a REST API with workers."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err := line.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "bordero:", err)
		os.Exit(1)
	}
}
