package statement

import (
	"fmt"
	"strings"
	"testing"
)

// document returns an OFX file of one statement.
func document(kind, items string) string {
	return "<OFX><" + kind + "><CURDEF>BRL<CCACCTFROM><ACCTID>1</CCACCTFROM>" + items + "</" + kind + "></OFX>"
}

// typed returns an item with its type.
func typed(kind, amount string) string {
	return "<STMTTRN><TRNTYPE>" + kind + "<DTPOSTED>20261110<TRNAMT>" + amount + "</STMTTRN>"
}

// Items have the signs of their types if no amount of the account has a sign, and both directions occur.
func TestDirections(t *testing.T) {
	t.Parallel()
	bank := func(items ...string) string {
		return strings.Replace(document("STMTRS", strings.Join(items, "")), "CCACCT", "BANKACCT", 2)
	}
	for name, c := range map[string]struct {
		file, want string
		turned     int64
	}{
		"no signs": {bank(typed("CREDIT", "100"), typed("DEBIT", "40,50"), typed("XFER", "3")),
			"100 -40,50 3", 1},
		"in lower case":   {strings.ToLower(bank(typed("CREDIT", "100"), typed("DEBIT", "40"))), "100 -40", 1},
		"a currency sign": {bank(typed("CREDIT", "R$ 100"), typed("DEBIT", "R$ 40")), "R$ 100 -R$ 40", 1},
		"all types of debits": {
			bank(typed("DEP", "1"), typed("CHECK", "2"), typed("PAYMENT", "3"), typed("FEE", "4"), typed("SRVCHG", "5"),
				typed("ATM", "6"), typed("POS", "7"), typed("CASH", "8"), typed("DIRECTDEBIT", "10")),
			"1 -2 -3 -4 -5 -6 -7 -8 -10", 8},
		"a minus": {bank(typed("CREDIT", "100"), typed("DEBIT", "40"), typed("DEBIT", "-1")),
			"100 40 -1", 0},
		"a plus":               {bank(typed("CREDIT", "+100"), typed("DEBIT", "40")), "+100 40", 0},
		"a minus after a sign": {bank(typed("CREDIT", "100"), typed("DEBIT", "R$ -40")), "100 R$ -40", 0},
		"debits alone":         {bank(typed("DEBIT", "40"), typed("FEE", "1")), "40 1", 0},
		"credits alone":        {bank(typed("CREDIT", "40"), typed("OTHER", "1")), "40 1", 0},
		"debits and transfers": {bank(typed("DEBIT", "40"), typed("XFER", "1")), "40 1", 0},
		"no amount":            {bank(typed("DEBIT", " "), typed("CREDIT", "1")), " 1", 0},
		"a payment of a card":  {document("CCSTMTRS", typed("PAYMENT", "100")+typed("DEBIT", "40")), "100 -40", 1},
		"payments of a card":   {document("CCSTMTRS", typed("PAYMENT", "100")+typed("CREDIT", "40")), "100 40", 0},
		"OFC": {"<OFC><ACCTSTMT><STMTRS>" + typed("0", "100") + typed("1", "40") + typed("8", "2") +
			"</STMTRS></ACCTSTMT></OFC>", "100 -40 2", 1},
		"another account's signs": {strings.Replace(bank(typed("CREDIT", "100"), typed("DEBIT", "40")), "</OFX>",
			"<STMTRS><BANKACCTFROM><ACCTID>2</BANKACCTFROM>"+typed("DEBIT", "-9")+"</STMTRS></OFX>", 1), "100 -40 -9",
			1},
	} {
		for _, file := range []string{c.file, strings.ReplaceAll(c.file, "<", "\r\n<")} {
			r := newReader(strings.NewReader(file))
			items, err := readAll(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var got []string
			for _, item := range items {
				if got = append(got, item.Amount); item.ByType != (c.turned > 0 &&
					strings.HasPrefix(item.Amount, "-") && item.Amount != "-9") {
					t.Errorf("%s: %+v", name, item)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			if want := noted(SignsByType, c.turned); diff(want, r.Notes()) != "" {
				t.Errorf("%s: %+v, want %+v", name, r.Notes(), want)
			}
		}
	}
}

func noted(code string, count int64) []Note {
	if count == 0 {
		return nil
	}
	return []Note{{code, count}}
}

// Ordinary files have no notes.
func TestNotes(t *testing.T) {
	t.Parallel()
	const span = "<STMTTRN><DTPOSTED>%s<TRNAMT>-1</STMTTRN>"
	years := func(from, to string) string { return fmt.Sprintf(span+span, from, to) }
	for file, want := range map[string][]Note{
		document("STMTRS", years("20260101", "20260202")):     nil,
		document("STMTRS", years("2026-01-01", "2026/02/02")): nil,
		document("STMTRS", years("01012026", "02/02/2026")): noted(
			DatesByConvention, 2),
		document("STMTRS", years("01/13/2026", "20260202")+years("01/14/2026", "x")): noted(
			DatesByConvention, 2),
		document("STMTRS", years("20210101", "20260101")): nil,
		document("STMTRS", years("20210101", "20260102")): noted(
			WideSpan, 2),
		document("STMTRS", years("20210101", "20260102")+strings.Repeat(years("20260101", "20260101"), 49)): nil,
		"<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>": noted(
			NoStatement, 1),
		"<OFX><ACCTINFO><BANKACCTFROM><ACCTID>1</BANKACCTFROM></ACCTINFO></OFX>": noted(NoStatement, 1),
		document("STMTRS", ""):                                                     nil,
		document("CCSTMTRS", ""):                                                   nil,
		"<OFC><ACCTSTMT></ACCTSTMT></OFC>":                                         nil,
		"!Type:Bank\n":                                                             nil,
		"!Type:Cat\nNx\n^\n":                                                       noted(NoStatement, 1),
		"!Type:Invst\n":                                                            nil,
		rows("01/02/2026 03/04/2026", "D%s\nT1\n^\n"):                              nil,
		rows("01/02/26 03/04/26", "D%s\nT1\n^\n"):                                  nil,
		rows("2026-01-02 2026-01-03", "D%s\nT1\n^\n"):                              nil,
		rows("01/13/2026 02/14/2026", "D%s\nT1\n^\n"):                              nil, // nothing else reads them
		rows("03/01/2026 03/05/2026 04/02/2026", "D%s\nT1\n^\n"):                   noted(DatesByConvention, 3),
		"!Option:MDY\n" + rows("03/01/2026 03/05/2026 04/02/2026", "D%s\nT1\n^\n"): nil,
	} {
		r := newReader(strings.NewReader(file))
		if _, err := readAll(r); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if diff := diff(want, r.Notes()); diff != "" {
			t.Errorf("%s: -want +got\n%s", file, diff)
		}
	}
}

// Ordinary files have no notes: of the corpus, those without a statement and those with dates of other decades.
func TestNotesOfTheCorpus(t *testing.T) {
	t.Parallel()
	got := map[string][]Note{}
	for _, row := range manifest(t) {
		r := newReader(strings.NewReader(string(corpusFile(t, row))))
		if _, err := readAll(r); err == nil && len(r.Notes()) > 0 {
			got[row["file"]] = r.Notes()
		}
	}
	want := map[string][]Note{
		"ofc/synthetic__all_trntypes_unsigned_future_zero.ofc": {{WideSpan, 16}}, // to 2099
		"ofx/synthetic__future_zero_invalid.ofx":               {{WideSpan, 8}},
		"qif/synthetic__future_zero_invalid.qif":               {{WideSpan, 6}},
		"ofx/fabiopf02__example.ofx":                           {{WideSpan, 20}}, // 2005 and 2018
		"qif/rust-qif-parser__nasty.qif":                       {{WideSpan, 6}},  // 1982 and 2018
	}
	for _, file := range []string{
		"ofx/ofx4j__closing-tags.ofx", "ofx/ofx4j__simple.ofx", "ofx/ofx4j__whitespace-example.ofx",
		"ofx/ofxparse__account_listing_aggregation.ofx",
		"ofx/ofxparse__bank_small.ofx", "ofx/ofxparse__signon_success.ofx",
		"ofx/ofxparse__signon_success_no_message.ofx", "qif/qif2json__memorizedList.qif",
		"qif/quiffen__test_category_inherit.qif", "qif/quiffen__test_clear_autoswitch.qif",
		"qif/quiffen__test_nosymbol.qif", "qif/quiffen__test_option_autoswitch.qif",
	} {
		want[file] = noted(NoStatement, 1)
	}
	if diff := diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Only CURRENCY says in which currency an amount is.
func TestCurrencyOfAnItem(t *testing.T) {
	t.Parallel()
	const usd = "<CURRATE>5.1<CURSYM>USD"
	for inside, want := range map[string]string{
		"<CURRENCY>" + usd + "</CURRENCY>":                                         "USD",
		"<CURRENCY>" + usd + "<MEMO>x":                                             "USD",
		"<CURRENCY><CURSYM>USD</CURSYM></CURRENCY>":                                "USD",
		"<ORIGCURRENCY>" + usd + "</ORIGCURRENCY>":                                 "",
		"<ORIGCURRENCY>" + usd + "<CURRENCY><CURSYM>EUR</CURRENCY>":                "EUR",
		"<CURRENCY><CURSYM>EUR</CURRENCY><ORIGCURRENCY>" + usd + "</ORIGCURRENCY>": "EUR",
		"<CURSYM>USD": "",
		"":            "",
	} {
		r := newReader(strings.NewReader(document("STMTRS", typed("DEBIT", "-1"+inside)+typed("DEBIT", "-2"))))
		items, err := readAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if items[0].Currency != want || items[1].Currency != "" || r.Summary("1").Currency != "BRL" {
			t.Errorf("%s: %q and %q of a statement in %q", inside, items[0].Currency, items[1].Currency,
				r.Summary("1").Currency)
		}
	}
}

// A REFNUM that is no number is text.
func TestReferences(t *testing.T) {
	t.Parallel()
	for inside, want := range map[string]Item{
		"<MEMO>PIX<REFNUM>LOJA":             {Document: "LOJA", Description: "PIX LOJA", Reference: "LOJA"},
		"<REFNUM>LOJA<NAME>A<MEMO>PIX":      {Document: "LOJA", Description: "A PIX LOJA", Reference: "LOJA"},
		"<REFNUM>LOJA":                      {Document: "LOJA", Description: "LOJA", Reference: "LOJA"},
		"<CHECKNUM>7<REFNUM>LOJA<MEMO>PIX":  {Document: "7", Description: "PIX LOJA", Reference: "LOJA"},
		"<MEMO>PIX LOJA B<REFNUM>LOJA":      {Document: "LOJA", Description: "PIX LOJA B"},
		"<MEMO>PIX<REFNUM>123":              {Document: "123", Description: "PIX"},
		"<MEMO>PIX<REFNUM>0001/2026-12.3 4": {Document: "0001/2026-12.3 4", Description: "PIX"},
		"<MEMO>SALDO ANTERIOR<REFNUM>EXTRATO": {Document: "EXTRATO", Description: "SALDO ANTERIOR EXTRATO",
			Reference: "EXTRATO"},
	} {
		got := one(t, "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>1"+inside+"</STMTTRN>")
		if got.Document != want.Document || got.Description != want.Description || got.Reference != want.Reference {
			t.Errorf("%s: %+v", inside, got)
		}
		outcome, _, err := Classify(got, "", day(2026, 11, 26))
		if isBalance := strings.HasPrefix(got.Description, "SALDO"); err != nil || (outcome == Balance) != isBalance {
			t.Errorf("%s: %s, error %v", inside, outcome, err)
		}
	}
}

// Of the accounts of a file, the one with the same key is the account, else the only one that may be.
func TestAccountOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"12345-6":                   "12345-6",
		"0012345-6":                 "12345-6", // by its key
		"12345":                     "12345",
		"0123/12345-6":              "0123/12345-6",
		"12345 0012345.6":           "12345-6",
		"0123/12345-6 0456/12345-6": "12345-6", // none
		"0123/12345-6 12345":        "12345-6", // none
		"12345-7 99":                "12345-6", // none
		"":                          "12345-6",
	} {
		text := "<OFX>"
		for number := range strings.FieldsSeq(file) {
			text += "<STMTRS><BANKACCTFROM><ACCTID>" + number + "</BANKACCTFROM></STMTRS>"
		}
		if got := newReader(strings.NewReader(text + "</OFX>")).AccountOf("12345-6"); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if got := newReader(strings.NewReader("x")).AccountOf("1"); got != "1" {
		t.Error(got)
	}
}
