package statement

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/messages"
)

// doors has files of banks and aggregators whose licence is not stated, so they are no part of the repository.
const doors = "../../../shared/doors"

// doorFiles returns the manifest's rows of the doors with kinds that begin so. Without the files it skips the test.
func doorFiles(t *testing.T, kinds ...string) (rows []map[string]string) {
	t.Helper()
	all, err := readManifest(filepath.Join(doors, "manifest.tsv"))
	if os.IsNotExist(err) {
		t.Skip("there are no files of doors")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		for _, kind := range kinds {
			if strings.HasPrefix(row["kind"], kind) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// doorFile returns a file of the doors. Without the files it skips the test.
func doorFile(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(doors, "files", name))
	if os.IsNotExist(err) {
		t.Skip("there are no files of doors")
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// sums returns a sum of the manifest.
func sums(t *testing.T, row map[string]string, name string) finance.Amount {
	t.Helper()
	for _, sum := range strings.Fields(row["sums"]) {
		if text, ok := strings.CutPrefix(sum, name+"="); ok {
			amount, err := parseAmount(text)
			if err != nil {
				t.Fatal(err)
			}
			return amount
		}
	}
	t.Fatalf("%s has no %s", row["file"], name)
	return 0
}

// The files of JSON have as many items as the manifest says, with its sum, and those that it calls pending are.
func TestDoorsOfJSON(t *testing.T) {
	t.Parallel()
	rows := doorFiles(t, "json")
	for _, row := range rows {
		file := doorFile(t, row["file"])
		if got := Detect(file); got != JSON {
			t.Errorf("%s is %q", row["file"], got)
		}
		_, items, err := readJSON(t, string(file))
		if err != nil {
			t.Errorf("%s: %v", row["file"], err)
		}
		var sum finance.Amount
		outcomes := map[Outcome]int{}
		for _, item := range items {
			outcome, amount, err := Classify(item, "", day(2026, 11, 26))
			if err != nil {
				t.Error(err)
			}
			sum += amount
			outcomes[outcome]++
		}
		pending := 0
		_, statuses, _ := strings.Cut(row["sums"], "status=")
		for _, status := range strings.FieldsFunc(statuses, func(c rune) bool { return c == '+' || c == ' ' }) {
			name, count, _ := strings.Cut(status, ":")
			n, _ := strconv.Atoi(count)
			switch name {
			case "PENDING", "LANCAMENTO_FUTURO", "TRANSACAO_PROCESSANDO":
				pending += n
			}
		}
		if want := sums(t, row, "net"); strconv.Itoa(len(items)) != row["records"] || sum != want ||
			outcomes[Pending] != pending || outcomes[Imported] != len(items)-pending {
			t.Errorf("%s: %d items with the sum %v, %v; want %s, %v, %d pending", row["file"], len(items), sum,
				outcomes, row["records"], want, pending)
		}
		t.Logf("%s: %d items, %v, sum %v", row["file"], len(items), outcomes, sum)
	}
	if len(rows) != 3 {
		t.Errorf("%d files", len(rows))
	}
}

// The days, amounts and counterparts of Pluggy's items.
func TestPluggyOfTheDoors(t *testing.T) {
	t.Parallel()
	for _, row := range doorFiles(t, "json") {
		if row["bank"] != "pluggy" {
			continue
		}
		_, items, err := readJSON(t, string(doorFile(t, row["file"])))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, i := range items {
			got += strings.Join([]string{i.Day.String(), i.Amount, i.Payment.CounterpartName,
				i.Payment.CounterpartDocument, i.Payment.TxID}, " ") + "\n"
		}
		if diff := diff(`2026-03-23 -2631.5 Bruna Ficticia de Tal 81395965749 
2026-03-23 100 Bruna Ficticia de Tal 81395965749 7978c0c97ea847e78e8849634473c1f1
2026-03-23 1250.3 COMERCIO INVENTADO LTDA 78222985000197 
2026-03-23 1250.3 COMERCIO INVENTADO LTDA 78222985000197 
2026-03-22 -0.1   
2026-03-25 -980.55 FORNECEDOR IRREAL SA 90508414000119 
2026-03-21 50000   
`, got); diff != "" {
			t.Error(diff)
		}
	}
}

// The CNAB 240 statements have as many items as the manifest says, with its sums, and their balances are proved. Those
// that are broken on purpose bring nothing.
func TestDoorsOfCNAB240(t *testing.T) {
	t.Parallel()
	rows := doorFiles(t, "cnab240-statement")
	for _, row := range rows {
		file := doorFile(t, row["file"])
		if got := Detect(file); got != CNAB240 {
			t.Errorf("%s is %q", row["file"], got)
		}
		r := newReader(bytes.NewReader(file))
		items, err := readAll(r)
		if strings.Contains(row["notes"], "NEGATIVE") {
			if !errors.As(err, new(*Error)) || len(items) > 0 {
				t.Errorf("%s: %d items, error %v", row["file"], len(items), err)
			}
			t.Logf("%s: %v", row["file"], err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row["file"], err)
			continue
		}
		var debits, credits finance.Amount
		for _, item := range items {
			outcome, amount, err := Classify(item, "", day(2026, 11, 26))
			if outcome != Imported || err != nil {
				t.Errorf("%s: item of line %d is %s, error %v", row["file"], item.Line, outcome, err)
			}
			debits, credits = debits-min(amount, 0), credits+max(amount, 0)
		}
		if strconv.Itoa(len(items)) != row["records"] || debits != sums(t, row, "D") || credits != sums(t, row, "C") {
			t.Errorf("%s: %d items, D %v C %v; want %s, %s", row["file"], len(items), debits, credits, row["records"],
				row["sums"])
		}
		proved := len(r.Notes()) == 0
		if random := strings.Contains(row["notes"], "random"); proved == random {
			t.Errorf("%s: notes %v", row["file"], r.Notes())
		}
		s := r.Summaries()[0]
		t.Logf("%s: %d items, D %v C %v, account %s, balance %v on %v, proved %t", row["file"], len(items), debits,
			credits, s.Account, s.LedgerBalance, s.LedgerBalanceOn, proved)
	}
	if len(rows) != 11 {
		t.Errorf("%d files", len(rows))
	}
}

// The files of the doors that are no statements are refused, and named.
func TestDoorsThatAreNoStatements(t *testing.T) {
	t.Parallel()
	refused := map[string]*messages.Fault{"cnab240-return": messages.CNAB240, "cnab400-return": messages.CNAB400,
		"xls": messages.Spreadsheet}
	n := 0
	for _, row := range doorFiles(t, "cnab", "xls") {
		want := refused[row["kind"]]
		if want == nil {
			continue
		}
		n++
		head := doorFile(t, row["file"])
		head = head[:min(len(head), DetectSize)]
		if format := Detect(head); format != "" {
			t.Errorf("%s is %s", row["file"], format)
		}
		if got := LooksLike(head); got != want {
			t.Errorf("%s: %s, want %s", row["file"], got, want)
		}
	}
	if n < 35 {
		t.Errorf("%d files", n)
	}
}
