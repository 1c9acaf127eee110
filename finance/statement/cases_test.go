package statement

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bordero/finance"
)

// readCase reads a file of a folder of cases.
func readCase(t *testing.T, folder, file string) (*Reader, []Item) {
	t.Helper()
	f, err := os.Open(filepath.Join("../../testdata/cases", folder, file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r := newReader(f)
	items, err := readAll(r)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r, items
}

func TestCaseDates(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"04-unreadable-dates/compact.qif":            "2026-01-26 2026-01-26",
		"04-unreadable-dates/dd-mon-yyyy.qif":        "2026-01-26 2026-01-26",
		"04-unreadable-dates/iso-time.qif":           "2026-01-26 2026-01-26",
		"04-unreadable-dates/ddmmyyyy.ofx":           "2026-11-26 2026-11-26 " + DatesByConvention,
		"04-unreadable-dates/dd-mm-yyyy-slashes.ofx": "2026-11-26 2026-11-26 " + DatesByConvention,
		"04-unreadable-dates/ddmmyyyyhhmmss.ofc":     "2026-11-26 2026-11-26 " + DatesByConvention,
		"23-qif-two-digit-year-first/yy-mm-dd.qif": "2026-08-12 2026-08-15 2026-09-03 2026-11-04 2026-11-28 " +
			DatesByConvention,
		"23-qif-two-digit-year-first/dd-mm-yy.qif": "2026-08-12 2026-08-15",
	} {
		folder, name := filepath.Split(file)
		r, items := readCase(t, folder, name)
		var got []string
		for _, item := range items {
			got = append(got, item.Day.String())
		}
		for _, note := range r.Notes() {
			if got = append(got, note.Code); note.Count != int64(len(items)) {
				t.Errorf("%s: %+v", file, note)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %v, want %s", file, got, want)
		}
	}
}

func TestCaseDirections(t *testing.T) {
	t.Parallel()
	for file, notes := range map[string][]Note{"signed-as-usual.ofx": nil, "unsigned.ofx": {{SignsByType, 3}}} {
		r, items := readCase(t, "03-unsigned-trntype", file)
		var sum finance.Amount
		for i, want := range []finance.Amount{100_00, -40_00, -9_90, -30_00} {
			_, amount, err := Classify(items[i], "", day(2026, 11, 26))
			if sum += amount; amount != want || err != nil {
				t.Errorf("%s: item %d is %v, error %v", file, i, amount, err)
			}
		}
		if balance := r.Summary("").LedgerBalance; sum != *balance {
			t.Errorf("%s: the sum is %v, the balance %v", file, sum, balance)
		}
		if diff := diff(notes, r.Notes()); diff != "" {
			t.Errorf("%s: -want +got\n%s", file, diff)
		}
	}
}

func TestCasePayeeInREFNUM(t *testing.T) {
	t.Parallel()
	_, memo := readCase(t, "06-payee-in-refnum", "memo-shape.ofx")
	_, refnum := readCase(t, "06-payee-in-refnum", "sicredi-shape.ofx")
	if got := memo[0].Description; got != "PAGAMENTO PIX 11222333000181 DISTRIBUIDORA AURORA" {
		t.Error(got)
	}
	if got := refnum[0].Description; got != "PAGAMENTO PIX PIX_DEB   11222333000181 DISTRIBUIDORA AURORA" {
		t.Error(got)
	}
	if got := refnum[0].Document; got != "PIX_DEB   11222333000181 DISTRIBUIDORA AURORA" {
		t.Error(got)
	}
}

func TestCaseBalanceRows(t *testing.T) {
	t.Parallel()
	_, items := readCase(t, "10-balance-rows", "names.ofx")
	if len(items) != 15 {
		t.Fatalf("%d items", len(items))
	}
	for i, item := range items {
		want := Balance
		if i >= 13 {
			want = Imported
		}
		if got, _, err := Classify(item, "", day(2026, 11, 26)); got != want || err != nil {
			t.Errorf("%s is %s, error %v", item.Description, got, err)
		}
	}
}

func TestCaseAccountNumbers(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"plain.ofx", "branch.ofx", "no-digit.ofx"} {
		r, items := readCase(t, "12-acctid-forms", file)
		account := r.AccountOf("12345-6")
		if outcome, _, err := Classify(items[0], account, day(2026, 11, 26)); outcome != Imported || err != nil {
			t.Errorf("%s: %s, error %v", file, outcome, err)
		}
		if said := r.Summary(account); said.Items != 1 {
			t.Errorf("%s: %+v", file, said)
		}
	}
}
