package memo

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"bordero/finance"

	"github.com/google/go-cmp/cmp"
)

// labelled is a text of a bank with the payment that Read should return.
type labelled struct {
	bank   string
	text   Text
	want   Payment
	accept []string // other right names; "<blank>" for none
}

// bankNames are the banks of the labelled texts.
var bankNames = map[string]int64{"bb": bb, "santander": santander, "inter": inter, "caixa": caixa, "stone": stone,
	"btg": 208, "bradesco": bradesco, "nubank": nubank, "mercadopago": 323, "c6": 336, "itau": itau, "gerencianet": efi,
	"bv": 413, "sicredi": sicredi, "sicoob": sicoob, "-": anyBank}

// labelledTexts reads testdata/memos.tsv, or the file that BORDERO_TEST_MEMOS names.
func labelledTexts(t testing.TB) (texts []labelled) {
	t.Helper()
	path := os.Getenv("BORDERO_TEST_MEMOS")
	if path == "" {
		path = "testdata/memos.tsv"
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		value := func(column string) string { return row[slices.Index(rows[0], column)] }
		bank, known := bankNames[value("bank")]
		if !known {
			t.Fatalf("no bank %q", value("bank"))
		}
		l := labelled{
			bank: value("bank"),
			text: Text{bank, described(value("name"), value("memo")), []string{value("ref")}},
			want: Payment{value("end_to_end_id"), value("txid"), value("counterpart"), value("doc")},
		}
		if value("doc_dv") == "bad" { // of a corpus whose digits were scrambled
			l.want.CounterpartDocument = ""
		}
		if value("accept") != "" {
			l.accept = strings.Split(value("accept"), "|")
		}
		texts = append(texts, l)
	}
	return texts
}

// described joins name and memo as the reader of statements does.
func described(name, memo string) string {
	switch {
	case strings.HasPrefix(memo, name):
		return memo
	case strings.HasPrefix(name, memo):
		return name
	}
	return name + " " + memo
}

// score counts what was wanted, found and right.
type score struct{ wanted, found, right int }

func (s *score) add(got, want string, accept []string) (right bool) {
	right = got == want || got != "" && slices.Contains(accept, got) ||
		got == "" && slices.Contains(accept, "<blank>")
	if want != "" && !(got == "" && right) {
		s.wanted++
	}
	if got != "" {
		s.found++
		if right && want != "" {
			s.right++
		} else if right { // a name that may be found
			s.found--
		}
	}
	return right
}

func (s *score) String() string { return fmt.Sprintf("%d/%d", s.right, s.wanted) }

// scores are of ids, documents and names.
type scores [3]score

func (s *scores) add(t *testing.T, l labelled, got Payment) {
	t.Helper()
	fields := []struct {
		of        *score
		got, want string
		accept    []string
	}{
		{&s[0], got.EndToEndID, l.want.EndToEndID, nil},
		{&s[0], got.TxID, l.want.TxID, nil},
		{&s[1], got.CounterpartDocument, l.want.CounterpartDocument, nil},
		{&s[2], got.CounterpartName, l.want.CounterpartName, l.accept},
	}
	for _, f := range fields {
		if !f.of.add(f.got, f.want, f.accept) {
			t.Logf("%s %q %q: %q, want %q", l.bank, l.text.Description, l.text.References[0], f.got, f.want)
		}
	}
}

// recall is what is found of what the banks wrote: ids, documents, names.
const recall = `
-             5/5     1/1     3/3
bb            0/0     7/7   22/22
bradesco      0/0     0/0     7/7
btg           0/0     0/0     2/2
bv            5/5     0/0     0/0
c6            0/0     0/0     1/1
caixa         0/0     2/2     2/2
gerencianet   0/0     0/0     6/6
inter         0/0     0/0   19/19
itau          0/0     1/1   18/18
mercadopago   0/0     0/0     1/1
nubank        0/0   22/22   24/24
santander     0/0   10/10     2/2
sicoob        0/0     3/3     4/4
sicredi       0/0   13/13   19/19
stone         0/0     0/0     2/2
`

func TestPrecisionAndRecall(t *testing.T) {
	t.Parallel()
	texts := labelledTexts(t)
	known, unknown := map[string]*scores{"all": {}}, &scores{}
	for _, l := range texts {
		got := Read(l.text)
		if known[l.bank] == nil {
			known[l.bank] = &scores{}
		}
		known[l.bank].add(t, l, got)
		known["all"].add(t, l, got)
		l.text.Bank = 0
		unknown.add(t, l, Read(l.text))
	}
	for i, field := range []string{"ids", "documents", "names"} {
		for whose, s := range map[string]score{"known": known["all"][i], "unknown": unknown[i]} {
			if s.right*100 < s.found*99 {
				t.Errorf("%s of %s banks: %d of %d that were found are right", field, whose, s.right, s.found)
			}
			if s.right*100 < s.wanted*99 {
				t.Errorf("%s of %s banks: %v are found", field, whose, &s)
			}
		}
	}
	var table strings.Builder
	delete(known, "all")
	for _, bank := range slices.Sorted(maps.Keys(known)) {
		s := known[bank]
		fmt.Fprintf(&table, "%-11s %5v %7v %7v\n", bank, &s[0], &s[1], &s[2])
	}
	t.Log("\n" + table.String())
	if os.Getenv("BORDERO_TEST_MEMOS") != "" {
		return
	}
	if diff := cmp.Diff(strings.TrimPrefix(recall, "\n"), table.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBanksAreKnown(t *testing.T) {
	t.Parallel()
	for _, row := range table {
		isRow := func(b finance.Bank) bool { return b.ID == row.bank }
		if row.bank != anyBank && !slices.ContainsFunc(finance.Banks, isRow) {
			t.Errorf("no bank %d: %s", row.bank, row.text)
		}
	}
}
