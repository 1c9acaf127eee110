package e2e

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/tier"

	"github.com/google/go-cmp/cmp"
)

const corpus = "../testdata/statements"

// corpusRow is the manifest's row of a file, before any item is ignored.
type corpusRow struct {
	file        string
	format      string
	items       int
	sum         finance.Amount
	first, last string // days
	accounts    []string
	byAccount   []string // of a file that is imported by account: the items of each account and their sum
	proofs      []string // as statedBalance, of each such account or of the whole file
	currencies  []string // of the accounts, or one of all
	notes       string
	e2etest.Counts
}

// ignored are the sums of the items that are ignored in spite of an amount, and how many of them
// are balance rows and pending. The manifest has no columns for these.
var ignored = map[string]struct {
	sum                  finance.Amount
	balanceRows, pending int
}{
	// of 2099, and three without a day
	"ofx/synthetic__future_zero_invalid.ofx": {sum: -77_00 - 5_00 - 6_00 - 7_00},
	"ofx/synthetic__balance_rows.ofx":        {1500_00 + 1299_90 + 1200_00 + 1550_00, 4, 0}, // SALDO …
	"xlsx/synthetic__august.xlsx":            {1000_00 + 3375_06, 2, 0},
	"json/synthetic__august.json":            {-30_00, 0, 1},
	// of 2099, and two without a day
	"qif/synthetic__future_zero_invalid.qif":               {sum: -5_00 - 1_00 - 2_00},
	"ofc/synthetic__all_trntypes_unsigned_future_zero.ofc": {sum: 9_00 + 1_00}, // of 2099, and one without a day
}

func manifest(t *testing.T) (rows []corpusRow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	columns := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		values := map[string]string{}
		for i, value := range strings.Split(line, "\t") {
			values[columns[i]] = value
		}
		rows = append(rows, rowOf(t, values))
	}
	return rows
}

func rowOf(t *testing.T, values map[string]string) corpusRow {
	number := func(column string) int {
		n, err := strconv.Atoi(values[column])
		if err != nil {
			t.Fatalf("%s of %s: %v", column, values["file"], err)
		}
		return n
	}
	r := corpusRow{
		file: values["file"], format: values["format"], items: number("n_transactions"), notes: values["notes"],
		first: values["first_date"], last: values["last_date"],
		proofs: strings.Split(values["proofs"], ","), byAccount: strings.Split(values["by_account"], ","),
	}
	if err := r.sum.UnmarshalText([]byte(values["sum_amounts"])); err != nil {
		t.Fatalf("sum of %s: %v", r.file, err)
	}
	r.currencies = []string{"BRL"}
	if named := values["currency"]; named != "" && named != "-" {
		r.currencies = strings.Split(named, ",")
	}
	if values["accounts"] != "-" {
		r.accounts = strings.Split(values["accounts"], ",")
	}
	r.sum -= ignored[r.file].sum
	r.BalanceRows, r.Pending = ignored[r.file].balanceRows, ignored[r.file].pending
	r.Future, r.InvalidDate = number("n_future"), number("n_bad_date")
	r.Zero = number("n_zero") + number("n_bad_amount")
	r.Imported = r.items - r.Future - r.InvalidDate - r.Zero - r.BalanceRows - r.Pending
	return r
}

// currency returns the currency of an account of the file.
func (r corpusRow) currency(account int) string {
	return r.currencies[min(account, len(r.currencies)-1)]
}

func (r corpusRow) content(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(corpus, r.file))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// On a push, a third of the files are imported, others in each run.
func TestTheCorpusIsImportedAsTheManifestStates(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	rows := manifest(t)
	if files, _ := filepath.Glob(filepath.Join(corpus, "*", "*")); len(files) != len(rows) {
		t.Fatalf("%d files, %d rows of the manifest", len(files), len(rows))
	}
	t.Run("files", func(t *testing.T) {
		drawn := rand.IntN(3)
		for i, row := range rows {
			if !tier.Long() && i%3 != drawn {
				continue // finance/statement reads all files on each push
			}
			t.Run(row.file, func(t *testing.T) {
				t.Parallel()
				into := s.NewDepositAccountIn(t, "", row.currency(0))
				switch {
				case strings.HasSuffix(row.notes, ": error"): // empty, or blanks only
					row.isRefused(t, s, into)
				case strings.HasSuffix(row.notes, ": refused by the bank"):
					row.endsAsError(t, s, into, "o banco respondeu com o erro")
				case strings.HasSuffix(row.notes, ": error of the only date"):
					row.endsAsError(t, s, into, `linha 36: a data "201120000000" não pôde ser lida`)
				case row.isOfSeveral():
					row.isImportedByAccount(t, s, into)
				default:
					row.isImported(t, s, into)
				}
			})
		}
	})
	t.Run("pairs", func(t *testing.T) {
		pair(t, s, "inovar-ofx-simple-parser__itau-06.ofx", "inovar-ofx-simple-parser__itau-07.ofx", 4)
		pair(t, s, "synthetic__reexport_a.ofx", "synthetic__reexport_b_new_fitids_richer_memo.ofx", 1)
	})
	s.Settled()
	s.NoStrays() // refused files are removed
}

// isOfSeveral reports whether the items belong to several accounts. The manifest also lists
// accounts without items.
func (r corpusRow) isOfSeveral() bool {
	return r.items > 0 && len(r.accounts) > 1
}

func (r corpusRow) isRefused(t *testing.T, s *e2etest.Site, into int64) {
	var refused e2etest.Refused
	if _, err := s.Upload(into, r.content(t)); !errors.As(err, &refused) ||
		refused.Status != http.StatusUnprocessableEntity {
		t.Errorf("it was answered with %v", err)
	}
}

func (r corpusRow) endsAsError(t *testing.T, s *e2etest.Site, into int64, why string) {
	for range 2 {
		b := s.Import(t, into, r.content(t))
		if b.Event.Status != finance.ImportError || !strings.Contains(b.Event.Output, why) ||
			b.Counts != (e2etest.Counts{}) {
			t.Errorf("imported as %+v", b)
		}
	}
}

func (r corpusRow) isImported(t *testing.T, s *e2etest.Site, into int64) {
	first := s.Import(t, into, r.content(t))
	if first.Event.Status != finance.ImportSuccess || first.Event.FinishedAt == nil || first.Counts != r.Counts {
		t.Errorf("imported as %+v, the manifest says %+v", first, r.Counts)
	}
	if balance := s.Balance(t, into); balance != r.sum {
		t.Errorf("the balance is %s, the manifest says %s", balance, r.sum)
	}
	transactions := s.Transactions(t, into) // newest first
	if n := len(transactions); n != r.Imported {
		t.Errorf("%d transactions", n)
	} else if n > 0 && n == r.items && (transactions[0].OccurredAt.String() != r.last ||
		transactions[n-1].OccurredAt.String() != r.first) {
		t.Errorf("of %s to %s, the manifest says %s to %s", transactions[n-1].OccurredAt, transactions[0].OccurredAt,
			r.first, r.last)
	}
	sameInXML(t, s, first)

	again := s.Import(t, into, r.content(t))
	known := r.Counts
	known.Imported, known.Duplicate = 0, r.Imported
	if again.Event.Status != finance.ImportSuccess || again.Counts != known {
		t.Errorf("imported again as %+v", again)
	}
	if balance := s.Balance(t, into); balance != r.sum {
		t.Errorf("the second import changed the balance to %s", balance)
	}
	isProven(t, s, first, again, r.proofs[0])
}

// isImportedByAccount checks that the items of several accounts are each imported into their
// account.
func (r corpusRow) isImportedByAccount(t *testing.T, s *e2etest.Site, into int64) {
	if len(r.byAccount) != len(r.accounts) || len(r.proofs) != len(r.accounts) {
		t.Fatalf("the manifest has %d accounts, %q by account, the proofs %q", len(r.accounts), r.byAccount, r.proofs)
	}
	whole := s.Import(t, into, r.content(t))
	if whole.Event.Status != finance.ImportError || whole.Counts != (e2etest.Counts{}) || s.Balance(t, into) != 0 {
		t.Errorf("imported without an account number as %+v", whole)
	}
	items, sum, named := 0, finance.Amount(0), 0
	for i, number := range r.accounts {
		one := s.NewDepositAccountIn(t, number, r.currency(i))
		part := s.Import(t, one, r.content(t))
		balance := s.Balance(t, one)
		again := s.Import(t, one, r.content(t))
		items += part.Imported
		sum += balance
		if got := fmt.Sprint(part.Imported, " ", balance); got != r.byAccount[i] {
			t.Errorf("account %s has items and a sum of %q, the manifest says %q", number, got, r.byAccount[i])
		}
		isProven(t, s, part, again, r.proofs[i])
		if strings.Contains(whole.Event.Output, number) {
			named++
		} else if part.Imported != 0 { // an account without movements
			t.Errorf("%s is not named in %q, yet imported as %+v", number, whole.Event.Output, part)
		}
		others := r.items - part.Imported
		if part.Event.Status != finance.ImportSuccess ||
			part.Counts != (e2etest.Counts{Imported: part.Imported, OtherAccount: others}) {
			t.Errorf("account %s imported as %+v", number, part)
		}
		if again.Counts != (e2etest.Counts{Duplicate: part.Imported, OtherAccount: others}) {
			t.Errorf("account %s imported again as %+v", number, again)
		}
	}
	if items != r.Imported || sum != r.sum || named < 2 {
		t.Errorf("%d items with sum %s into the accounts, %d of which %q names; the manifest says %d and %s",
			items, sum, named, whole.Event.Output, r.Imported, r.sum)
	}
}

// statedBalance writes a proof as the manifest does: its day, the balance of the bank, ours, and its status or what
// explains it; without a day the balance of the bank and the status; "-" if the file states no balance.
func statedBalance(p *e2etest.BalanceProof) string {
	switch {
	case p == nil:
		return "-"
	case p.On == nil:
		return fmt.Sprint(p.Bank, " ", p.Status)
	case len(p.Explanations) > 0:
		return fmt.Sprint(p.On, " ", p.Bank, " ", p.Ours, " ", p.Explanations[0].Kind)
	}
	return fmt.Sprint(p.On, " ", p.Bank, " ", p.Ours, " ", p.Status)
}

// isProven checks the proof of a file that was sent twice, and takes the opening balance if that
// explains the difference.
func isProven(t *testing.T, s *e2etest.Site, first, again e2etest.Statement, want string) {
	t.Helper()
	if !reflect.DeepEqual(first.Proof, again.Proof) {
		t.Errorf("sent again, its proof is not %+v, but %+v", first.Proof, again.Proof)
	}
	p := first.Proof
	if got := statedBalance(p); got != want {
		t.Errorf("its proof is %q, the manifest says %q", got, want)
	}
	if p != nil && p.On != nil && *p.Difference != p.Bank-*p.Ours {
		t.Errorf("the difference is %s in %+v", p.Difference, p)
	}
	if p == nil || len(p.Explanations) == 0 {
		return
	}
	if len(p.Explanations) > 1 || p.Status != finance.ProofDiffers ||
		p.Explanations[0].Kind != finance.OpeningBalance || p.Explanations[0].Amount != *p.Difference {
		t.Errorf("the first statement is explained by %+v", p)
		return
	}
	opened := s.Open(t, first).Proof
	if opened.Status != finance.ProofAgrees || *opened.Ours != p.Bank || *opened.Difference != 0 ||
		len(opened.Explanations) > 0 {
		t.Errorf("with the opening balance it is %+v", opened)
	}
	if again = s.Statement(t, again); again.Proof.Status != finance.ProofAgrees {
		t.Errorf("with the opening balance, the second statement is %+v", again.Proof)
	}
}

// pair imports two exports that overlap.
func pair(t *testing.T, s *e2etest.Site, first, second string, fresh int) {
	into := s.NewDepositAccount(t, "")
	a := s.Import(t, into, corpusRow{file: "ofx/" + first}.content(t))
	b := s.Import(t, into, corpusRow{file: "ofx/" + second}.content(t))
	if b.Imported != fresh || b.Duplicate == 0 || len(s.Transactions(t, into)) != a.Imported+fresh {
		t.Errorf("%s: %+v, then %s: %+v", first, a.Counts, second, b.Counts)
	}
}

// sameInXML compares the XML of a statement with its JSON.
func sameInXML(t *testing.T, s *e2etest.Site, b e2etest.Statement) {
	t.Helper()
	answer, err := s.Do(http.MethodGet, paths.BankStatement(s.Entity, b.DepositAccountID, b.ID)+".xml", "", nil)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("XML: %d %v", answer.Status, err)
	}
	var got struct {
		XMLName      xml.Name `xml:"bank-statement"`
		ID           int64    `xml:"id"`
		Imported     int      `xml:"imported-items-count"`
		Future       int      `xml:"future-items-ignored-count"`
		Zero         int      `xml:"amount-zero-items-ignored-count"`
		InvalidDate  int      `xml:"invalid-date-items-ignored-count"`
		Pending      int      `xml:"pending-items-ignored-count"`
		BalanceRows  int      `xml:"balance-items-ignored-count"`
		Duplicate    int      `xml:"duplicate-items-ignored-count"`
		OtherAccount int      `xml:"other-account-items-ignored-count"`
		Status       string   `xml:"event-status"`
		Output       string   `xml:"event-output"`
		FinishedAt   string   `xml:"event-finished-at"`
	}
	if err := xml.NewDecoder(bytes.NewReader(answer.Body)).Decode(&got); err != nil {
		t.Fatalf("XML: %v in %s", err, answer.Body)
	}
	counts := e2etest.Counts{
		Imported: got.Imported, Future: got.Future, Zero: got.Zero, InvalidDate: got.InvalidDate,
		Pending: got.Pending, BalanceRows: got.BalanceRows, Duplicate: got.Duplicate, OtherAccount: got.OtherAccount,
	}
	if got.ID != b.ID || got.Status != b.Event.Status || got.Output != b.Event.Output || got.FinishedAt == "" {
		t.Errorf("the XML says otherwise: %s", answer.Body)
	}
	if diff := cmp.Diff(b.Counts, counts); diff != "" {
		t.Errorf("JSON and XML differ: %s", diff)
	}
}
