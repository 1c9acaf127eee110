package statement

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stating returns an OFX file with a statement of each account, with an item unless the number ends in "!".
func stating(numbers ...string) string {
	var b strings.Builder
	b.WriteString("<OFX><BANKMSGSRSV1>")
	for _, number := range numbers {
		number, empty := strings.CutSuffix(number, "!")
		fmt.Fprintf(&b, "<STMTRS><CURDEF>BRL<BANKACCTFROM><ACCTID>%s</BANKACCTFROM><BANKTRANLIST>"+
			"<DTSTART>20260101<DTEND>20260131", number)
		if !empty {
			b.WriteString("<STMTTRN><DTPOSTED>20260105<TRNAMT>-1.00</STMTTRN>")
		}
		b.WriteString("</BANKTRANLIST></STMTRS>")
	}
	return b.String() + "</OFX>"
}

func TestAFileIsRoutedByItsAccounts(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprint(1000+i))
	}
	for name, c := range map[string]struct {
		file    string
		numbers []string
		want    string // of each account of the file, and its number
		broken  bool
	}{
		"the same text":                     {stating("12345-6"), []string{"9", "12345-6"}, "12345-6:1", false},
		"punctuation and zeros":             {stating("00123456"), []string{"12345-6"}, "00123456:0", false},
		"a branch":                          {stating("0123/12345-6"), []string{"12345-6"}, "0123/12345-6:0", false},
		"without check digit":               {stating("12345"), []string{"12345-6"}, "12345:0", false},
		"two accounts":                      {stating("222", "111"), []string{"111", "222"}, "222:1 111:0", false},
		"without movement":                  {stating("111!", "222"), []string{"111", "222"}, "111:0 222:1", false},
		"one account twice":                 {stating("111", "0111"), []string{"111"}, "111:0", false},
		"unknown":                           {stating("111", "333"), []string{"111"}, "111:0 333:-1", false},
		"no numbers":                        {stating("111"), nil, "111:-1", false},
		"an exact one before a similar one": {stating("12345-6"), []string{"12345", "12345-6"}, "12345-6:1", false},
		"two that are the same":             {stating("1234-5"), []string{"12345", "1234-5"}, "1234-5:-1[0 1]", false},
		"two that are similar":              {stating("12345"), []string{"12345-6", "12345-7"}, "12345:-1[0 1]", false},
		"two of the file are similar": {stating("12345-6", "12345-7"), []string{"12345"}, "12345-6:-1 12345-7:-1",
			false},
		"items without a number": {stating("", "111"), []string{"111"}, ":-1 111:0", false},
		"a QIF":                  {"!Type:Bank\nD01/02/2026\nT-5.00\n^\n", []string{"111"}, ":-1", false},
		"only named":             {"<OFX><ACCTFROM><ACCTID>111</ACCTFROM></OFX>", []string{"111"}, "111:0", false},
		"nothing":                {"<OFX></OFX>", []string{"111"}, "", false},
		"cut off":                {strings.TrimSuffix(stating("111"), "</OFX>"), []string{"111"}, "111:0", true},
		"no statement":           {"%PDF-1.7", nil, "", true},
		"more than a hundred":    {stating(many...), many[:1], "1000:0" + unknown(many[1:100]), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := ReadAccounts(strings.NewReader(c.file))
			if errors.As(err, new(*Error)) != c.broken {
				t.Fatal(err)
			}
			r := a.Route(c.numbers)
			var got []string
			ambiguous := 0
			for i, number := range a.Numbers {
				text := fmt.Sprintf("%s:%d", number, r.To[i])
				if ambiguous < len(r.Ambiguous) && r.Ambiguous[ambiguous].Account == number {
					text += fmt.Sprint(r.Ambiguous[ambiguous].Numbers)
					ambiguous++
				}
				got = append(got, text)
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
			if unrouted := strings.Count(c.want, ":-1"); len(r.Unknown)+len(r.Ambiguous) != unrouted {
				t.Errorf("%d unknown, %d ambiguous, want %d", len(r.Unknown), len(r.Ambiguous), unrouted)
			}
		})
	}
}

// unknown writes accounts of a file to which no number belongs.
func unknown(numbers []string) (text string) {
	for _, number := range numbers {
		text += " " + number + ":-1"
	}
	return text
}
