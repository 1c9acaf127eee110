package finance

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestBucketsAreCutAtTheEndsOfThePeriod(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"2026-03-30 2026-04-01 day":   "2026-03-30..2026-03-30 2026-03-31..2026-03-31 2026-04-01..2026-04-01",
		"2026-03-04 2026-03-16 week":  "2026-03-04..2026-03-08 2026-03-09..2026-03-15 2026-03-16..2026-03-16",
		"2026-03-02 2026-03-08 week":  "2026-03-02..2026-03-08",
		"2024-02-10 2024-04-01 month": "2024-02-10..2024-02-29 2024-03-01..2024-03-31 2024-04-01..2024-04-01",
		"9999-11-30 9999-12-31 month": "9999-11-30..9999-11-30 9999-12-01..9999-12-31",
		"9999-12-25 9999-12-31 week":  "9999-12-25..9999-12-26 9999-12-27..9999-12-31",
		"0001-01-02 0001-01-09 week":  "0001-01-02..0001-01-07 0001-01-08..0001-01-09",
	} {
		words := strings.Fields(asked)
		q := CashFlowQuery{From: date(t, words[0]), To: date(t, words[1]), By: words[2], CurrencyID: BRL}
		var got []string
		for _, b := range q.Buckets() {
			got = append(got, b.From.String()+".."+b.To.String())
		}
		if text := strings.Join(got, " "); text != want || q.count() != len(got) || q.Validate() != nil {
			t.Errorf("%s: %s, counted %d; want %s", asked, text, q.count(), want)
		}
	}
}

func TestTooManyBucketsNameTheLengthThatFits(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"2026-01-01 2027-02-04 day":   "",
		"2026-01-01 2027-02-05 day":   "by daria 401 períodos, e o máximo é 400: use by=week",
		"2001-01-01 2026-12-31 day":   "by daria 9496 períodos, e o máximo é 400: use by=month",
		"2001-01-01 2026-12-31 week":  "by daria 1357 períodos, e o máximo é 400: use by=month",
		"0001-01-02 9999-12-31 month": "by daria 119988 períodos, e o máximo é 400: nenhum by cabe no intervalo",
		"2026-02-01 2026-01-31 hour":  "by não está incluso na lista to não pode ser antes de from",
	} {
		words := strings.Fields(asked)
		q := CashFlowQuery{From: date(t, words[0]), To: date(t, words[1]), By: words[2], CurrencyID: BRL}
		var got []string
		if invalid := (*Invalid)(nil); errors.As(q.Validate(), &invalid) {
			for attribute, text := range invalid.All() {
				got = append(got, attribute+" "+text)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", asked, text, want)
		}
	}
}

func TestBucketsOfAllDepositAccountsAreBounded(t *testing.T) {
	t.Parallel()
	q := CashFlowQuery{From: date(t, "2026-01-01"), To: date(t, "2027-02-04"), By: ByDay, CurrencyID: BRL} // 400 days
	if err := q.RefuseAccounts(250); err != nil {
		t.Error(err)
	}
	invalid := (*Invalid)(nil)
	if !errors.As(q.RefuseAccounts(251), &invalid) {
		t.Fatal("100,400 buckets are not refused")
	}
	for attribute, text := range invalid.All() {
		if got := attribute + " " + text; got != "by_account daria 100400 períodos, 400 em cada uma de 251 contas "+
			"bancárias, e o máximo é 100000 ao todo" {
			t.Error(got)
		}
	}
	if q.By = ByMonth; q.RefuseAccounts(7142) != nil || q.RefuseAccounts(7143) == nil {
		t.Error("14 months of 7142 deposit accounts are 99,988 buckets")
	}
}

func TestTheLowestDayIsTheEarliest(t *testing.T) {
	t.Parallel()
	in := func(sum Sum) Flow { return Flow{RealisedIn: sum} }
	out := func(sum Sum) Flow { return Flow{ExpectedOut: sum} }
	day := func(text string, f Flow) DayFlow { return DayFlow{date(t, text), f} }
	for want, days := range map[string][]DayFlow{
		"2026-03-01 10.0": nil,
		"2026-03-01 12.0": {day("2026-03-01", in("2.0")), day("2026-03-03", in("1.0"))},
		"2026-03-03 7.5": {day("2026-03-05", in("2.5")), day("2026-03-03", out("2.5")), day("2026-03-06", out("2.5")),
			day("2026-03-09", in("1.0"))},
		"2026-03-02 9.0": {day("2026-03-02", out("11.0")), day("2026-03-02", in("10.0"))}, // of one day
	} {
		lowest := LowestOf("10.0", date(t, "2026-03-01"), days)
		if got := fmt.Sprint(lowest.On, " ", lowest.Closing); got != want {
			t.Errorf("%v: %s, want %s", days, got, want)
		}
	}
}
