package statement

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/finance"

	"github.com/google/go-cmp/cmp"
)

const corpus = "../../testdata/statements"

// manifest returns the manifest's columns for each file.
func manifest(t testing.TB) []map[string]string {
	t.Helper()
	rows, err := readManifest(filepath.Join(corpus, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func readManifest(file string) (rows []map[string]string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r", ""), "\n"), "\n")
	columns := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, value := range strings.Split(line, "\t") {
			row[columns[i]] = value
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func corpusFile(t testing.TB, row map[string]string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(corpus, row["file"]))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// newReader returns a Reader of the file on 26 November 2026.
func newReader(file io.ReadSeeker) *Reader { return NewReader(file, day(2026, 11, 26)) }

// whole adds the end that a document of a test lacks.
func whole(file string) string {
	for _, format := range []string{"OFX", "OFC"} {
		start, end := "<"+format, "</"+format+">"
		if text := strings.ToUpper(file); strings.Contains(text, start) && !strings.Contains(text, end) {
			return file + end
		}
	}
	return file
}

// slow reads a file byte by byte.
type slow struct{ io.ReadSeeker }

func (s slow) Read(p []byte) (int, error) { return s.ReadSeeker.Read(p[:min(len(p), 1)]) }

func readAll(r *Reader) (items []Item, err error) {
	for {
		item, err := r.Next()
		if err == io.EOF {
			return items, nil
		}
		if err != nil {
			return items, err
		}
		items = append(items, item)
	}
}

func diff(want, got any) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b finance.Date) bool { return a == b }))
}

func date(t testing.TB, text string) finance.Date {
	t.Helper()
	day, err := finance.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

func TestCorpusIsAsTheManifestStates(t *testing.T) {
	rows := manifest(t)
	files, err := filepath.Glob(filepath.Join(corpus, "*", "*"))
	if err != nil || len(files) != len(rows) {
		t.Fatalf("%d files, %d rows of the manifest, error %v", len(files), len(rows), err)
	}
	for _, row := range rows {
		t.Run(row["file"], func(t *testing.T) {
			file := corpusFile(t, row)
			if strings.HasSuffix(row["notes"], ": error") {
				var broken *Error
				_, err := readAll(newReader(bytes.NewReader(file)))
				if Detect(file) != "" || !errors.As(err, &broken) {
					t.Fatalf("detected %q, read with error %v", Detect(file), err)
				}
				return
			}
			if strings.HasSuffix(row["notes"], ": error of the only date") {
				if _, err := readAll(newReader(bytes.NewReader(file))); !errors.As(err, new(*Error)) ||
					!strings.HasPrefix(err.Error(), `linha 36: a data "201120000000"`) {
					t.Fatalf("read with error %v", err)
				}
				return
			}
			if strings.HasSuffix(row["notes"], ": refused by the bank") {
				_, err := readAll(newReader(bytes.NewReader(file)))
				if err == nil || !strings.Contains(err.Error(), "o banco respondeu com o erro 2000") {
					t.Fatalf("read with error %v", err)
				}
				return
			}
			if format := Detect(file); string(format) != strings.TrimRight(row["format"], "12") {
				t.Fatalf("detected %q", format)
			}
			r := newReader(bytes.NewReader(file))
			items, err := readAll(r)
			if err != nil {
				t.Fatal(err)
			}
			got := counts(t, items)
			got["accounts"] = "-"
			var accounts []string
			for _, s := range r.Summaries() {
				if s.Account != "" {
					accounts = append(accounts, s.Account)
				}
			}
			if accounts != nil {
				got["accounts"] = strings.Join(accounts, ",")
			}
			for column, value := range got {
				if want := row[column]; want != "" && value != want &&
					!(column == "sum_amounts" && sameAmount(value, want)) {
					t.Errorf("%s is %s, the manifest says %s", column, value, want)
				}
			}
			oneByOne, err := readAll(newReader(slow{bytes.NewReader(file)}))
			if diff := diff(items, oneByOne); diff != "" || err != nil {
				t.Errorf("read byte by byte it differs, error %v:\n%s", err, diff)
			}
		})
	}
}

// counts counts the items as the manifest does, before any are ignored.
func counts(t *testing.T, items []Item) map[string]string {
	type key struct {
		day    finance.Date
		amount finance.Amount
	}
	var sum finance.Amount
	var first, last finance.Date
	count := map[string]int{"n_transactions": len(items), "n_zero": 0, "n_bad_date": 0, "n_bad_amount": 0,
		"n_future": 0, "n_missing_fitid": 0, "n_dup_fitid_extra_rows": 0, "n_twin_extra_rows": 0}
	fitids, twins := map[string]bool{}, map[key]bool{}
	for _, item := range items {
		amount, err := parseAmount(item.Amount)
		if err != nil {
			t.Errorf("line %d: %v", item.AmountLine, err)
		}
		sum += amount
		if !strings.ContainsAny(item.Amount, "0123456789") {
			count["n_bad_amount"]++
		} else if amount == 0 {
			count["n_zero"]++
		}
		if item.FITID == "" {
			count["n_missing_fitid"]++
		} else if fitids[item.FITID] {
			count["n_dup_fitid_extra_rows"]++
		}
		fitids[item.FITID] = true
		if item.Day.IsZero() {
			count["n_bad_date"]++
			continue
		}
		if item.Day.After(date(t, "2098-12-31")) {
			count["n_future"]++
		}
		if twins[key{item.Day, amount}] {
			count["n_twin_extra_rows"]++
		}
		twins[key{item.Day, amount}] = true
		if first.IsZero() || item.Day.Before(first) {
			first = item.Day
		}
		if item.Day.After(last) {
			last = item.Day
		}
	}
	tally := map[string]string{"sum_amounts": sum.String(), "first_date": "", "last_date": ""}
	if !first.IsZero() {
		tally["first_date"], tally["last_date"] = first.String(), last.String()
	}
	for column, n := range count {
		tally[column] = strconv.Itoa(n)
	}
	return tally
}

func sameAmount(a, b string) bool {
	x, errX := parseAmount(a)
	y, errY := parseAmount(b)
	return x == y && errX == nil && errY == nil
}

// Balance rows, zero amounts and future days are not imported.
func TestOutcomesOfTheCorpus(t *testing.T) {
	for file, want := range map[string]map[Outcome]int{
		"synthetic__balance_rows.ofx":             {Balance: 4, Imported: 3},
		"synthetic__future_zero_invalid.ofx":      {Zero: 2, InvalidDate: 3, Future: 1, Imported: 2},
		"annacruz-ofx__cef_malformed_decimal.ofx": {Zero: 1},
		"inovar-ofx-simple-parser__itau-06.ofx":   {Imported: 8},
	} {
		items, err := readAll(newReader(bytes.NewReader(corpusFile(t, map[string]string{"file": "ofx/" + file}))))
		if err != nil {
			t.Fatal(err)
		}
		got := map[Outcome]int{}
		for _, item := range items {
			outcome, _, err := Classify(item, "", date(t, "2026-11-30"))
			if err != nil {
				t.Error(err)
			}
			got[outcome]++
		}
		if diff := diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", file, diff)
		}
	}
}

func TestTextsOfTheCorpus(t *testing.T) {
	for file, want := range map[string]Item{
		"synthetic__bare_amp_and_lt.ofx": {Line: 18, Account: "1234567", AmountLine: 21, Amount: "-1.00", FITID: "1",
			Day: day(2026, 3, 2), Description: "PAGTO A&B LTDA < 30 DIAS"},
		"synthetic__declares_utf8_is_cp1252.ofx": {Line: 18, Account: "1234567", AmountLine: 21, Amount: "-9.99",
			FITID: "1",
			Day:   day(2026, 3, 2), Description: "Manutenção – pacote “básico” €"},
		"synthetic__v211_single_line_xml.ofx": {Line: 1, Account: "99-9", AmountLine: 1, Amount: "-3.14", FITID: "x1",
			Day: day(2026, 3, 2), Description: "Água e Esgoto Conta <março> & taxa"},
		"annacruz-ofx__creditcard.ofx": {Line: 42, Account: "XXXXXXXXXXXX1111", Card: true, AmountLine: 45,
			Amount: "-19.17",
			FITID:  "xx", Day: day(2007, 5, 10), Description: "WALGREEN      34638675 ANYTOWN"},
		"inovar-ofx-simple-parser__inter-05.ofx": {Line: 44, Account: "69159877", AmountLine: 47, Amount: "82.98",
			FITID: "802602961873", Document: "092", Day: day(2026, 8, 21),
			Description: `Akad Seguros S A Transferencia recebida: "230 2159 380345 AKAD SEGUROS S A"`},
	} {
		item, err := newReader(bytes.NewReader(corpusFile(t, map[string]string{"file": "ofx/" + file}))).Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := diff(want, item); diff != "" {
			t.Errorf("%s: -want +got\n%s", file, diff)
		}
	}
}

func day(year, month, d int) finance.Date {
	date, _ := finance.NewDate(year, time.Month(month), d)
	return date
}

// A file that breaks off is an error wherever it does, also between two items.
func TestCutCorpus(t *testing.T) {
	t.Parallel()
	files, cuts := 0, 0
	for _, row := range manifest(t) {
		file := corpusFile(t, row)
		items, err := readAll(newReader(bytes.NewReader(file)))
		if !strings.HasPrefix(row["format"], "OF") || err != nil {
			continue
		}
		files++
		ends := regexp.MustCompile(`(?i)</\x00?O\x00?F\x00?[XC]`).FindAllIndex(file, -1)
		for _, cut := range cutsOf(file, ends[len(ends)-1][1]) {
			cuts++
			got, err := readAll(newReader(bytes.NewReader(file[:cut])))
			if !errors.As(err, new(*Error)) || len(got) > 0 {
				t.Errorf("%s, cut behind %d of %d bytes: %d of %d items, error %v", row["file"], cut, len(file),
					len(got), len(items), err)
			}
		}
	}
	t.Logf("%d files, %d cuts", files, cuts)
	if files < 60 || cuts < 3000 {
		t.Error("too few")
	}
}

// cutsOf returns where to cut a file that ends at a place: behind each item and each of its fields, and at every
// 1/97 of the file.
func cutsOf(file []byte, end int) (cuts []int) {
	for _, mark := range regexp.MustCompile(`(?i)</?(STMTTRN|TRNAMT|MEMO|BANKTRANLIST|STMTRS)>`).FindAllIndex(
		file[:end], -1) {
		cuts = append(cuts, mark[1])
	}
	for part := range 97 {
		cuts = append(cuts, end*part/97)
	}
	return append(cuts, end)
}
