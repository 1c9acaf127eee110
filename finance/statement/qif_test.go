package statement

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// All variants of the format that programs write contain the same movement.
func TestOneMovementOfQIF(t *testing.T) {
	want := Item{Day: day(2026, 3, 2), Amount: "-1.50", Document: "8", Description: "Padaria Pão"}
	const plain = "!Type:Bank\nD02/03/2026\nT-1.50\nN8\nPPadaria\nMPão\n^\n"
	for name, file := range map[string]string{
		"as it is":             plain,
		"CRLF":                 strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR":                   strings.ReplaceAll(plain, "\n", "\r"),
		"LF CR":                strings.ReplaceAll(plain, "\n", "\n\r"),
		"blanks":               strings.ReplaceAll(plain, "\n", " \t\n\n  "),
		"header in upper case": strings.ReplaceAll(plain, "!Type:Bank", "!TYPE:BANK  "),
		"cash":                 strings.ReplaceAll(plain, "Bank", "Cash"),
		"an asset":             strings.ReplaceAll(plain, "Bank", "Oth A"),
		"a liability":          strings.ReplaceAll(plain, "Bank", "oth l"),
		"no end":               strings.ReplaceAll(plain, "^\n", ""),
		"no end, no line end":  strings.ReplaceAll(plain, "^\n", "LFood"),
		"a cut text":           strings.ReplaceAll(plain, "^\n", "N9"),
		"ended by a header":    strings.ReplaceAll(plain, "^", "!Type:Cat"),
		"empty records":        strings.ReplaceAll(plain, "\n", "\n^\n")[:13] + plain[11:] + "^\n^\n",
		"comments":             "# a\n" + strings.ReplaceAll(plain, "N8", "# N9\nN8\n#"),
		"unknown lines":        strings.ReplaceAll(plain, "N8", "CX\nLFood\nL[x]\n%5\nZ\nN8"),
		"address for name":     strings.ReplaceAll(plain, "PPadaria", "APadaria\nARua 1"),
		"address and name":     strings.ReplaceAll(plain, "PPadaria", "ARua 1\nPPadaria"),
		"more exact":           strings.ReplaceAll(plain, "T-1.50", "U-1.504\nT-1.50\nU-1.5"),
		"only more exact":      strings.ReplaceAll(plain, "T-1.50", "U-1.50"),
		"splits": strings.ReplaceAll(plain, "^",
			"SFood\nEa\n$-1.00\n%50\nSx\nN9\nM9\nD01/01/2020\n$-0.50\nT9\n^"),
		"blank lines said":     strings.ReplaceAll(plain, "N8", "N\nP\nM\nN8"),
		"dates of Quicken":     strings.ReplaceAll(plain, "02/03/2026", "2/ 3'26"),
		"dates of two digits":  strings.ReplaceAll(plain, "02/03/2026", "02-03-26"),
		"dates with points":    strings.ReplaceAll(plain, "02/03/2026", "2.3.2026"),
		"ISO dates":            strings.ReplaceAll(plain, "02/03/2026", "2026-03-02"),
		"lists before":         "!Type:Cat\nNx\nD1\n^\n!Type:Tag\nNx\n^\n!Type:Security\nNx\nS^x\n^\n" + plain,
		"trades before":        "!Type:Invst\nD1/31/2026\nNBuy\nT5\n^\n" + plain,
		"CP1252":               strings.ReplaceAll(plain, "ã", "\xE3"),
		"UTF-8 mark":           "\uFEFF" + plain,
		"UTF-16 little-endian": string(utf16Bytes(binary.LittleEndian, plain)),
		"UTF-16 big-endian":    string(utf16Bytes(binary.BigEndian, plain)),
		"control characters":   strings.ReplaceAll(plain, "Pão", "P\x00ã\x07o") + "\x1a",
	} {
		got := one(t, file)
		got.Line, got.AmountLine = 0, 0
		if diff := diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		again, err := readAll(newReader(slow{strings.NewReader(file)}))
		if err != nil || len(again) != 1 {
			t.Errorf("%s: %d items byte by byte, error %v", name, len(again), err)
		}
	}
}

// rows returns a file of movements with these dates or amounts.
func rows(values string, record string) string {
	file := "!Type:Bank\n"
	for value := range strings.FieldsSeq(values) {
		file += fmt.Sprintf(record, strings.ReplaceAll(value, "_", " "))
	}
	return file
}

// The whole file determines the order of day and month.
func TestDatesOfQIF(t *testing.T) {
	for written, want := range map[string]string{
		"01/02/2026 03/04/2026":             "2026-02-01 2026-04-03", // ambiguous
		"!Option:MDY 01/02/2026":            "2026-01-02",
		"!option:mdy 01/02/2026 1/2'26":     "2026-01-02 2026-01-02",
		"!Option:DMY 01/02/2026":            "2026-02-01",
		"!Option:MDY 01/02/2026 13/02/26":   "2026-01-02 -", // the header holds
		"!Option:DMY 02/13/2026 02/13/2026": "",
		"!Option:MDY 26/08/12 26/08/15":     "2026-08-12 2026-08-15", // it speaks of days and months before years
		"!Option:DMY 2026-08-12":            "2026-08-12",
		"01/02/2026 13/02/2026":             "2026-02-01 2026-02-13",
		"01/02/2026 02/13/2026":             "2026-01-02 2026-02-13",
		"01/02/2026 13/02/26 02/13/2026":    "2026-02-01 2026-02-13 -", // both orders
		"01/02/2026 31/02/2026":             "2026-02-01 -",
		"2026-02-01 2026/2/3 2026.12.31":    "2026-02-01 2026-02-03 2026-12-31",
		"2026-13-01 01/02/2026 2026-1-31":   "- 2026-02-01 -", // one order for all
		"2026-13-01 2026-31-01 2026-1-31":   "2026-01-13 2026-01-31 -",
		"1/_1'26 12/31'_7 1/1'99":           "2026-01-01 2007-12-31 2099-01-01",
		"1/1/69 1/1/70 1/1/99 1/1/00":       "2069-01-01 1970-01-01 1999-01-01 2000-01-01",
		"31-12-2026 1.2.26 29/02/2026":      "2026-12-31 2026-02-01 -",
		"32/01/2026 1/33/2026 01/02/2026":   "- - 2026-02-01", // an invalid day shows no order
		"0/1/2026 1/0/2026 00/00/0000":      "",
		"x 1/2 1/2/3/4 1/2/ /1/2 1//2":      "",
		"1/2/126 1/2/12345 1_2/3/26 1:2":    "",
		"01/02/2026T10:00 20260201 1'2'3":   "2026-02-01 - 2003-02-01",
		// The fewest dates more than a year after today, 26 November 2026.
		"26/11/27 26/11/28": "2026-11-27 2026-11-28",
		// The shortest span, with the year first or last.
		"26/08/12 26/08/15 26/09/03": "2026-08-12 2026-08-15 2026-09-03",
		"12/08/26 15/08/26":          "2026-08-12 2026-08-15",
		"26/08/12":                   "2012-08-26", // last if equal
		"260812 260815":              "2026-08-12 2026-08-15",
		"120826 150826":              "2026-08-12 2026-08-15",
		// Day before month, unless only month before day is in order, either way.
		"03/01/2026 03/05/2026 04/02/2026": "2026-03-01 2026-03-05 2026-04-02",
		"04/02/2026 03/05/2026 03/01/2026": "2026-04-02 2026-03-05 2026-03-01",
		"01/03/2026 05/03/2026 02/04/2026": "2026-03-01 2026-03-05 2026-04-02",
		"01/02/2026 04/05/2026 02/03/2026": "2026-02-01 2026-05-04 2026-03-02", // neither
		// Compact, with a time, and with months by name.
		"20260126 20260127":                   "2026-01-26 2026-01-27",
		"26012026 27012026":                   "2026-01-26 2026-01-27",
		"20101130 20101129":                   "2010-11-30 2010-11-29",
		"20260126101500 20260127":             "2026-01-26 2026-01-27",
		"2026-01-26T00:00:00 2026-01-27_1:02": "2026-01-26 2026-01-27",
		"26_Jan_2026 27-jan-26 28.FEV.2026":   "2026-01-26 2026-01-27 2026-02-28",
		"26JAN2026 27jan26":                   "2026-01-26 2026-01-27",
		"Jan_26,_2026 march_27_2026":          "2026-01-26 2026-03-27",
		"26/março/2026 27_de_dezembro_de_26":  "2026-03-26 2026-12-27",
		"26_mar\xE7o_2026 27_sept_2026":       "2026-03-26 -",
		"26_01_2026 27_1_26":                  "2026-01-26 2026-01-27",
	} {
		file := rows(written, "D%s\nT1\n^\n")
		file = regexp.MustCompile(`D(!.*\n)T1\n\^\n`).ReplaceAllString(file, "$1")
		items, err := readAll(newReader(strings.NewReader(file)))
		if (err != nil) != (want == "") {
			t.Errorf("%s: %v", written, err)
		}
		var got []string
		for _, item := range items {
			if item.Day.IsZero() {
				got = append(got, "-")
			} else {
				got = append(got, item.Day.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %s, want %s", written, got, want)
		}
	}
}

// The whole file determines which mark groups thousands.
func TestAmountsOfQIF(t *testing.T) {
	for written, want := range map[string]string{
		"1,000 -12,345 R$_1,000 0.5": "1000.0 -12345.0 1000.0 0.5",
		"1,000 1,5":                  "1.0 1.5",
		"1,000 1.234,56":             "1.0 1234.56",
		"1,000 1,234.56 1.5":         "1000.0 1234.56 1.5",
		"1,000":                      "1000.0",
		"0,500 1,000":                "0.5 1.0", // a 0 cannot begin grouped thousands
		"1234,567 1,000":             "1234.57 1.0",
		"1.000":                      "1.0",
		"1.000 2,50 -3.000":          "1000.0 2.5 -3000.0",
		"1.000 2,50 2.50":            "1.0 2.5 2.5",
		"12.345 1.234.567":           "12345.0 1234567.0",
		"12,345 1.234.567":           "12.35 1234567.0",
		"12.345 1,234,567":           "12.35 1234567.0",
		"10,000,000.00 +1,000":       "10000000.0 1000.0",
		"$120 -R$_1.234,50":          "120.0 -1234.5",
	} {
		items, err := readAll(newReader(strings.NewReader(rows(written, "D1/2/2026\nT%s\n^\n"))))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range items {
			_, amount, err := Classify(item, "", day(2026, 3, 1))
			if err != nil {
				t.Error(err)
			}
			got = append(got, amount.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %s, want %s", written, got, want)
		}
	}
}

func TestAccountsAndCardsOfQIF(t *testing.T) {
	const item = "D1/2/2026\nT1\n^\n"
	list := "!Option:AutoSwitch\n!Account\nNA\nTBank\n^\nNB\nTCCard\nL1000\n^\n!Clear:AutoSwitch\n"
	account := func(name, kind string) string { return "!Account \nN" + name + "\nT401(k)\n^\n!Type:" + kind + "\n" }
	for name, c := range map[string]struct {
		file string
		want string
	}{
		"none":   {"!Type:Bank\n" + item, " false"},
		"a card": {"!Type:CCard\n" + item, " true"},
		"two": {list + account("A", "Bank") + item + item + account("Card B", "CCard") + item,
			"A false, A false, Card B true"},
		"a list is no account": {list + "!Type:Bank\n" + item, " false"},
		"a list that is never closed": {strings.ReplaceAll(list, "!Clear:AutoSwitch\n", "") + account("A", "Bank") +
			item + account("B", "Bank") + item, "A false, B false"},
		"lists between": {"!Account\nNA\n^\n!Type:Cat\nNx\n^\n!Type:Bank\n" + item + "!Type:Invst\n" + item +
			"!Type:Cash\n" + item, "A false, A false"},
		"an account without end": {"!Account\nNA\n!Type:Bank\n" + item, "A false"},
	} {
		items, err := readAll(newReader(strings.NewReader(c.file)))
		if err != nil {
			t.Fatal(name, err)
		}
		var got []string
		for _, item := range items {
			got = append(got, fmt.Sprint(item.Account, " ", item.Card))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestBrokenQIF(t *testing.T) {
	const (
		item = "D1/2/2026\nT1\n"
		cut  = "o arquivo termina dentro do lançamento que começa aqui; esperado "
		none = `o lançamento vem antes de uma linha "!Type:" que diga de que conta ele é; esperado !Type:Bank, ` +
			`!Type:Cash ou !Type:CCard`
	)
	for name, c := range map[string]struct {
		file  string
		items int
		line  int // 0 if the file is valid
		text  string
	}{
		"a list alone":               {"!Account\nNA\n^\n", 0, 0, ""},
		"a header alone":             {"!Type:Bank", 0, 0, ""},
		"an empty record first":      {"^\n!Type:Cat\nNx", 0, 0, ""},
		"trades alone, cut":          {"!Type:Invst\nD1/2/2026", 0, 0, ""},
		"a record before any type":   {item + "^\n!Type:Bank\n" + item, 0, 1, none},
		"a record without any type":  {"!Option:MDY\n\n" + item, 0, 3, none},
		"a record after the account": {"!Account\nNA\nTBank\n^\n" + item + "^\n", 0, 5, none},
		"a type that nobody knows": {"!Type:Bank\n" + item + "^\n!Type:Banco Ativo \n", 0, 5,
			`o tipo de lista "Banco Ativo" não é conhecido; esperado !Type:Bank, !Type:Cash, !Type:CCard, !Type:Oth ` +
				`A ou !Type:Oth L`},
		"cut before the date":         {"!Type:Bank\nT1\nMx", 0, 2, cut + "D"},
		"cut at the date":             {"!Type:Bank\nT1\nD", 0, 2, cut + "D"},
		"cut before the amount":       {"!Type:Bank\n" + item + "^\nD1/2/2026\nMx", 0, 5, cut + "T"},
		"cut at the amount":           {"!Type:Bank\nD1/2/2026\nT", 0, 2, cut + "T"},
		"others are closed":           {"!Type:Bank\n" + item + "^\n" + item, 0, 5, cut + "^"},
		"the only one is not closed":  {"!Type:Bank\n" + item, 1, 0, ""},
		"blank date and amount":       {"!Type:Bank\nD\nT\n^", 1, 0, ""},
		"a blank amount, then no end": {"!Type:Bank\nD\nT\n", 1, 0, ""},
	} {
		for _, r := range []*Reader{newReader(strings.NewReader(c.file)), newReader(slow{strings.NewReader(c.file)})} {
			items, err := readAll(r)
			if len(items) != c.items {
				t.Errorf("%s: %d items, want %d", name, len(items), c.items)
			}
			var broken *Error
			switch {
			case c.line == 0 && err != nil:
				t.Errorf("%s: %v", name, err)
			case c.line > 0 && !errors.As(err, &broken):
				t.Errorf("%s: error %v", name, err)
			case c.line > 0 && *broken != Error{c.line, c.text}:
				t.Errorf("%s: %v, want line %d: %s", name, err, c.line, c.text)
			}
		}
	}
}

func TestLinesOfQIF(t *testing.T) {
	items, err := readAll(newReader(strings.NewReader("\r\n\n\r!Type:Bank\r\rD1/2/2026\r\nU1\rT2\n^\r\n\r\nD1/2/" +
		"2026\nMx\nT1\n^")))
	if err != nil || len(items) != 2 {
		t.Fatal(items, err)
	}
	got := []int{items[0].Line, items[0].AmountLine, items[1].Line, items[1].AmountLine}
	if diff := diff([]int{6, 8, 11, 13}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestLongValuesOfQIF(t *testing.T) {
	for _, letter := range []string{"a", "é", "\xE9", " b"} {
		got := one(t, "!Type:Bank\nD1/2/2026\nT1\nM"+strings.Repeat(letter, 100_000)+"\nN5\n^\n")
		if !strings.HasSuffix(got.Description, "…") || got.Document != "5" || strings.ContainsAny(got.Description,
			"\uFFFDÃ") {
			t.Errorf("a description of %d bytes, document %q", len(got.Description), got.Document)
		}
	}
	got := one(t, "!Type:Bank\nD1/2/2026\nT1"+strings.Repeat("0", 5000)+"\n^\n")
	if _, _, err := Classify(got, "", day(2026, 3, 1)); err == nil {
		t.Error("an amount that was cut is taken")
	}
}

// Accounts with items have summaries, however many accounts a file lists.
func TestAccountsWithItemsAreNotLost(t *testing.T) {
	var file strings.Builder
	for i := range 3 * maxSummaries {
		fmt.Fprintf(&file, "!Account\nN%d\n^\n", i)
	}
	file.WriteString("!Type:Bank\nD1/2/2026\nT1\n^\n!Account\nN7\n^\n!Type:Bank\nD1/2/2026\nT1\n^\n")
	r := newReader(strings.NewReader(file.String()))
	if _, err := readAll(r); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, s := range r.Summaries() {
		if s.Items > 0 {
			got[s.Account] = s.Items
		}
	}
	if diff := diff(map[string]int{"299": 1, "7": 1}, got); diff != "" || len(r.Summaries()) != maxSummaries {
		t.Errorf("%d summaries, -want +got\n%s", len(r.Summaries()), diff)
	}
}
