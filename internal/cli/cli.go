// Package cli is the command line: one file per command or process. It is separate from package main
// so that tests can call the commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"

	"bordero/finance"
	"bordero/internal/messages"

	"github.com/alecthomas/kong"
)

// commands are the command line. Their names are a contract: added, never renamed.
type commands struct {
	Up        upCommand        `cmd:"" help:"Start everything on this machine: private PostgreSQL and Redis, and every process."`
	API       apiCommand       `cmd:"" name:"api" help:"Run the API."`
	Work      workCommand      `cmd:"" help:"Run the workers of queues."`
	Scheduler schedulerCommand `cmd:"" help:"Run the relay of due jobs and the periodic work."`
	Monitor   monitorCommand   `cmd:"" help:"Run the overview of the jobs and Asynq's pages, behind a login."`
	Migrate   migrateCommand   `cmd:"" help:"Update the database schema, or show its state."`
	Import    importCommand    `cmd:"" help:"Upload statements to a running server and report the result of each. Exits with 1 if one was not imported."`
	Export    exportCommand    `cmd:"" help:"Write a list, total or report of a server as CSV or XLSX."`
	Demo      demoCommand      `cmd:"" help:"Fill an account with the books of a made-up company."`
	Verify    verifyCommand    `cmd:"" help:"Check every stored total and state against the rows it is derived from. Exits with 1 if one differs."`
	Changes   changesCommand   `cmd:"" help:"Show, export and check the changes of an account."`
	Listen    listenCommand    `cmd:"" help:"Show new changes, and post them to a receiver on this machine."`
	Config    configCommand    `cmd:"" help:"Print the effective configuration, with secrets masked."`
	Version   versionCommand   `cmd:"" help:"Print what this binary was built from."`
	Jobs      jobsCommand      `cmd:"" help:"List jobs and retry failed ones."`
	Account   accountCommand   `cmd:"" help:"List, create and delete accounts."`
	Member    memberCommand    `cmd:"" help:"Add, list and remove the members of an account."`
	Token     tokenCommand     `cmd:"" help:"Create, list and revoke access tokens."`
	Quota     quotaCommand     `cmd:"" help:"Set and list what an account may use."`
	Secrets   secretsCommand   `cmd:"" help:"Generate the keys and passwords of a new installation."`
	Health    healthCommand    `cmd:"" help:"Ask a process for its health. Exits with 1 if it is not ready."`
	Help      helpCommand      `cmd:"" help:"Explain a command, as its flag --help does."`

	Completion completionCommand `cmd:"" help:"Print a script that completes commands in bash, zsh or fish."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// helpCommand prints the help of the application or of a command.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command; all commands if not given."`
}

// Run parses the command's --help, which prints and asks kong to exit.
func (h helpCommand) Run(parser *kong.Kong) error {
	_, err := parser.Parse(append(h.Command, "--help"))
	return err
}

// statuses belongs to the help of the application.
const statuses = "The exit status is 0 for success, 1 for a failure or for differences that were found, and 2 for a " +
	"wrong command line."

// The exit statuses are a contract with scripts.
const (
	statusFailure = 1
	statusUsage   = 2
)

// Main runs the command that the arguments of the process select, and exits with its status.
func Main() {
	// The first signal starts an orderly shutdown; a second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, os.Args[1:]))
}

// Run runs the command that args select and returns its exit status. It reports an error in one
// line on the standard error.
func Run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	helped := false
	parser := kong.Must(&commands{}, append(options(ctx), kong.Exit(func(int) { helped = true }))...)
	line, err := parser.Parse(args)
	if helped { // kong continues after the help: a flag may be missing, and the command must not run
		return 0
	}
	command := "bordero"
	if err == nil {
		command = commandOf(line)
		if err = filled(line); err == nil {
			err = runSelected(ctx, line)
		}
	}
	if helped || err == nil {
		return 0
	}
	var parse *kong.ParseError
	var usage usageError
	switch {
	case errors.As(err, &parse):
		command = commandOf(parse.Context)
	case !errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "bordero:", ofServer(err))
		return statusFailure
	}
	fmt.Fprintf(os.Stderr, "bordero: %v; %s --help shows the usage\n", err, command)
	return statusUsage
}

// runSelected runs the command that a line selects. While most commands run, nothing refers to the parser any
// more: it would take half a megabyte of each process.
func runSelected(ctx context.Context, line *kong.Context) error {
	if command, ok := line.Selected().Target.Interface().(interface{ Run(context.Context) error }); ok {
		return command.Run(ctx)
	}
	return line.Run()
}

// options returns the options of the parser.
func options(ctx context.Context) []kong.Option {
	return []kong.Option{
		kong.Name("bordero"),
		kong.Description("Financial management for companies: a REST API with workers.\n\n" + statuses),
		kong.Vars{"version": "bordero " + buildVersion().Version, "queues": strings.Join(workerQueues, ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	}
}

// usageError is an error of the command line that the parser cannot find.
type usageError struct{ error }

// wrongUsage returns a usageError.
func wrongUsage(format string, values ...any) error {
	return usageError{fmt.Errorf(format, values...)}
}

// wrongFlag turns the first fault of a record into a fault of the flag with the name of the attribute. It returns any
// other error.
func wrongFlag(err error) error {
	var invalid *finance.Invalid
	if !errors.As(err, &invalid) {
		return err
	}
	first := invalid.Messages[0]
	words := strings.ReplaceAll(first.Code, "_", " ")
	switch first.Code {
	case messages.Blank.Code:
		words = "must not be empty"
	case messages.TooLong.Code:
		most := 0
		_, _ = fmt.Sscanf(first.Text, messages.TooLong.Text, &most) // only the text has it
		words = fmt.Sprintf("at most %d characters", most)
	case messages.NotEmail.Code:
		words = "not an address like ana@example.com"
	}
	return wrongUsage("--%s: %s", strings.ReplaceAll(first.Attribute, "_", "-"), words)
}

// apart refuses a command line with a flag and one of the others, which the command would ignore. The environment
// and defaults may set the others.
func apart(line *kong.Context, flag string, others ...string) error {
	given := map[string]bool{}
	for _, p := range line.Path {
		if p.Flag != nil {
			given[p.Flag.Name] = true
		}
	}
	for _, other := range others {
		if given[flag] && given[other] {
			return wrongUsage("--%s and --%s cannot be used together", flag, other)
		}
	}
	return nil
}

// filled refuses a flag with an empty value, or an account of 0, such as an unset variable of a script: without
// --entity a token would open all entities, and without --data a command would use another database.
func filled(line *kong.Context) error {
	for _, p := range line.Path {
		if p.Flag == nil {
			continue
		}
		switch v := p.Flag.Target; v.Kind() {
		case reflect.String, reflect.Slice:
			if v.Len() == 0 {
				return wrongUsage("--%s: must not be empty", p.Flag.Name)
			}
		case reflect.Int64:
			if name := p.Flag.Name; (name == "account" || name == "tenant") && v.Int() == 0 { // tenant: the former name
				return wrongUsage("--%s: there is no account 0", name)
			}
		}
	}
	return nil
}

// commandOf returns the full name of the command that a line selects, or "bordero".
func commandOf(line *kong.Context) string {
	if selected := line.Selected(); selected != nil {
		return selected.FullPath()
	}
	return "bordero"
}
