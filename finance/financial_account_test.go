package finance

import (
	"strings"
	"testing"
	"time"
)

func date(t *testing.T, text string) Date {
	t.Helper()
	d, err := ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// owed returns a valid account, changed by the given functions.
func owed(t *testing.T, change ...func(*FinancialAccount)) *FinancialAccount {
	t.Helper()
	f := &FinancialAccount{Kind: Payable, DueDate: date(t, "2026-01-31"), Amount: 10000}
	for _, c := range change {
		c(f)
	}
	return f
}

func TestFinancialAccountRules(t *testing.T) {
	t.Parallel()
	long := ptr(strings.Repeat("ç", 256))
	for _, c := range []struct {
		name   string
		change func(*FinancialAccount)
		want   string
	}{
		{"a plain one", func(*FinancialAccount) {}, ""},
		{"an empty one", func(f *FinancialAccount) { *f = FinancialAccount{} },
			"competency_month: não pode ser vazio\ndue_date: não é uma data válida\namount: deve ser maior que zero"},
		{"no due date, but a month", func(f *FinancialAccount) {
			f.CompetencyMonth, f.DueDate = MonthOf(f.DueDate),
				Date{}
		}, "due_date: não é uma data válida"},
		{"a negative amount", func(f *FinancialAccount) { f.Amount = -1 }, "amount: deve ser maior que zero"},
		{"negative parts", func(f *FinancialAccount) {
			f.TicketAmount, f.InterestAmount, f.DiscountAmount = ptr(Amount(-1)), ptr(Amount(-1)), ptr(Amount(-1))
		},
			"ticket_amount: não pode ser negativo\ninterest_amount: não pode ser negativo\ndiscount_amount: não pode " +
				"ser negativo"},
		{"a discount of all", func(f *FinancialAccount) {
			f.DiscountAmount, f.TicketAmount = ptr(Amount(10001)),
				ptr(Amount(1))
		}, ""},
		{"a discount of more", func(f *FinancialAccount) { f.DiscountAmount = ptr(Amount(10001)) },
			"discount_amount: não pode passar do valor com multa e juros"},
		{"a discount of sales that bring nothing", func(f *FinancialAccount) {
			f.Amount, f.SaleAccountID, f.DiscountAmount = 0, ptr(int64(1)), ptr(Amount(1))
		},
			"discount_amount: não pode passar do valor com multa e juros"},
		{"more than can be kept", func(f *FinancialAccount) { f.Amount, f.InterestAmount = MaxAmount, ptr(Amount(1)) },
			"total_amount: deve ter no máximo 13 dígitos inteiros"},
		{"long texts", func(f *FinancialAccount) { f.Description, f.Document, f.Observation = long, long, long },
			"description: é muito longo (máximo: 255 caracteres)\ndocument: é muito longo (máximo: 255 caracteres)"},
		{"the first day, which is no day", func(f *FinancialAccount) {
			f.OccurredAt, f.DocumentEmissionDate = ptr(date(t, "0001-01-01")), ptr(date(t, "0001-01-01"))
		}, "occurred_at: não é uma data válida\ndocument_emission_date: não é uma data válida"},
		{"taxes", func(f *FinancialAccount) {
			f.Taxes = TaxCharges{{TaxID: 1}, {TaxID: 13, Amount: 5}, {TaxID: 1, Amount: 2}}
		}, ""},
		{"taxes that are none", func(f *FinancialAccount) {
			f.Taxes = TaxCharges{{TaxID: 14, Amount: 1}, {TaxID: 1, Amount: -1}}
		},
			"financial_account_taxes_attributes.tax: não existe\nfinancial_account_taxes_attributes.amount: não pode " +
				"ser negativo"},
		{"too many taxes", func(f *FinancialAccount) { f.Taxes = make(TaxCharges, 101) },
			"financial_account_taxes_attributes: tem itens demais (máximo: " +
				"100)\nfinancial_account_taxes_attributes.tax: não existe"},
		{"two series at once", func(f *FinancialAccount) {
			f.CreateAsRecurrent, f.CreateAsParcelled = Monthly,
				Monthly
		},
			"create_as_parcelled: não pode ser enviado junto com create_as_recurrent"},
		{"a period that is none", func(f *FinancialAccount) { f.CreateAsRecurrent = "weekly" },
			"create_as_recurrent: não está incluso na lista"},
		{"annual parcels", func(f *FinancialAccount) { f.CreateAsParcelled, f.NumberOfParcels = Annual, ptr(int64(3)) },
			"create_as_parcelled: não está incluso na lista"},
		{"parcels without number", func(f *FinancialAccount) { f.CreateAsParcelled = Monthly },
			"number_of_parcels: não pode ser vazio"},
		{"one parcel", func(f *FinancialAccount) { f.CreateAsParcelled, f.NumberOfParcels = Monthly, ptr(int64(1)) },
			"number_of_parcels: está fora do intervalo permitido: de 2 a 480"},
		{"481 parcels", func(f *FinancialAccount) { f.CreateAsParcelled, f.NumberOfParcels = Monthly, ptr(int64(481)) },
			"number_of_parcels: está fora do intervalo permitido: de 2 a 480"},
		{"a series beyond the calendar", func(f *FinancialAccount) {
			f.CreateAsRecurrent, f.DueDate = Annual,
				date(t, "9991-01-01")
		}, "due_date: está fora do intervalo permitido"},
		{"a series whose months are beyond it", func(f *FinancialAccount) {
			f.CreateAsRecurrent, f.CompetencyMonth = Annual, MonthOf(date(t, "9991-01-01"))
		}, "competency_month: está fora do intervalo permitido"},
		{"a series up to its end", func(f *FinancialAccount) {
			f.CreateAsRecurrent, f.DueDate = Annual,
				date(t, "9990-12-31")
		}, ""},
	} {
		if got := refused(owed(t, c.change).Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheStatusFollowsFromTheDayOfPayment(t *testing.T) {
	t.Parallel()
	day := date(t, "2026-02-03")
	for _, c := range []struct {
		name   string
		change func(*FinancialAccount)
		status int64
		total  *Amount
	}{
		{"not yet", func(*FinancialAccount) {}, Outstanding, nil},
		{"a total without day", func(f *FinancialAccount) { f.TotalAmount = ptr(Amount(5)) }, Outstanding, nil},
		{"a day", func(f *FinancialAccount) { f.OccurredAt = &day }, Settled, ptr(Amount(10000))},
		{"a day, with fine, interest and discount", func(f *FinancialAccount) {
			f.OccurredAt, f.TicketAmount, f.InterestAmount, f.DiscountAmount = &day, ptr(Amount(200)), ptr(Amount(33)),
				ptr(Amount(1000))
		}, Settled, ptr(Amount(9233))},
		{"a day and a total", func(f *FinancialAccount) { f.OccurredAt, f.TotalAmount = &day, ptr(Amount(9999)) },
			Settled, ptr(Amount(9999))},
		{"reconciled", func(f *FinancialAccount) {
			f.Status, f.OccurredAt, f.TotalAmount = Reconciled, &day,
				ptr(Amount(1))
		}, Reconciled, ptr(Amount(1))},
	} {
		f := owed(t, c.change)
		if err := f.Validate(); err != nil || f.Status != c.status || (f.TotalAmount == nil) != (c.total == nil) ||
			OrZero(f.TotalAmount) != OrZero(c.total) {
			t.Errorf("%s: status %d, total %v, %v", c.name, f.Status, f.TotalAmount, err)
		}
	}
}

func TestAnAccountGoesFromOutstandingToSettledAndBack(t *testing.T) {
	t.Parallel()
	const reconciled = "base: A conta está conciliada: desfaça a conciliação antes."
	day := date(t, "2026-02-03")
	settled := func(status int64) *FinancialAccount {
		return owed(t, func(f *FinancialAccount) {
			f.Status, f.OccurredAt, f.TotalAmount = status, &day,
				ptr(Amount(1))
		})
	}
	for status, want := range map[int64]string{Outstanding: "", Settled: "base: A conta já está paga ou recebida.",
		Reconciled: reconciled} {
		if f := settled(status); refused(f.Settle()) != want || want == "" && f.Status != Settled {
			t.Errorf("settling %d leaves %d", status, f.Status)
		}
	}
	for status, want := range map[int64]string{Outstanding: "base: A conta não está paga nem recebida.", Settled: "",
		Reconciled: reconciled} {
		if f := settled(status); refused(f.Reopen()) != want || want == "" &&
			(f.Status != Outstanding || f.OccurredAt != nil || f.TotalAmount != nil) {
			t.Errorf("reopening %d leaves %d", status, f.Status)
		}
	}
	empty := &FinancialAccount{Status: Outstanding, Amount: 1}
	if got := refused(empty.Settle()); got != "total_amount: não pode ser vazio\noccurred_at: não pode ser vazio" {
		t.Error(got)
	}
}

func TestAReconciledAccountRefusesNewAmounts(t *testing.T) {
	t.Parallel()
	day, other := date(t, "2026-02-03"), date(t, "2026-02-04")
	before := *owed(t, func(f *FinancialAccount) {
		f.Status, f.OccurredAt, f.TotalAmount = Reconciled, &day, ptr(Amount(10000))
	})
	same := day
	for name, c := range map[string]struct {
		change func(*FinancialAccount)
		keeps  bool
	}{
		"nothing": {func(*FinancialAccount) {}, true},
		"a text":  {func(f *FinancialAccount) { f.Description = ptr("a") }, true},
		"the same values": {func(f *FinancialAccount) { f.OccurredAt, f.TotalAmount = &same, ptr(Amount(10000)) },
			true},
		"the due date": {func(f *FinancialAccount) { f.DueDate = other }, false},
		"the day":      {func(f *FinancialAccount) { f.OccurredAt = &other }, false},
		"no day":       {func(f *FinancialAccount) { f.OccurredAt = nil }, false},
		"the amount":   {func(f *FinancialAccount) { f.Amount++ }, false},
		"the fine":     {func(f *FinancialAccount) { f.TicketAmount = ptr(Amount(1)) }, false},
		"the interest": {func(f *FinancialAccount) { f.InterestAmount = ptr(Amount(1)) }, false},
		"the discount": {func(f *FinancialAccount) { f.DiscountAmount = ptr(Amount(1)) }, false},
		"the total":    {func(f *FinancialAccount) { f.TotalAmount = nil }, false},
	} {
		f := before
		c.change(&f)
		if got := f.ValidateChange(before) == nil; got != c.keeps {
			t.Errorf("%s: kept is %v", name, got)
		}
		outstanding := before
		outstanding.Status = Settled
		if f.ValidateChange(outstanding) != nil {
			t.Errorf("%s: refused of one that is not reconciled", name)
		}
	}
}

// An account with a discount of its whole amount, paid with zero, differs from an unpaid one.
func TestAReconciledAccountOfZeroRefusesANewTotal(t *testing.T) {
	t.Parallel()
	day := date(t, "2026-02-03")
	before := *owed(t, func(f *FinancialAccount) {
		f.Status, f.OccurredAt, f.TotalAmount = Reconciled, &day,
			ptr(Amount(0))
	})
	without := before
	without.TotalAmount = nil
	if got := refused(without.ValidateChange(before)); got != "base: A conta está conciliada: desfaça a conciliação "+
		"antes." {
		t.Errorf("refused with %q", got)
	}
}

// For any day and distance, AddMonths returns the right month, and the same day or the last day
// of that month.
func TestMonthsLaterTheDayIsTheSameOrTheLast(t *testing.T) {
	t.Parallel()
	for d := date(t, "2023-12-25"); d.Before(date(t, "2025-03-05")); d = d.AddDays(1) {
		for n := -30; n <= 480; n++ {
			later := d.AddMonths(n)
			year, month, day := d.t.Date()
			months := year*12 + int(month) - 1 + n
			switch {
			case later.t.Year()*12+int(later.t.Month())-1 != months:
				t.Fatalf("%v + %d months is %v, in another month", d, n, later)
			case later.t.Day() != day && (later.t.Day() > day || later.AddDays(1).t.Day() != 1):
				t.Fatalf("%v + %d months is %v", d, n, later)
			case MonthOf(d).AddMonths(n) != MonthOf(later):
				t.Fatalf("%v + %d months is not in %v", MonthOf(d), n, MonthOf(later))
			}
		}
	}
	for from, want := range map[string]string{"2024-01-31": "2024-02-29", "2023-01-31": "2023-02-28",
		"2024-12-31": "2025-01-31", "2024-10-31": "2024-11-30"} {
		if got := date(t, from).AddMonths(1).String(); got != want {
			t.Errorf("a month after %s is %s, want %s", from, got, want)
		}
	}
	if !date(t, "9999-12-01").AddMonths(1).IsZero() {
		t.Error("the calendar ends in 9999")
	}
}

func TestTheRowsOfASeries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*FinancialAccount)
		count  int
		rows   string // the first three and the last
	}{
		{"one alone", func(*FinancialAccount) {}, 1, "2026-01-31 2026-01"},
		{"one alone that says a number", func(f *FinancialAccount) { f.NumberOfParcels = ptr(int64(9)) }, 1,
			"2026-01-31 2026-01"},
		{"monthly", func(f *FinancialAccount) { f.CreateAsRecurrent = Monthly }, 120,
			"2026-01-31 2026-01, 2026-02-28 2026-02, 2026-03-31 2026-03, 2035-12-31 2035-12"},
		{"monthly, of the month before", func(f *FinancialAccount) {
			f.CreateAsRecurrent, f.CompetencyMonth = Monthly, MonthOf(date(t, "2025-12-01"))
		}, 120,
			"2026-01-31 2025-12, 2026-02-28 2026-01, 2026-03-31 2026-02, 2035-12-31 2035-11"},
		{"annual", func(f *FinancialAccount) { f.CreateAsRecurrent, f.DueDate = Annual, date(t, "2024-02-29") }, 10,
			"2024-02-29 2024-02, 2025-02-28 2025-02, 2026-02-28 2026-02, 2033-02-28 2033-02"},
		{"parcels", func(f *FinancialAccount) { f.CreateAsParcelled, f.NumberOfParcels = Monthly, ptr(int64(480)) },
			480,
			"2026-01-31 2026-01, 2026-02-28 2026-01, 2026-03-31 2026-01, 2065-12-31 2026-01"},
	} {
		f := owed(t, c.change)
		if err := f.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var shown []string
		rows := f.Occurrences()
		for i, r := range rows {
			if i < 3 || i == len(rows)-1 {
				shown = append(shown, r.DueDate.String()+" "+r.CompetencyMonth.String())
			}
		}
		if got := strings.Join(shown, ", "); got != c.rows || len(rows) != c.count {
			t.Errorf("%s: %d rows, %s", c.name, len(rows), got)
		}
	}
}

func TestMonthsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"2026-02": "2026-02", "2026-02-28": "2026-02",
		"2026-02-28T10:00:00Z": "2026-02"} {
		var m Month
		if err := m.UnmarshalText([]byte(text)); err != nil || m.String() != want || m != MonthOf(m.first.AddDays(9)) {
			t.Errorf("%s is %v, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "2026", "2013-13", "2026-2", "02/2026", "0000-01", "2026-02-30", "2026-0x"} {
		var m Month
		if m.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is %v", text, m)
		}
	}
	if !(Month{}).IsZero() || !MonthOf(Date{}).IsZero() || MonthOf(DateOf(time.Now())).IsZero() {
		t.Error("the zero month is none")
	}
}

// Each account of a series has its own row for each file and tax.
func TestASeriesHasABoundedNumberOfLinks(t *testing.T) {
	const most = "attachment_id_list: criaria 5040 registros de anexos (máximo: 5000)"
	ids := make(IDs, 42)
	f := &FinancialAccount{Kind: Payable, DueDate: date(t, "2026-01-31"), Amount: 10000, AttachmentIDs: ids}
	if got := refused(f.Validate()); got != "" {
		t.Error(got)
	}
	f.CreateAsRecurrent = Monthly
	if got := refused(f.Validate()); got != most {
		t.Error(got)
	}
	f.AttachmentIDs, f.Taxes = nil, make(TaxCharges, 42)
	const taxes = "financial_account_taxes_attributes: criaria 5040 registros de impostos (máximo: 5000)"
	if got := refused(f.Validate()); !strings.Contains(got, taxes) {
		t.Error(got)
	}
	s := aSale()
	n := int64(120)
	s.InstallmentCount, s.AttachmentIDs = &n, ids
	if got := refused(s.Validate()); got != most {
		t.Error(got)
	}
	s.AttachmentIDs, s.CustomClassifications = ids[:2], make(CustomClassifications, 40)
	const parts = "custom_classifications: criaria 5040 registros de anexos e classificações (máximo: 5000)"
	if got := refused(s.Validate()); !strings.Contains(got, parts) {
		t.Error(got)
	}
}
