package e2e

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
)

const corpusTable = "../docs/statement-files.md"

var update = flag.Bool("update", false, "write docs/statement-files.md")

// result is the outcome of a file that was sent to one deposit account.
type result struct {
	account string // its account_number
	outcome string
	sum     finance.Amount // of the imported items
	e2etest.Counts
	again e2etest.Counts // when it was sent again
}

func resultOf(s, again e2etest.Statement, sum finance.Amount) result {
	return result{outcome: s.Event.Status, sum: sum, Counts: s.Counts, again: again.Counts}
}

// results are those of all files, by name.
type results struct {
	sync.Mutex
	of map[string][]result
}

func (r *results) add(row corpusRow, found ...result) {
	r.Lock()
	defer r.Unlock()
	if r.of == nil {
		r.of = map[string][]result{}
	}
	r.of[row.file] = found
}

const tableHead = `# Results of the statement test files

The result of each file of ` + "`testdata/statements`" + `. The test uploads a file through the API, and a worker imports it into an empty deposit
account. A file with items of several accounts is also imported into one deposit account for each ` + "`account_number`" + `. Then the file is
uploaded again. [statements.md](statements.md) explains the rules. This test compares the page with the results, and writes it with ` + "`-update`" + `:

` + "```sh" + `
go test ./e2e -run TestTheCorpusIsImportedAsTheManifestStates -update
` + "```" + `

The columns from ` + "`future`" + ` to ` + "`other account`" + ` count ignored items, and ` + "`sum`" + ` is that of the imported ones.

| file | format | account | items | imported | future | zero | no date | balance | other account | sum | outcome | again: imported | duplicate |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|
`

// areDocumented compares the results with the page that documents them, or writes the page.
func (r *results) areDocumented(t *testing.T, rows []corpusRow) {
	t.Helper()
	if t.Failed() {
		return
	}
	var page strings.Builder
	page.WriteString(tableHead)
	for _, row := range rows {
		if len(r.of[row.file]) == 0 {
			t.Logf("%s is left as it is: not all files were imported", corpusTable)
			return
		}
		for _, f := range r.of[row.file] {
			fmt.Fprintf(&page, "| %s | %s | %s | %d | %d | %d | %d | %d | %d | %d | %s | %s | %d | %d |\n", row.file, row.format, f.account, row.items,
				f.Imported, f.Future, f.Zero, f.InvalidDate, f.BalanceRows, f.OtherAccount, f.sum, f.outcome, f.again.Imported, f.again.Duplicate)
		}
	}
	if *update {
		if err := os.WriteFile(corpusTable, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	documented, err := os.ReadFile(corpusTable)
	if err != nil {
		t.Fatal(err)
	}
	if string(documented) != page.String() {
		t.Errorf("%s is stale; write it by go test ./e2e -run %s -update", corpusTable, t.Name())
	}
}
