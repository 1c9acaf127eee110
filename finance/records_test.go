package finance

import (
	"strings"
	"testing"
	"time"
)

// refused returns the messages of a refusal, one per line.
func refused(err error) string {
	if err == nil {
		return ""
	}
	var lines []string
	for attribute, text := range err.(*Invalid).All() {
		lines = append(lines, attribute+": "+text)
	}
	return strings.Join(lines, "\n")
}

func ptr[T any](v T) *T { return &v }

func TestDate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "2026-13-01", "2026-02-29", "26-01-01", "01/02/2026", "2026-01-01x", "0000-01-01",
		"2026-1-1"} {
		if d, err := ParseDate(text); err == nil {
			t.Errorf("%q is %s", text, d)
		}
	}
	d, err := ParseDate("2024-02-29T23:59:59-03:00")
	if err != nil || d.String() != "2024-02-29" || d.AddDays(1).String() != "2024-03-01" {
		t.Errorf("%s, %v", d, err)
	}
	for _, want := range []string{"0001-01-01", "1999-12-31", "2026-10-09", "9999-12-31"} {
		d, err := ParseDate(want)
		if got, _ := d.AppendText(nil); err != nil || string(got) != want || d.String() != want {
			t.Errorf("%s is written %s and %s, %v", want, got, d, err)
		}
	}
	if _, ok := NewDate(2026, time.February, 29); ok {
		t.Error("29 February 2026 is a day")
	}
	// DateOf returns the day in the time's own zone.
	if got := DateOf(time.Date(2026, 1, 31, 23, 30, 0, 0, time.FixedZone("", -3*3600))); got.String() != "2026-01-31" {
		t.Errorf("day %s", got)
	}
}

func TestEntityRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, number, want string }{
		{"Loja", "", ""},
		{strings.Repeat("ç", 255), "", ""},
		{" ", "", "name: não pode ser vazio"},
		{strings.Repeat("ç", 256), "", "name: é muito longo (máximo: 255 caracteres)"},
		{"Loja", "12.ABC.345/01DE-35", ""},
		{"Loja", "12.ABC.345/01DE-36", "federation_subscription_number: não é válido"},
	} {
		e := Entity{Name: c.name}
		if c.number != "" {
			e.FederationSubscriptionNumber = &c.number
		}
		if got := refused(e.Validate()); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.name, c.number, got, c.want)
		}
	}
	deleted := Entity{DeletedAt: ptr(time.Now())}
	if got := refused(deleted.Writable()); got != "base: A entidade está sendo excluída." {
		t.Errorf("writable: %q", got)
	}
}

func TestDepositAccountRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*DepositAccount)
		want   string
	}{
		{"a plain one", func(*DepositAccount) {}, ""},
		{"no type", func(d *DepositAccount) { d.DepositAccountTypeID = nil },
			"deposit_account_type: não pode ser vazio"},
		{"a type that is none", func(d *DepositAccount) { d.DepositAccountTypeID = ptr(int64(3)) },
			"deposit_account_type: não está incluso na lista"},
		{"no name", func(d *DepositAccount) { d.Name = "" }, "name: não pode ser vazio"},
		{"a bank that cannot be", func(d *DepositAccount) { d.BankAccountID = ptr(int64(-1)) },
			"bank_account: não existe"},
		{"an account number without digit or letter", func(d *DepositAccount) { d.AccountNumber = ptr("--") },
			"account_number: não é válido"},
	} {
		d := DepositAccount{Name: "Banco", DepositAccountTypeID: ptr(int64(Checking)), CurrencyID: BRL}
		c.change(&d)
		if got := refused(d.Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, cash := range []int64{Cash, CashRegister} {
		d := DepositAccount{Name: "Caixa", DepositAccountTypeID: &cash, BankAccountID: ptr(int64(341)), CurrencyID: BRL}
		if err := d.Validate(); err != nil || d.BankAccountID != nil {
			t.Errorf("type %d keeps its bank: %v", cash, err)
		}
	}
}

func TestTransactionHasTheSignOfItsType(t *testing.T) {
	t.Parallel()
	day, _ := NewDate(2026, time.January, 2)
	for _, c := range []struct {
		kind       string
		sent, want Amount
	}{
		{Debit, 500, -500}, {Debit, -500, -500}, {Credit, 500, 500},
	} {
		x := FinancialTransaction{Type: c.kind, Amount: c.sent, OccurredAt: day}
		if err := x.Validate(); err != nil || x.Amount != c.want {
			t.Errorf("%s of %s is %s, %v; want %s", c.kind, c.sent, x.Amount, err, c.want)
		}
	}
	if got := refused((&FinancialTransaction{Type: Credit, Amount: -500, OccurredAt: day}).
		Validate()); got != "amount: não pode ser negativo em um crédito" {
		t.Errorf("Credit of -5.0: %q", got)
	}
	want := "type: não pode ser vazio\ntype: não está incluso na lista\namount: deve ser diferente de " +
		"zero\noccurred_at: não pode ser vazio"
	if got := refused((&FinancialTransaction{}).Validate()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestImportOutputSaysWhatCameAndWhatDidNot(t *testing.T) {
	t.Parallel()
	day, _ := NewDate(2026, time.March, 2)
	doubt := SuspectedDuplicate{Line: 12, Day: day, Amount: -500, Description: "PIX ANA", Known: "PIX"}
	first, _ := NewDate(2026, time.March, 1)
	for _, c := range []struct {
		counts ImportCounts
		doubts []SuspectedDuplicate
		want   string
	}{
		{ImportCounts{ImportedItemsCount: 8}, nil, "Foram importadas 8 transações."},
		{ImportCounts{ImportedItemsCount: 1}, nil, "Foi importada 1 transação."},
		{ImportCounts{}, nil, "Nenhuma transação nova foi importada."},
		{
			ImportCounts{ImportedItemsCount: 2, DuplicateItemsIgnoredCount: 1, FutureItemsIgnoredCount: 3,
				AmountZeroItemsIgnoredCount: 1}, nil,
			"Foram importadas 2 transações. Itens ignorados: 1 já conhecido, 3 com data futura, 1 com valor zero.",
		},
		{
			ImportCounts{DuplicateItemsIgnoredCount: 1}, []SuspectedDuplicate{doubt},
			`Nenhuma transação nova foi importada. Itens ignorados: 1 já conhecido. Confira o já conhecido com ` +
				`outra descrição: linha 12, 02/03/2026, -5,00, "PIX ANA" (antes "PIX").`,
		},
	} {
		b := BankStatement{ImportCounts: c.counts}
		b.EventWarnings.AddDoubts(c.doubts, int64(len(c.doubts)))
		if got := b.Output(Period{}, nil); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	var items Period
	for _, d := range []Date{day, first, day} {
		items.Add(d)
	}
	b := BankStatement{ImportCounts: ImportCounts{ImportedItemsCount: 1, BalanceItemsIgnoredCount: 2}}
	if got := b.Output(items, nil); got != "Foi importada 1 transação. Período: 01/03/2026 a 02/03/2026. Itens "+
		"ignorados: 2 linhas de saldo." {
		t.Errorf("the period of the items: %q", got)
	}
	if b.PeriodStart, b.PeriodEnd = &first, &first; !strings.Contains(b.Output(items, nil),
		"Período: 01/03/2026 a 01/03/2026.") {
		t.Errorf("the period that the file says: %q", b.Output(items, nil))
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	member := Access{Denied: []string{"credit_cards"}, EntityIDs: []int64{3}}
	if member.Allows(CreditCards) || !member.Allows(Budgets) || member.CanSee(4) || !member.CanSee(3) {
		t.Error("a member has what was not denied, and sees what was given")
	}
	administrator := Access{Administrator: true, Denied: []string{"credit_cards"}}
	if !administrator.Allows(CreditCards) || !administrator.CanSee(4) {
		t.Error("an administrator has and sees all")
	}
}

func TestPersonRules(t *testing.T) {
	t.Parallel()
	long := ptr(strings.Repeat("ç", 256))
	for _, c := range []struct {
		name   string
		change func(*Person)
		want   string
	}{
		{"a plain one", func(*Person) {}, ""},
		{"a number from abroad", func(p *Person) { p.FederationSubscriptionNumber = ptr("DE 123456789") }, ""},
		{"a long note", func(p *Person) { p.Note = long }, ""},
		{"no name", func(p *Person) { p.Name = " " }, "name: não pode ser vazio"},
		{"a type", func(p *Person) { p.PersonType = ptr(JuridicalPerson) }, ""},
		{"a type that is none", func(p *Person) { p.PersonType = ptr("Person") },
			"person_type: não está incluso na lista"},
		{"long texts", func(p *Person) { p.Email, p.FebrabanFavoredCode = long, long },
			"email: é muito longo (máximo: 255 caracteres)\nfebraban_favored_code: é muito longo (máximo: 255 " +
				"caracteres)"},
	} {
		p := Person{Name: "Moinho"}
		c.change(&p)
		if got := refused(p.Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCategoryAndCenterRules(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ç", 256)
	for name, want := range map[string]string{
		"Pessoal": "", " ": "name: não pode ser vazio\nfull_name: não pode ser vazio",
		long: "name: é muito longo (máximo: 255 caracteres)",
	} {
		if got := refused((&Category{Name: name}).Validate()); got != want {
			t.Errorf("category %q: %q, want %q", name, got, want)
		}
	}
	if got := refused((&ClassificationCenter{}).Validate()); got != "entity: não pode ser vazio\nname: não pode ser "+
		"vazio" {
		t.Errorf("an empty center: %q", got)
	}
	if err := (&ClassificationCenter{EntityID: 1, Name: "Loja"}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestTheDefaultCategoriesAreATreeOfTwoLevels(t *testing.T) {
	t.Parallel()
	seen, roots := map[string]bool{}, map[string]bool{}
	revenue := 0
	for _, c := range DefaultCategories() {
		if err := (&Category{Name: c.Name}).Validate(); err != nil || strings.Contains(c.Name, CategorySeparator) ||
			seen[c.Parent+CategorySeparator+c.Name] {
			t.Errorf("%q below %q: %v", c.Name, c.Parent, err)
		}
		seen[c.Parent+CategorySeparator+c.Name] = true
		switch {
		case c.Parent == "":
			roots[c.Name] = c.Revenue
		default:
			if kind, known := roots[c.Parent]; !known || kind != c.Revenue {
				t.Errorf("%q is not of the kind of %q", c.Name, c.Parent)
			}
		}
		if c.Revenue {
			revenue++
		}
	}
	if n := len(seen); n < 100 || n > 140 || revenue < 20 || revenue > n/2 {
		t.Errorf("%d categories, %d of revenue", n, revenue)
	}
}
