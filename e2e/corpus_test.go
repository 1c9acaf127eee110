package e2e

import (
	"bytes"
	"encoding/xml"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
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
	var results results
	t.Run("files", func(t *testing.T) {
		drawn := rand.IntN(3)
		for i, row := range rows {
			if !tier.Long() && !*update && i%3 != drawn {
				continue // finance/statement reads all files on each push
			}
			t.Run(row.file, func(t *testing.T) {
				t.Parallel()
				into := s.NewDepositAccountIn(t, "", row.currency(0))
				switch {
				case strings.HasSuffix(row.notes, ": error"): // empty, or blanks only
					results.add(row, row.isRefused(t, s, into))
				case strings.HasSuffix(row.notes, ": refused by the bank"):
					results.add(row, row.endsAsError(t, s, into, "o banco respondeu com o erro"))
				case strings.HasSuffix(row.notes, ": error of the only date"):
					results.add(row, row.endsAsError(t, s, into, `linha 36: a data "201120000000" não pôde ser lida`))
				case row.isOfSeveral():
					results.add(row, row.isImportedByAccount(t, s, into)...)
				default:
					results.add(row, row.isImported(t, s, into))
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
	results.areDocumented(t, rows)
}

// isOfSeveral reports whether the items belong to several accounts. The manifest also lists
// accounts without items.
func (r corpusRow) isOfSeveral() bool {
	return r.items > 0 && len(r.accounts) > 1
}

func (r corpusRow) isRefused(t *testing.T, s *e2etest.Site, into int64) result {
	var refused e2etest.Refused
	if _, err := s.Upload(into, r.content(t)); !errors.As(err, &refused) ||
		refused.Status != http.StatusUnprocessableEntity {
		t.Errorf("it was answered with %v", err)
	}
	return result{outcome: "refused: " + strconv.Itoa(refused.Status)}
}

func (r corpusRow) endsAsError(t *testing.T, s *e2etest.Site, into int64, why string) result {
	first := s.Import(t, into, r.content(t))
	if first.Event.Status != finance.ImportError || !strings.Contains(first.Event.Output, why) {
		t.Errorf("imported as %+v", first)
	}
	return resultOf(first, s.Import(t, into, r.content(t)), 0)
}

func (r corpusRow) isImported(t *testing.T, s *e2etest.Site, into int64) result {
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
	found := resultOf(first, again, r.sum)
	found.isProven(t, s, first, again)
	return found
}

// isImportedByAccount checks that the items of several accounts are each imported into their
// account.
func (r corpusRow) isImportedByAccount(t *testing.T, s *e2etest.Site, into int64) []result {
	whole := s.Import(t, into, r.content(t))
	if whole.Event.Status != finance.ImportError || whole.Counts != (e2etest.Counts{}) || s.Balance(t, into) != 0 {
		t.Errorf("imported without an account number as %+v", whole)
	}
	items, sum, named := 0, finance.Amount(0), 0
	all := []result{resultOf(whole, e2etest.Statement{}, 0)}
	for i, number := range r.accounts {
		one := s.NewDepositAccountIn(t, number, r.currency(i))
		part := s.Import(t, one, r.content(t))
		balance := s.Balance(t, one)
		again := s.Import(t, one, r.content(t))
		items += part.Imported
		sum += balance
		found := resultOf(part, again, balance)
		found.account = number
		found.isProven(t, s, part, again)
		all = append(all, found)
		if strings.Contains(whole.Event.Output, number) {
			named++
		} else if part.Event.Status != finance.ImportSuccess || part.Imported != 0 { // an account without movements
			t.Errorf("%s is not named in %q, yet imported as %+v", number, whole.Event.Output, part)
			continue
		}
		if part.Event.Status == finance.ImportSuccess && part.Imported+part.OtherAccount != r.items {
			t.Errorf("account %s: %+v", number, part)
		}
		if again.Imported != 0 || again.Duplicate != part.Imported {
			t.Errorf("account %s imported again as %+v", number, again)
		}
	}
	if items != r.Imported || sum != r.sum || named < 2 {
		t.Errorf("%d items with sum %s into the accounts, %d of which %q names; the manifest says %d and %s",
			items, sum, named, whole.Event.Output, r.Imported, r.sum)
	}
	return all
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
