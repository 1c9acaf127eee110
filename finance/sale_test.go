package finance

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func aSale() Sale {
	day, _ := NewDate(2026, 8, 31)
	return Sale{SaleAccountID: 1, PaymentMethod: "credit", Issuer: ptr("visa"), NominalAmount: 10000, OccurredAt: day}
}

func TestSaleRules(t *testing.T) {
	t.Parallel()
	long := ptr(strings.Repeat("ç", 256))
	for _, c := range []struct {
		name   string
		change func(*Sale)
		want   string
	}{
		{"a plain one", func(*Sale) {}, ""},
		{"nothing", func(s *Sale) { *s = Sale{} }, "nominal_amount: deve ser maior que zero\noccurred_at: não pode " +
			"ser vazio\n" +
			"sale_account: não pode ser vazio\npayment_method: não pode ser vazio\npayment_method: não está incluso " +
			"na lista"},
		{"negative amounts", func(s *Sale) {
			s.NominalAmount, s.InterestAmount, s.TicketAmount, s.DiscountAmount = -1, ptr(Amount(-1)), ptr(Amount(-1)),
				ptr(Amount(-1))
		}, "nominal_amount: deve ser maior que zero\ninterest_amount: não pode ser negativo\nticket_amount: não pode " +
			"ser negativo\n" +
			"discount_amount: não pode ser negativo"},
		{"a discount of all", func(s *Sale) { s.DiscountAmount, s.TicketAmount = ptr(Amount(10001)), ptr(Amount(1)) },
			""},
		{"a discount of more", func(s *Sale) { s.DiscountAmount = ptr(Amount(10001)) },
			"discount_amount: não pode passar do valor com multa e juros"},
		{"more than can be kept", func(s *Sale) { s.NominalAmount, s.InterestAmount = MaxAmount, ptr(Amount(1)) },
			"total_amount: deve ter no máximo 13 dígitos inteiros"},
		{"taxes of all", func(s *Sale) { s.Taxes = TaxCharges{{TaxID: 1, Amount: 9000}, {TaxID: 9, Amount: 1000}} },
			""},
		{"taxes of more", func(s *Sale) { s.Taxes = TaxCharges{{TaxID: 1, Amount: 10001}} },
			"tax_charges: não podem passar do valor total"},
		{"a tax that is none", func(s *Sale) { s.Taxes = TaxCharges{{TaxID: 99}} }, "tax_charges.tax: não existe"},
		{"no issuer", func(s *Sale) { s.Issuer = nil }, "issuer: não pode ser vazio"},
		{"an unknown network", func(s *Sale) { s.Issuer = ptr("desconhecida") }, ""},
		{"a voucher's issuer for a card", func(s *Sale) { s.Issuer = ptr("Alelo") },
			"issuer: não está incluso na lista"},
		{"a card's issuer for a voucher", func(s *Sale) { s.PaymentMethod = "voucher" },
			"issuer: não está incluso na lista"},
		{"a document of 20", func(s *Sale) { s.Document = ptr(strings.Repeat("ç", 20)) }, ""},
		{"long texts", func(s *Sale) {
			s.Document, s.ProviderCode, s.Description, s.Observation = ptr(strings.Repeat("1", 21)), long, long, long
		},
			"document: é muito longo (máximo: 20 caracteres)\nprovider_code: é muito longo (máximo: 255 caracteres)\n" +
				"description: é muito longo (máximo: 255 caracteres)"},
		{"too many attachments", func(s *Sale) { s.AttachmentIDs = make(IDs, 1001) },
			"attachment_id_list: tem itens demais (máximo: 1000)"},
		{"one of three installments", func(s *Sale) {
			s.InstallmentNumber, s.InstallmentCount = ptr(int64(3)),
				ptr(int64(3))
		}, ""},
		{"one beyond them", func(s *Sale) { s.InstallmentNumber, s.InstallmentCount = ptr(int64(4)), ptr(int64(3)) },
			"installment_number: está fora do intervalo permitido: de 1 a 3"},
		{"one of how many", func(s *Sale) { s.InstallmentNumber = ptr(int64(4)) },
			"installment_count: não pode ser vazio"},
		{"a kept one of how many", func(s *Sale) { s.ID, s.InstallmentCount = 1, ptr(int64(4)) },
			"installment_number: não pode ser vazio"},
		{"too few installments", func(s *Sale) { s.InstallmentCount = ptr(int64(1)) },
			"installment_count: está fora do intervalo permitido: de 2 a 120"},
		{"too many", func(s *Sale) { s.InstallmentCount = ptr(int64(1000)) },
			"installment_count: está fora do intervalo permitido: de 2 a 120"},
		{"more than there are cents", func(s *Sale) { s.NominalAmount, s.InstallmentCount = 119, ptr(int64(120)) },
			"nominal_amount: é pequeno demais para tantas parcelas"},
		{"a discount that the first cannot bear", func(s *Sale) {
			s.DiscountAmount, s.TicketAmount, s.InstallmentCount = ptr(Amount(5010)), ptr(Amount(9)), ptr(int64(2))
		},
			"discount_amount: fica todo na primeira parcela, e não pode passar do valor dela com multa e " +
				"juros: 50,09"},
		{"taxes that the first cannot bear", func(s *Sale) {
			s.Taxes, s.InstallmentCount = TaxCharges{{TaxID: 1, Amount: 5001}}, ptr(int64(2))
		}, "tax_charges: ficam todos na primeira parcela, e não podem passar do valor dela: 50,00"},
		{"taxes that no installments can bear", func(s *Sale) {
			s.Taxes, s.InstallmentCount = TaxCharges{{TaxID: 1, Amount: 10001}}, ptr(int64(2))
		}, "tax_charges: não podem passar do valor total"},
		{"the first day, which is no day", func(s *Sale) {
			s.ConfirmedAt, s.DocumentEmissionDate = ptr(date(t, "0001-01-01")), ptr(date(t, "0001-01-01"))
		}, "confirmed_at: não é uma data válida\ndocument_emission_date: não é uma data válida"},
		{"the first month, which is no month", func(s *Sale) {
			s.OccurredAt = date(t, "0001-01-31")
			s.ConfirmedAt = &s.OccurredAt
		}, "occurred_at: está fora do intervalo permitido\nconfirmed_at: está fora do intervalo permitido"},
		{"installments beyond the calendar", func(s *Sale) {
			s.OccurredAt, _ = NewDate(9999, 12, 1)
			s.ConfirmedAt, s.InstallmentCount = &s.OccurredAt, ptr(int64(2))
		}, "occurred_at: está fora do intervalo permitido\nconfirmed_at: está fora do intervalo permitido"},
	} {
		s := aSale()
		c.change(&s)
		if got := refused(s.Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestASaleIsCompletedByWhatFollowsFromIt(t *testing.T) {
	t.Parallel()
	s := aSale()
	s.InterestAmount, s.TicketAmount, s.DiscountAmount = ptr(Amount(150)), ptr(Amount(200)), ptr(Amount(325))
	s.Taxes = TaxCharges{{TaxID: 9, Amount: 398}, {TaxID: 1, Amount: 50}}
	if got := refused(s.Validate()); got != "" {
		t.Fatal(got)
	}
	if s.TotalAmount != 10025 || s.TotalTaxes != 448 || s.NetAmount() != 9577 || *s.Issuer != "Visa" ||
		s.CompetencyMonth.String() != "2026-08" {
		t.Errorf("%d, %d, %d, %s, %s", s.TotalAmount, s.TotalTaxes, s.NetAmount(), *s.Issuer, s.CompetencyMonth)
	}
	s.PaymentMethod = "pix"
	s.OccurredAt = s.OccurredAt.AddMonths(1)
	if got := refused(s.Validate()); got != "" || s.Issuer != nil || s.CompetencyMonth.String() != "2026-08" {
		t.Errorf("%s, %v, %s", got, s.Issuer, s.CompetencyMonth)
	}
}

func TestAPaidSaleRefusesANewPrice(t *testing.T) {
	t.Parallel()
	refusals := []string{"", "", "base: A venda já foi liquidada: desfaça o recebimento antes.",
		"base: A venda está conciliada: desfaça a conciliação e o recebimento antes."}
	for _, c := range []struct {
		name     string
		change   func(*Sale)
		reprices bool
	}{
		{"nothing", func(*Sale) {}, false},
		{"texts", func(s *Sale) {
			s.Description, s.Observation, s.Document, s.ProviderCode = ptr("a"), ptr("b"), ptr("c"), ptr("d")
		}, false},
		{"what it is sorted by", func(s *Sale) {
			s.CategoryID, s.CustomClassifications = ptr(int64(1)), CustomClassifications{{CustomClassifierID: 1}}
		}, false},
		{"the month", func(s *Sale) { s.CompetencyMonth = MonthOf(s.OccurredAt) }, false},
		{"no interest for interest of nothing", func(s *Sale) { s.InterestAmount = ptr(Amount(0)) }, false},
		{"the sale account", func(s *Sale) { s.SaleAccountID++ }, true},
		{"the method", func(s *Sale) { s.PaymentMethod = "debit" }, true},
		{"the issuer", func(s *Sale) { s.Issuer = ptr("Elo") }, true},
		{"the amount", func(s *Sale) { s.NominalAmount++ }, true},
		{"interest", func(s *Sale) { s.InterestAmount = ptr(Amount(1)) }, true},
		{"the fine", func(s *Sale) { s.TicketAmount = ptr(Amount(1)) }, true},
		{"the discount", func(s *Sale) { s.DiscountAmount = ptr(Amount(1)) }, true},
		{"the day", func(s *Sale) { s.OccurredAt = s.OccurredAt.AddDays(1) }, true},
		{"the day of confirmation", func(s *Sale) { s.ConfirmedAt = &s.OccurredAt }, true},
		{"a tax", func(s *Sale) { s.Taxes = TaxCharges{{TaxID: 1, Amount: 1}} }, true},
	} {
		for status := int64(SaleUnpriced); status <= SaleReconciled; status++ {
			before := aSale()
			before.Status = status
			s := before
			c.change(&s)
			if got := s.NeedsRepricing(before); got != c.reprices {
				t.Errorf("%s: reprices is %t", c.name, got)
			}
			want := ""
			if c.reprices {
				want = refusals[status]
			}
			if got := refused(s.ValidateChange(before)); got != want {
				t.Errorf("%s of status %d: %q", c.name, status, got)
			}
		}
	}
	for status, want := range refusals {
		s := Sale{Status: int64(status)}
		if got := refused(s.Removable()); got != want {
			t.Errorf("of status %d: %q", status, got)
		}
	}
}

func TestAPaidSaleKeepsTheDayOfItsDocument(t *testing.T) {
	for status := int64(SaleUnpriced); status <= SaleReconciled; status++ {
		before := aSale()
		before.Status = status
		s := before
		s.DocumentEmissionDate = &s.OccurredAt
		if got := refused(s.ValidateChange(before)); (got != "") != (status >= SaleLiquidated) ||
			s.NeedsRepricing(before) {
			t.Errorf("status %d: %q", status, got)
		}
	}
}

func TestInstallmentsSumToTheSale(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string, least int64) Amount {
			return Amount(rapid.Int64Range(least, 1_000_000).Draw(t, name))
		}
		s := aSale()
		n := rapid.Int64Range(2, 120).Draw(t, "count")
		s.NominalAmount, s.InstallmentCount = amount("nominal", 1), &n
		s.InterestAmount, s.DiscountAmount = ptr(amount("interest", 0)), ptr(amount("discount", 0))
		s.Taxes = TaxCharges{{TaxID: 1, Amount: amount("tax", 0)}}
		part := amount("part", 0)
		s.CustomClassifications = CustomClassifications{
			{CustomClassifierID: 1, Name: "Loja", Amount: &part, Percentage: ptr(Hundred)}}
		if s.Validate() != nil {
			t.Skip("it cannot be split")
		}
		all := s.Split()
		if len(all) != int(n) {
			t.Fatalf("%d installments of %d", len(all), n)
		}
		least := s.NominalAmount / Amount(n)
		var total, net, parts Amount
		for k, one := range all {
			total, net = total+one.TotalAmount, net+one.NetAmount()
			parts += *one.CustomClassifications[0].Amount
			if *one.InstallmentNumber != int64(k+1) || *one.CustomClassifications[0].Percentage != Hundred {
				t.Errorf("installment %d is %+v", k+1, one)
			}
			if one.NominalAmount < least || one.NominalAmount >= least+Amount(n) || k > 0 && one.NominalAmount > least {
				t.Errorf("installment %d of %d of %s is %s", k+1, n, s.NominalAmount, one.NominalAmount)
			}
		}
		if total != s.TotalAmount || net != s.NetAmount() || parts != part {
			t.Errorf("they sum to %s, %s and %s, not %s, %s and %s", total, net, parts, s.TotalAmount, s.NetAmount(),
				part)
		}
	})
}

func TestPartsOfASaleSumToEachInstallment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := aSale()
		n := rapid.Int64Range(minInstallments, maxInstallments).Draw(t, "count")
		s.InstallmentCount = &n
		s.NominalAmount = Amount(rapid.OneOf(rapid.Int64Range(n, 5000), rapid.Int64Range(n, int64(MaxAmount))).
			Draw(t, "nominal"))
		for classifier := range int64(3) {
			left := s.NominalAmount
			add := func(part Amount) {
				left -= part
				if classifier == 0 {
					s.CenterClassifications = append(s.CenterClassifications, CenterClassification{Amount: &part})
					return
				}
				s.CustomClassifications = append(s.CustomClassifications,
					CustomClassification{CustomClassifierID: classifier, Amount: &part})
			}
			for range rapid.IntRange(1, 3).Draw(t, "parts") {
				add(Amount(rapid.Int64Range(0, int64(left)).Draw(t, "part")))
			}
			if rapid.Bool().Draw(t, "whole") {
				add(left)
			}
		}
		all := s.Split()
		if classifiers := len(s.partAmounts()); classifiers != 3 {
			t.Fatalf("parts of %d classifiers", classifiers)
		}
		for classifier, parts := range s.partAmounts() {
			left := withRest(s.NominalAmount, parts)
			for k, one := range all {
				var sum Amount
				for i, part := range one.partAmounts()[classifier] {
					if **part < 0 {
						t.Errorf("installment %d has a part of %s", k+1, **part)
					}
					sum += **part
					left[i] -= **part
				}
				if rest := left[len(parts)]; sum > one.NominalAmount || rest == 0 && sum != one.NominalAmount {
					t.Errorf("the parts of installment %d, of %s, sum to %s", k+1, one.NominalAmount, sum)
				}
			}
			for i, part := range parts {
				if left[i] != 0 {
					t.Errorf("the installments of a part of %s leave %s", **part, left[i])
				}
			}
		}
	})
}
