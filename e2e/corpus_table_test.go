package e2e

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
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

// resultTable is a table of the page: the line below its head, and its rows.
var resultTable = regexp.MustCompile(`(?m)^\|---.*\n((?:\|.*\n)*)`)

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
	text, err := os.ReadFile(corpusTable)
	if err != nil {
		t.Fatal(err)
	}
	documented, tables := string(text), [][]string{items, proofs}
	page := resultTable.ReplaceAllStringFunc(documented, func(found string) string {
		if len(tables) == 0 {
			return found
		}
		head, _, _ := strings.Cut(found, "\n")
		rows := strings.Join(tables[0], "")
		tables = tables[1:]
		return head + "\n" + rows
	})
	if len(tables) > 0 {
		t.Fatalf("%s has %d tables too few", corpusTable, len(tables))
	}
	if *update {
		if err := os.WriteFile(corpusTable, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
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
