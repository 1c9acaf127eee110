package e2e

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
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
	proof *e2etest.BalanceProof
	open  *e2etest.BalanceProof // with the opening balance that the proof suggests
}

func resultOf(s, again e2etest.Statement, sum finance.Amount) result {
	return result{outcome: s.Event.Status, sum: sum, Counts: s.Counts, again: again.Counts, proof: s.Proof}
}

// isProven checks the proof of a file that was sent twice, and takes the opening balance if that
// explains the difference.
func (r *result) isProven(t *testing.T, s *e2etest.Site, first, again e2etest.Statement) {
	t.Helper()
	if !reflect.DeepEqual(first.Proof, again.Proof) {
		t.Errorf("sent again, its proof is not %+v, but %+v", first.Proof, again.Proof)
	}
	p := first.Proof
	if p == nil || len(p.Explanations) == 0 {
		return
	}
	if len(p.Explanations) > 1 || p.Explanations[0].Kind != finance.OpeningBalance ||
		p.Explanations[0].Amount != *p.Difference {
		t.Errorf("the first statement is explained by %+v", p.Explanations)
		return
	}
	r.open = s.Open(t, first).Proof
	if r.open.Status != finance.ProofAgrees || *r.open.Ours != p.Bank || *r.open.Difference != 0 ||
		len(r.open.Explanations) > 0 {
		t.Errorf("with the opening balance it is %+v", r.open)
	}
	if again = s.Statement(t, again); again.Proof.Status != finance.ProofAgrees {
		t.Errorf("with the opening balance, the second statement is %+v", again.Proof)
	}
}

// proven writes the columns of the proof.
func (r *result) proven() string {
	p := r.proof
	switch {
	case r.outcome != finance.ImportSuccess:
		return " |  |  |  | not imported |  | "
	case p == nil:
		return " |  |  |  | no balance |  | "
	case p.On == nil:
		return fmt.Sprintf(" | %s |  |  | %s |  | ", p.Bank, p.Status)
	case r.open == nil:
		return fmt.Sprintf("%s | %s | %s | %s | %s |  | ", p.On, p.Bank, p.Ours, p.Difference, p.Status)
	}
	return fmt.Sprintf("%s | %s | %s | %s | %s | %s | %s", p.On, p.Bank, p.Ours, p.Difference, p.Status,
		p.Explanations[0].Kind, r.open.Status)
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

The result of each file of ` + "`testdata/statements`" +
	`. The test uploads a file through the API, and a worker imports it into an empty deposit
account. A file with items of several accounts is also imported into one deposit account for each ` +
	"`account_number`" + `. Then the file is
uploaded again. [statements.md](statements.md) explains the rules. This test compares the page with the results, and ` +
	`writes it with ` + "`-update`" + `:

` + "```sh" + `
go test ./e2e -run TestTheCorpusIsImportedAsTheManifestStates -update
` + "```" + `

## Items

The columns from ` + "`future`" + ` to ` + "`other account`" + ` count ignored items, and ` + "`sum`" +
	` is that of the imported ones.

| file | format | account | items | imported | future | zero | no date | pending | balance | other account | sum | ` +
	`outcome | again: imported | duplicate |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|
`

const proofsHead = `
## Balance proofs

The balance that each file states, and ours at the end of that day. ` + "`opened`" + ` is the status after ` +
	"`POST …/opening_balance`" + `, where the
proof is explained by it. It is not if the balance is of a day after the period of the file, because nothing tells ` +
	`what moved between them, or
if the file has items without a valid date. ` + "`unknown`" +
	` are balances without a day, as in OFC, or of a day that cannot be read.

| file | account | on | bank | ours | difference | status | explanation | opened |
|---|---|---|--:|--:|--:|---|---|---|
`

// areDocumented compares the results with the page that documents them, or writes the page. Of a part of the
// files it compares the lines.
func (r *results) areDocumented(t *testing.T, rows []corpusRow) {
	t.Helper()
	if t.Failed() {
		return
	}
	var items, proofs []string
	for _, row := range rows {
		for _, f := range r.of[row.file] {
			items = append(items, fmt.Sprintf(
				"| %s | %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s | %d | %d |\n",
				row.file, row.format, f.account, row.items, f.Imported, f.Future, f.Zero, f.InvalidDate, f.Pending,
				f.BalanceRows, f.OtherAccount, f.sum, f.outcome, f.again.Imported, f.again.Duplicate))
			proofs = append(proofs, fmt.Sprintf("| %s | %s | %s |\n", row.file, f.account, f.proven()))
		}
	}
	page := tableHead + strings.Join(items, "") + proofsHead + strings.Join(proofs, "")
	if *update {
		if err := os.WriteFile(corpusTable, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(corpusTable)
	if err != nil {
		t.Fatal(err)
	}
	documented := string(text)
	stale := documented != page
	if len(r.of) < len(rows) {
		stale = slices.ContainsFunc(append(items, proofs...), func(line string) bool {
			return !strings.Contains(documented, line)
		})
	}
	if stale {
		t.Errorf("%s is stale; write it by go test ./e2e -run %s -update", corpusTable, t.Name())
	}
}
