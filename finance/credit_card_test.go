package finance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// billed returns the billings of a card after these changes of its days, separated by commas. A
// change is "closing/expiration" or "closing/expiration after day", after the invoice of that
// day.
func billed(t *testing.T, changes string) (b Billings) {
	t.Helper()
	for _, change := range strings.Split(changes, ", ") {
		var closing, expiration int64
		days, after, later := strings.Cut(change, " after ")
		if _, err := fmt.Sscanf(days, "%d/%d", &closing, &expiration); err != nil {
			t.Fatal(err)
		}
		var last *InvoicePeriod
		if later {
			p, _ := b.Period(date(t, after))
			last = &p
		}
		next, err := BillingAfter(last, closing, expiration)
		if err != nil {
			t.Fatal(err)
		}
		b = b.Then(next)
	}
	return b
}

func (p InvoicePeriod) String() string {
	return fmt.Sprintf("%s..%s due %s", p.StartDate, p.EndDate, p.DueDate)
}

func TestTheInvoiceOfADay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ days, day, want string }{
		// A recorded example: closing on 21, due on 1.
		{"21/1", "2017-02-22", "2017-02-22..2017-03-21 due 2017-04-01"},
		{"21/1", "2017-03-21", "2017-02-22..2017-03-21 due 2017-04-01"},
		{"21/1", "2017-03-22", "2017-03-22..2017-04-21 due 2017-05-01"},
		{"21/1", "2016-12-22", "2016-12-22..2017-01-21 due 2017-02-01"},
		// Closed and due in the same month.
		{"5/15", "2026-03-05", "2026-02-06..2026-03-05 due 2026-03-15"},
		{"5/15", "2026-03-06", "2026-03-06..2026-04-05 due 2026-04-15"},
		// If both days are equal, the invoice is due a month later.
		{"10/10", "2026-12-10", "2026-11-11..2026-12-10 due 2027-01-10"},
		// Days that a month does not have.
		{"31/10", "2026-02-28", "2026-02-01..2026-02-28 due 2026-03-10"},
		{"31/10", "2028-02-28", "2028-02-01..2028-02-29 due 2028-03-10"},
		{"31/10", "2028-02-29", "2028-02-01..2028-02-29 due 2028-03-10"},
		{"31/10", "2026-03-01", "2026-03-01..2026-03-31 due 2026-04-10"},
		{"31/10", "2026-04-30", "2026-04-01..2026-04-30 due 2026-05-10"},
		{"31/10", "2026-12-31", "2026-12-01..2026-12-31 due 2027-01-10"},
		{"30/31", "2026-02-28", "2026-01-31..2026-02-28 due 2026-02-28"},
		{"29/30", "2026-03-01", "2026-03-01..2026-03-29 due 2026-03-30"},
		{"29/30", "2028-02-29", "2028-01-30..2028-02-29 due 2028-02-29"},
		{"31/31", "2026-01-31", "2026-01-01..2026-01-31 due 2026-02-28"},
		{"1/31", "2026-02-01", "2026-01-02..2026-02-01 due 2026-02-28"},
		// Changed days: the existing invoice stays, the next begins after it.
		{"25/10, 5/20 after 2026-01-25", "2026-01-25", "2025-12-26..2026-01-25 due 2026-02-10"},
		{"25/10, 5/20 after 2026-01-25", "2026-01-26", "2026-01-26..2026-03-05 due 2026-03-20"},
		{"25/10, 5/20 after 2026-01-25", "2026-03-06", "2026-03-06..2026-04-05 due 2026-04-20"},
		{"5/20, 25/10 after 2026-02-05", "2026-02-06", "2026-02-06..2026-02-25 due 2026-03-10"},
		// A month that would close before its invoice begins has none: March.
		{"25/28, 5/3 after 2026-02-25", "2026-02-26", "2026-02-26..2026-03-05 due 2026-04-03"},
		{"25/28, 5/3 after 2026-02-25", "2026-03-06", "2026-03-06..2026-04-05 due 2026-05-03"},
		{"25/28, 5/3 after 2026-02-25", "2026-02-25", "2026-01-26..2026-02-25 due 2026-02-28"},
		// A card without invoices has no past; a later change replaces an earlier one
		// that applies to no invoice yet.
		{"25/28, 5/3", "2026-02-25", "2026-02-06..2026-03-05 due 2026-04-03"},
		{"25/28, 5/3 after 2026-02-25, 25/28 after 2026-02-25", "2026-03-25", "2026-02-26..2026-03-25 due 2026-03-28"},
		// The ends of the calendar.
		{"5/15", "0001-05-06", "0001-05-06..0001-06-05 due 0001-06-15"},
		{"5/15", "0001-04-30", "none"},
		{"5/15", "9999-12-05", "9999-11-06..9999-12-05 due 9999-12-15"},
		{"5/15", "9999-12-06", "none"},
		{"15/5", "9999-11-16", "none"},
	} {
		p, ok := billed(t, c.days).Period(date(t, c.day))
		got := p.String()
		if !ok {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.day, c.days, got, c.want)
		}
	}
	last := InvoicePeriod{date(t, "9999-11-06"), date(t, "9999-12-05"), date(t, "9999-12-15")}
	if _, err := BillingAfter(&last, 1, 2); err == nil {
		t.Error("days are changed after the last month of the calendar")
	}
}

// An invoice is "id period: sum"; a day of purchases "day sum"; several sums of a day are several purchases.
func TestNewDaysDateTheOpenInvoicesAnew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, days, after, then, purchases, want string }{
		{"a later closing day", "5/15", "2027-02-05", "10/20", "2027-02-06 1, 2027-03-06 2, 2027-03-11 4",
			"1 2027-02-06..2027-03-10 due 2027-03-20: 0.03, 2 2027-03-11..2027-04-10 due 2027-04-20: 0.04"},
		{"an earlier closing day", "20/28", "2027-02-20", "5/15", "2027-02-21 1, 2027-03-06 2, 2027-03-21 4",
			"1 2027-02-21..2027-03-05 due 2027-03-15: 0.01, 2 2027-03-06..2027-04-05 due 2027-04-15: 0.06"},
		{"one more invoice", "20/28", "2027-02-20", "5/15", "2027-02-21 1, 2027-03-06 2",
			"1 2027-02-21..2027-03-05 due 2027-03-15: 0.01, 0 2027-03-06..2027-04-05 due 2027-04-15: 0.02"},
		{"an invoice left without purchases", "5/15", "2027-02-05", "25/28", "2027-03-01 1, 2027-03-20 2",
			"1 2027-02-06..2027-03-25 due 2027-03-28: 0.03, without purchases [2]"},
		{"the ends of months", "15/20", "2027-01-15", "31/10", "2027-01-31 1, 2027-02-28 2, 2027-03-01 4",
			"1 2027-01-16..2027-01-31 due 2027-02-10: 0.01, 2 2027-02-01..2027-02-28 due 2027-03-10: 0.02, " +
				"0 2027-03-01..2027-03-31 due 2027-04-10: 0.04"},
		{"February of a leap year", "15/20", "2028-01-15", "30/31", "2028-02-29 1, 2028-03-01 2",
			"1 2028-01-16..2028-02-29 due 2028-02-29: 0.01, 0 2028-03-01..2028-03-30 due 2028-03-31: 0.02"},
		{"29 in February", "15/20", "2027-01-15", "29/5", "2027-02-28 1, 2027-03-01 2",
			"1 2027-01-30..2027-02-28 due 2027-03-05: 0.01, 0 2027-03-01..2027-03-29 due 2027-04-05: 0.02"},
		// February is due on 2027-03-05: March is taken, and the next invoice runs to April.
		{"a taken month", "20/5", "2027-02-20", "10/15", "2027-02-21 1, 2027-03-11 2, 2027-04-11 4",
			"1 2027-02-21..2027-04-10 due 2027-04-15: 0.03, 2 2027-04-11..2027-05-10 due 2027-05-15: 0.04"},
		// March would close on 2027-02-05, before the start.
		{"a month without an invoice", "25/28", "2027-02-25", "5/3", "2027-02-26 1, 2027-03-06 2",
			"1 2027-02-26..2027-03-05 due 2027-04-03: 0.01, 0 2027-03-06..2027-04-05 due 2027-05-03: 0.02"},
		{"due before the closing day now", "5/15", "2027-02-05", "15/5", "2027-02-06 1, 2027-03-16 2",
			"1 2027-02-06..2027-02-15 due 2027-03-05: 0.01, 2 2027-03-16..2027-04-15 due 2027-05-05: 0.02"},
		{"refunds", "5/15", "2027-02-05", "10/20", "2027-02-06 5, 2027-03-07 -7, 2027-03-11 -1, 2027-03-11 1",
			"1 2027-02-06..2027-03-10 due 2027-03-20: -0.02, 2 2027-03-11..2027-04-10 due 2027-04-20: 0.0"},
		{"no invoice keeps its dates", "5/15", "", "10/20", "2027-02-06 1, 2027-03-06 2",
			"1 2027-01-11..2027-02-10 due 2027-02-20: 0.01, 2 2027-02-11..2027-03-10 due 2027-03-20: 0.02"},
		{"the parts of a purchase", "20/28", "", "25/5", "2026-11-05 1, 2026-12-05 1, 2027-01-05 1, 2027-02-05 1, " +
			"2027-03-05 1, 2027-04-05 1, 2027-05-05 1, 2027-06-05 1, " +
			"2027-07-05 1, 2027-08-05 1, 2027-09-05 1, 2027-10-05 1",
			"1 2026-10-26..2026-11-25 due 2026-12-05: 0.01, 2 2026-11-26..2026-12-25 due 2027-01-05: 0.01, " +
				"3 2026-12-26..2027-01-25 due 2027-02-05: 0.01, 4 2027-01-26..2027-02-25 due 2027-03-05: 0.01, " +
				"5 2027-02-26..2027-03-25 due 2027-04-05: 0.01, 6 2027-03-26..2027-04-25 due 2027-05-05: 0.01, " +
				"7 2027-04-26..2027-05-25 due 2027-06-05: 0.01, 8 2027-05-26..2027-06-25 due 2027-07-05: 0.01, " +
				"9 2027-06-26..2027-07-25 due 2027-08-05: 0.01, 10 2027-07-26..2027-08-25 due 2027-09-05: 0.01, " +
				"11 2027-08-26..2027-09-25 due 2027-10-05: 0.01, 12 2027-09-26..2027-10-25 due 2027-11-05: 0.01"},
		{"a day without an invoice", "5/15", "", "15/5", "9999-11-16 1",
			"closing_day: está fora do intervalo permitido"},
		{"a sum beyond the limit", "5/15", "2027-02-05", "10/20", "2027-03-05 999999999999999, 2027-03-06 1",
			"closing_day: levaria o total da fatura além do limite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := billed(t, c.days)
			var purchases []DayOfPurchases
			var open []CreditCardInvoice
			for _, text := range strings.Split(c.purchases, ", ") {
				day, cents, _ := strings.Cut(text, " ")
				var sum Amount
				if _, err := fmt.Sscan(cents, (*int64)(&sum)); err != nil {
					t.Fatal(err)
				}
				purchases = append(purchases, DayOfPurchases{date(t, day), Sum(sum.String()), 1})
				p, _ := before.Period(date(t, day))
				if n := len(open); n == 0 || open[n-1].InvoicePeriod != p {
					open = append(open, CreditCardInvoice{ID: int64(n + 1), InvoicePeriod: p})
				}
			}
			after := billed(t, c.days+", "+c.then)
			if c.after != "" {
				after = billed(t, c.days+", "+c.then+" after "+c.after)
			}
			dated, left, err := after.Redate(open, purchases)
			var got []string
			for _, i := range dated {
				got = append(got, fmt.Sprintf("%d %s: %s", i.ID, i.InvoicePeriod, i.Balance))
			}
			if len(left) > 0 {
				got = append(got, fmt.Sprintf("without purchases %d", left))
			}
			if err != nil {
				got = []string{refused(err)}
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// Whatever the days and the purchases: each purchase is in the one invoice of its day, the sums agree, ids are kept
// in order of time, and the same days change nothing.
func TestRedatedInvoicesHaveEachPurchaseOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := func(name string) int64 { return rapid.Int64Range(1, 31).Draw(t, name) }
		first, _ := BillingAfter(nil, day("closing"), day("expiration"))
		before := Billings{first}
		origin := Date{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
		last, _ := before.Period(origin)
		next, _ := BillingAfter(&last, day("new closing"), day("new expiration"))
		after := before.Then(next)
		cents := map[Date]Amount{}
		for range rapid.IntRange(1, 40).Draw(t, "purchases") {
			at := last.EndDate.AddDays(rapid.IntRange(1, 500).Draw(t, "day"))
			cents[at] += Amount(rapid.Int64Range(-50, 100).Draw(t, "cents"))
		}
		var purchases []DayOfPurchases
		for _, at := range slices.SortedFunc(maps.Keys(cents), Date.Compare) {
			purchases = append(purchases, DayOfPurchases{at, Sum(cents[at].String()), 1})
		}
		open, _, _ := before.Redate(nil, purchases)
		for i := range open {
			open[i].ID = int64(i + 1)
		}
		dated, left, err := after.Redate(open, purchases)
		if err != nil {
			t.Fatal(err)
		}
		for n, i := range dated {
			var sum Amount
			count := int64(0)
			for at, c := range cents {
				if !at.Before(i.StartDate) && !at.After(i.EndDate) {
					sum, count = sum+c, count+1
				}
			}
			wanted := int64(n + 1)
			if n >= len(open) {
				wanted = 0
			}
			if i.ID != wanted || i.Balance != sum || i.TransactionsCount != count || count == 0 {
				t.Fatalf("%+v has %s in %d, wants id %d", i, sum, count, wanted)
			}
			if n > 0 && (!dated[n-1].EndDate.Before(i.StartDate) || MonthOf(dated[n-1].DueDate) == MonthOf(i.DueDate)) {
				t.Fatalf("%s after %s", i.InvoicePeriod, dated[n-1].InvoicePeriod)
			}
		}
		if len(left) != max(0, len(open)-len(dated)) {
			t.Fatalf("%d are left of %d, and %d dated", left, len(open), len(dated))
		}
		again, left, _ := after.Redate(dated, purchases)
		if !slices.Equal(again, dated) || len(left) > 0 {
			t.Fatalf("%v has become %v, without %d", dated, again, left)
		}
	})
}

// For any days, changed at any time between any purchases: every day is in exactly one invoice,
// existing invoices do not change, periods neither overlap nor leave out a day, and no month
// names two invoices.
func TestEveryDayIsInOneInvoice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawDays := func() (int64, int64) {
			return rapid.Int64Range(1, 31).Draw(t, "closing"), rapid.Int64Range(1, 31).Draw(t, "expiration")
		}
		origin := Date{time.Date(rapid.IntRange(1999, 2030).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)}
		closing, expiration := drawDays()
		b := Billings{{ClosingDay: closing, ExpirationDay: expiration}}
		kept := map[string]InvoicePeriod{} // by the last day of the period
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "buys") {
				day := origin.AddDays(rapid.IntRange(-400, 1200).Draw(t, "day"))
				p, ok := b.Period(day)
				if !ok {
					t.Fatalf("no invoice on %s", day)
				}
				kept[p.EndDate.String()] = p
				continue
			}
			// An invoice without transactions is deleted.
			if ends := slices.Sorted(maps.Keys(kept)); len(ends) > 0 && rapid.IntRange(0, 3).Draw(t, "deletes") == 0 {
				delete(kept, rapid.SampledFrom(ends).Draw(t, "deleted"))
			}
			var last *InvoicePeriod
			if ends := slices.Sorted(maps.Keys(kept)); len(ends) > 0 {
				p := kept[ends[len(ends)-1]]
				last = &p
			}
			closing, expiration := drawDays()
			next, _ := BillingAfter(last, closing, expiration)
			b = b.Then(next)
		}

		months := map[Month]bool{}
		previous, _ := b.Period(origin.AddDays(-500))
		for day := previous.EndDate.AddDays(1); day.Before(origin.AddDays(1600)); day = day.AddDays(1) {
			p, ok := b.Period(day)
			if !ok || day.Before(p.StartDate) || day.After(p.EndDate) {
				t.Fatalf("%s is not in its invoice %s, %v", day, p, ok)
			}
			if p == previous {
				continue
			}
			if p.StartDate != day || previous.EndDate != day.AddDays(-1) || p.DueDate.Before(p.EndDate) {
				t.Fatalf("%s follows %s on %s", p, previous, day)
			}
			if months[MonthOf(p.DueDate)] {
				t.Fatalf("%s names two invoices, one of them %s", MonthOf(p.DueDate), p)
			}
			months[MonthOf(p.DueDate)] = true
			previous = p
		}
		for _, p := range kept {
			if now, _ := b.Period(p.StartDate); now != p {
				t.Fatalf("%s has become %s", p, now)
			}
		}
		last := b[len(b)-1]
		first, _ := b.Period(origin.AddDays(1590))
		next, _ := b.Period(first.EndDate.AddDays(1))
		if next.EndDate != MonthOf(next.EndDate).Day(last.ClosingDay) ||
			next.DueDate != MonthOf(next.DueDate).Day(last.ExpirationDay) {
			t.Fatalf("%s does not follow the last days %+v", next, last)
		}
	})
}

func TestACreditCardIsRefused(t *testing.T) {
	t.Parallel()
	day := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		card CreditCard
		want string
	}{
		{CreditCard{Name: "Loja", Flag: " mastercard", ClosingDay: day(31), ExpirationDay: day(1)}, ""},
		{CreditCard{}, "name: não pode ser vazio\nflag: não está incluso na lista\nclosing_day: não pode ser " +
			"vazio\nexpiration_day: não pode ser vazio"},
		{CreditCard{Name: "Loja", Flag: "Desconhecida", ClosingDay: day(0), ExpirationDay: day(32)},
			"flag: não está incluso na lista\nclosing_day: está fora do intervalo permitido: de 1 a " +
				"31\nexpiration_day: está fora do intervalo permitido: de 1 a 31"},
	} {
		if got := refused(c.card.Validate()); got != c.want {
			t.Errorf("%+v: %s, want %s", c.card, got, c.want)
		}
	}
	k := CreditCard{Name: "Loja", Flag: "MAIS!", ClosingDay: day(1), ExpirationDay: day(1)}
	if err := k.Validate(); err != nil || k.Flag != "Mais!" || k.FlagImageURL() != "flags/mais.png" {
		t.Errorf("%+v, %v", k, err)
	}
}

func TestInstallmentsAreAMonthApart(t *testing.T) {
	t.Parallel()
	n := int64(5)
	p := CreditCardTransaction{OccurredAt: date(t, "2027-11-30"), NumberOfParcels: &n}
	if got := fmt.Sprint(p.Days()); got != "[2027-11-30 2027-12-30 2028-01-30 2028-02-29 2028-03-30]" {
		t.Error(got)
	}
	p.OccurredAt = date(t, "9999-10-31")
	if _, err := (Billings{{ClosingDay: 5, ExpirationDay: 15}}).Periods(p.Days()); refused(
		err) != "occurred_at: está fora do intervalo permitido" {
		t.Error(err)
	}
}

// Each installment has its own row for each classification.
func TestInstallmentsHaveABoundedNumberOfClassifications(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parcels int64
		each    int
		want    string
	}{
		{480, 10, ""},
		{480, 11, "custom_classifications: criaria 5280 classificações (máximo: 5000)"},
		{1, 100, ""},
		{50, 100, ""},
		{51, 100, "custom_classifications: criaria 5100 classificações (máximo: 5000)"},
		{481, 100, "number_of_parcels: está fora do intervalo permitido: de 1 a 480"},
	} {
		p := CreditCardTransaction{Amount: 1, OccurredAt: date(t, "2026-03-01"), NumberOfParcels: &c.parcels}
		for n := range c.each {
			p.CustomClassifications = append(p.CustomClassifications, CustomClassification{
				CustomClassifierID: 1, Name: fmt.Sprint(n)})
		}
		if got := refused(p.Validate()); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.parcels, c.each, got, c.want)
		}
	}
}

func TestAnInvoiceNamesItsAccount(t *testing.T) {
	t.Parallel()
	i := CreditCardInvoice{InvoicePeriod: InvoicePeriod{DueDate: date(t, "2013-05-10")}}
	if got := i.AccountDescription("Loja"); got != "Fatura de Maio/2013 do cartão Loja" {
		t.Error(got)
	}
	if got := []rune(i.AccountDescription(strings.Repeat("ã", 255))); len(got) != maxText {
		t.Errorf("%d characters", len(got))
	}
}
