package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"bordero/api"
	"bordero/storage"
	"bordero/storage/operators"
)

type changesCommand struct {
	Tail   tailChangesCommand   `cmd:"" help:"Show the last changes, and new ones as they come."`
	Export exportChangesCommand `cmd:"" help:"Print all changes as JSON, one line per change, with what their hashes need."`
	Verify verifyChangesCommand `cmd:"" help:"Check that the changes of an account, or of an export, follow each other. Exits with 1 if one does not."`
}

type accountFlag struct {
	Account int64 `required:"" placeholder:"ID" help:"The account. account list shows them."`
	dataFlag
}

type tailChangesCommand struct {
	Events []string `placeholder:"EVENT,…" help:"Only these, such as sales.* or people.created."`
	Last   int64    `default:"10" placeholder:"N" help:"How many of the last changes to show first."`
	Once   bool     `help:"Do not wait for new ones."`
	JSON   bool     `help:"Print JSON, one line per change."`
	accountFlag
}

func (t tailChangesCommand) Run(ctx context.Context) error {
	if t.Last < 0 {
		return wrongUsage("--last: %d is below 0", t.Last)
	}
	s, err := t.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	_, end, err := operators.ChangeEnds(ctx, s.Queries, t.Account)
	if err != nil {
		return explainAccount(err, t.Account)
	}
	print := func(c *storage.Change) error { return printJSON(operators.Export(c, api.ChangePath(c))) }
	if !t.JSON {
		print = changeTable()
	}
	return follow(ctx, s, t.Account, max(end.Sequence-t.Last, 0), t.Events, t.Once, print)
}

// changeTable prints the header of a table, and returns the function that prints a row. The columns
// are not aligned, because a row is shown as soon as its change is read.
func changeTable() func(*storage.Change) error {
	rows := &table{out: os.Stdout}
	rows.row("SEQUENCE", "TIME", "EVENT", "ENTITY", "RECORDS", "BY", "ATTRIBUTES")
	return func(c *storage.Change) error {
		rows.row(changeRow(c)...)
		return rows.err
	}
}

// followEvery is how often a command looks for new changes.
const followEvery = 250 * time.Millisecond

// follow calls fn with the changes of an account after a number that are of the events, or of any if there are none,
// and, unless once is set, with new ones until ctx is done, which is no error.
func follow(ctx context.Context, s *storage.Store, account, after int64, events []string, once bool,
	fn func(*storage.Change) error) error {
	filters := make([]storage.ChangeFilter, len(events))
	for i, event := range events {
		var err error
		if filters[i], err = storage.ParseChangeEvent(event); err != nil {
			return wrongUsage("no event %q: name a family as sales.* or one event as sales.created", event)
		}
	}
	selected := func(c *storage.Change) error {
		if err := ctx.Err(); err != nil { // after Ctrl-C the rest of a page is not shown
			return err
		}
		if len(filters) > 0 && !slices.ContainsFunc(filters, func(f storage.ChangeFilter) bool {
			return f.Family == c.Family && (f.Action == "" || f.Action == c.Action)
		}) {
			return nil
		}
		return fn(c)
	}
	ticks := time.NewTicker(followEvery)
	defer ticks.Stop()
	for {
		var err error
		after, err = operators.EachChange(ctx, s.Queries, account, after, storage.ChangeFilter{}, selected)
		switch {
		case ctx.Err() != nil && !once:
			return nil
		case err != nil || once:
			return err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func changeRow(c *storage.Change) []string {
	entity, records, attributes := "-", fmt.Sprint(c.RecordIDs[0]), "-"
	if c.EntityID != nil {
		entity = fmt.Sprint(*c.EntityID)
	}
	if n := len(c.RecordIDs); n > 1 {
		records = fmt.Sprintf("%d to %d (%d)", c.RecordIDs[0], c.RecordIDs[n-1], n)
	}
	if c.Attributes != nil {
		attributes = *c.Attributes
	}
	return []string{
		fmt.Sprint(c.Sequence), c.OccurredAt.Format(time.DateTime), string(c.Family) + "." + string(c.Action), entity,
		records, author(c), attributes,
	}
}

// author returns the author of a change: a user and a token, a job, or a command.
func author(c *storage.Change) string {
	switch {
	case c.Job != nil:
		return "job " + *c.Job
	case c.UserID != nil && c.Token != nil:
		return fmt.Sprintf("user %d, token %s", *c.UserID, *c.Token)
	}
	return "command"
}

type exportChangesCommand struct {
	After int64 `placeholder:"SEQUENCE" help:"Only changes after this number."`
	accountFlag
}

func (e exportChangesCommand) Run(ctx context.Context) error {
	if e.After < 0 {
		return wrongUsage("--after: %d is below 0", e.After)
	}
	s, err := e.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := e.check(ctx, s); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	_, err = operators.EachChange(ctx, s.Queries, e.Account, e.After, storage.ChangeFilter{},
		func(c *storage.Change) error {
			return lines.Encode(operators.Export(c, api.ChangePath(c)))
		})
	err = cmp.Or(err, out.Flush()) // also after an error, so that the last line is whole
	if err != nil && ctx.Err() != nil {
		return errIncomplete
	}
	return err
}

// check returns an error if the number is after the last change, or if changes after the number are no
// longer stored: the API answers 422 and 410. Without a number an export begins with the first stored change.
func (e exportChangesCommand) check(ctx context.Context, s *storage.Store) error {
	begin, end, err := operators.ChangeEnds(ctx, s.Queries, e.Account)
	switch {
	case err != nil:
		return explainAccount(err, e.Account)
	case e.After > end.Sequence:
		return fmt.Errorf("--after %d: the last change of account %d is %d", e.After, e.Account, end.Sequence)
	case e.After > 0 && e.After < begin.Sequence:
		return fmt.Errorf("--after %d: the changes up to %d are no longer stored; without --after the export begins "+
			"with %d", e.After, begin.Sequence, begin.Sequence+1)
	}
	return nil
}

type verifyChangesCommand struct {
	File    string `arg:"" optional:"" help:"An export; - is the standard input. Without one, the account's changes in the database are checked."`
	Account int64  `placeholder:"ID" help:"The account. account list shows them."`
	dataFlag
}

func (v verifyChangesCommand) Run(ctx context.Context) error {
	var n int
	var end operators.Chain
	var err error
	switch {
	case (v.File == "") == (v.Account == 0):
		return wrongUsage("name an export or an --account")
	case v.File != "" && v.Data != "":
		return wrongUsage("--data: an export is checked without a database")
	case v.File != "":
		err = eachExported(v.File, func(c *storage.Change) error {
			n++
			return end.Add(c)
		})
	default:
		n, end, err = v.stored(ctx)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%d changes follow each other; the last is %d with the hash %x\n", n, end.Sequence, end.Hash)
	return nil
}

// stored checks the account's changes in the database.
func (v verifyChangesCommand) stored(ctx context.Context) (n int, end operators.Chain, err error) {
	s, err := v.readOnly(ctx)
	if err != nil {
		return 0, end, err
	}
	defer s.Close()
	n, end, err = operators.Changes(ctx, s, v.Account)
	return n, end, explainAccount(err, v.Account)
}

// explainAccount turns storage.ErrNotFound into an error that names the account.
func explainAccount(err error, account int64) error {
	if errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("there is no account %d; bordero account list shows them", account)
	}
	return err
}

// checkAccount returns an error that names the account if there is no such account.
func checkAccount(ctx context.Context, s *storage.Store, account int64) error {
	found, err := s.AccountNames(ctx, []int64{account})
	if err == nil && len(found) == 0 {
		err = storage.ErrNotFound
	}
	return explainAccount(err, account)
}

// noOpenAccount is the error of an account to which nothing can be added.
func noOpenAccount(account int64) error {
	return fmt.Errorf("there is no account %d, or it is being deleted; bordero account list shows them", account)
}

// eachExported calls fn with the changes of an export.
func eachExported(name string, fn func(*storage.Change) error) error {
	file := os.Stdin
	if name != "-" {
		var err error
		if file, err = os.Open(name); err != nil {
			return err
		}
		defer file.Close()
	}
	lines := json.NewDecoder(bufio.NewReader(file))
	for {
		var e operators.ExportedChange
		err := lines.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s is no export of changes: %s", name, strings.TrimPrefix(err.Error(), "json: "))
		}
		c, err := e.Change()
		if err != nil {
			return err
		}
		if err := fn(c); err != nil {
			return err
		}
	}
}
