package statement

import (
	"strings"
	"testing"

	"bordero/finance"
)

// Summaries contain what is readable of a statement's data; unreadable data is never an error.
func TestSummaries(t *testing.T) {
	const item = "<STMTTRN><DTPOSTED>20260302<TRNAMT>1</STMTTRN>"
	statement := func(account, inside string) string {
		return "<STMTRS><BANKACCTFROM><ACCTID>" + account + "</BANKACCTFROM>" + inside + "</STMTRS>"
	}
	a1 := Summary{Account: "1", Items: 2, LedgerBalance: amount(-123456), LedgerBalanceOn: on(2026, 3, 31),
		PeriodStart: on(2026, 3, 1), PeriodEnd: on(2026, 3, 31)}
	march := "<BANKTRANLIST><DTSTART>20260301000000[-3:BRT]<DTEND>20260331" + item + item + "</BANKTRANLIST>" +
		"<LEDGERBAL><BALAMT>-1.234,56<DTASOF>20260331</LEDGERBAL><AVAILBAL><BALAMT>9<DTASOF>20260401</AVAILBAL>"
	whole := a1
	whole.PeriodStart = on(2026, 1, 1)
	broken := whole
	broken.PeriodBroken = true
	for name, c := range map[string]struct {
		file string
		want []Summary
	}{
		"nothing":     {"", nil},
		"one account": {statement("1", march), []Summary{a1}},
		"no account": {"<STMTRS>" + march + "</STMTRS>", []Summary{{Items: 2, LedgerBalance: a1.LedgerBalance,
			LedgerBalanceOn: a1.LedgerBalanceOn, PeriodStart: a1.PeriodStart, PeriodEnd: a1.PeriodEnd}}},
		"nothing is closed": {strings.ReplaceAll(statement("1", march), "</", "<X"), []Summary{a1}},
		"unreadable": {statement("1", "<DTSTART>00000000000000<DTEND>hoje<LEDGERBAL><BALAMT> . "+
			"<DTASOF>00000000</LEDGERBAL>"),
			[]Summary{{Account: "1"}}},
		"unpadded stamp, text": {statement("1", "<DTSTART>2026111932[-3:GMT]<LEDGERBAL><BALAMT>x<DTASOF>2026017932"),
			[]Summary{{Account: "1"}}},
		"too large":    {statement("1", "<LEDGERBAL><BALAMT>12345678901234"), []Summary{{Account: "1"}}},
		"two accounts": {statement("1", march) + statement("2", item), []Summary{a1, {Account: "2", Items: 1}}},
		"one account twice": {statement("1", march) + statement("001", "<DTSTART>20260201<DTEND>20260228"+item+
			"<LEDGERBAL><BALAMT>7</LEDGERBAL>"), []Summary{{Account: "1", Items: 3, LedgerBalance: amount(700),
			PeriodStart: on(2026, 2, 1), PeriodEnd: on(2026, 3, 31)}}},
		"one account, with a month between": {
			statement("1", march) + statement("1", "<DTSTART>20260101<DTEND>20260131"), []Summary{broken}},
		"one account, with a month between, from the first": {
			statement("1", "<DTSTART>20260101<DTEND>20260131") + statement("2", "") + statement("1", march),
			[]Summary{broken, {Account: "2"}}},
		"one account, month by month": {statement("1", march) + statement("1", "<DTSTART>20260201<DTEND>20260228") +
			statement("1", "<DTSTART>20260115<DTEND>20260210") +
			statement("1", "<DTSTART>20260101<DTEND>20260115"), []Summary{whole}},
		"a period reversed": {statement("1", "<DTSTART>20260331<DTEND>20260301"+item), []Summary{
			{Account: "1", Items: 1, PeriodStart: on(2026, 3, 1), PeriodEnd: on(2026, 3, 31)}}},
		"its last day first": {statement("1", "<DTEND>20260331<DTSTART>20260301"+item), []Summary{
			{Account: "1", Items: 1, PeriodStart: on(2026, 3, 1), PeriodEnd: on(2026, 3, 31)}}},
		"a period reversed, month by month": {
			statement("1", march) + statement("1", "<DTSTART>20260228<DTEND>20260201") + statement("1",
				"<DTSTART>20260131<DTEND>20260101"), []Summary{whole}},
		"a period reversed, with a month between": {
			statement("1", march) + statement("1", "<DTSTART>20260131<DTEND>20260101"), []Summary{broken}},
		"a day of each": {statement("1", "<DTSTART>20260301") + statement("1", "<DTEND>20260228"),
			[]Summary{{Account: "1", PeriodStart: on(2026, 2, 28), PeriodEnd: on(2026, 3, 1)}}},
		"a period of another convention": {statement("1", "<DTSTART>01032026<DTEND>31/03/2026"+item), []Summary{
			{Account: "1", Items: 1, PeriodStart: on(2026, 3, 1), PeriodEnd: on(2026, 3, 31)}}},
		"a currency": {"<STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>1</BANKACCTFROM>" + item + "</STMTRS>" +
			statement("2", item),
			[]Summary{{Account: "1", Items: 1, Currency: "USD"}, {Account: "2", Items: 1}}},
		"a currency, no account": {"<STMTRS><CURDEF>BRL</CURDEF>" + item + "</STMTRS>", []Summary{
			{Items: 1, Currency: "BRL"}}},
		"listed only": {"<ACCTINFO><BANKACCTFROM><ACCTID>1</BANKACCTFROM><CCACCTFROM><ACCTID>2",
			[]Summary{{Account: "1"}, {Account: "2"}}},
	} {
		r := newReader(strings.NewReader("<OFX>" + c.file + "</OFX>"))
		if _, err := readAll(r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := r.Summaries()
		if len(got) == 0 {
			got = nil
		}
		if diff := diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestSummaryOfAnAccount(t *testing.T) {
	const item = "<STMTTRN><DTPOSTED>20260302<TRNAMT>1</STMTTRN>"
	account := func(number string) string {
		return "<STMTRS><BANKACCTFROM><ACCTID>" + number + "</BANKACCTFROM>"
	}
	for name, c := range map[string]struct {
		file, asked string
		want        string // the account found
	}{
		"by number":                    {account("1") + account("12-3") + item, "00123", "12-3"},
		"by number, without items":     {account("1") + account("2") + item, "1", "1"},
		"no such number":               {account("1") + item, "2", ""},
		"the only one":                 {account("1"), "", "1"},
		"the only one with items":      {account("1") + account("2") + item + account("3"), "", "2"},
		"first of three has the items": {account("1") + item + account("2") + account("3"), "", "1"},
		"two with items":               {account("1") + item + account("2") + item, "", ""},
		"two without":                  {account("1") + account("2"), "", ""},
		"none":                         {"", "", ""},
	} {
		r := newReader(strings.NewReader("<OFX>" + c.file + "</OFX>"))
		if _, err := readAll(r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := r.Summary(c.asked); got.Account != c.want {
			t.Errorf("%s: account %q, want %q", name, got.Account, c.want)
		}
	}
}

func amount(cents finance.Amount) *finance.Amount { return &cents }

func on(year, month, d int) *finance.Date {
	date := day(year, month, d)
	return &date
}
