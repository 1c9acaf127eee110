package finance

import (
	"testing"
	"time"
)

func TestSaleAccountRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*SaleAccount)
		want   string
	}{
		{"a plain one", func(*SaleAccount) {}, ""},
		{"nothing", func(a *SaleAccount) { *a = SaleAccount{} },
			"entity: não pode ser vazio\nname: não pode ser vazio\n" +
				"provider: não está incluso na lista\npayment_methods: não pode ser vazio"},
		{"another provider", func(a *SaleAccount) { a.Provider = "Stone" }, "provider: não está incluso na lista"},
		{"a method that is none", func(a *SaleAccount) { a.PaymentMethods = "pix,fiado" },
			"payment_methods: não está incluso na lista"},
		{"commas alone", func(a *SaleAccount) { a.PaymentMethods = " , " }, "payment_methods: não pode ser vazio"},
	} {
		a := SaleAccount{EntityID: 1, Name: "Stone", Provider: "stone", PaymentMethods: "credit"}
		c.change(&a)
		if got := refused(a.Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	a := SaleAccount{EntityID: 1, Name: "Stone", Provider: "stone", PaymentMethods: "pix, credit,,pix"}
	if err := a.Validate(); err != nil || a.PaymentMethods != "pix,credit" || !a.AcceptsMethod("credit") ||
		a.AcceptsMethod("debit") || a.AcceptsMethod("") {
		t.Errorf("%q, %v", a.PaymentMethods, err)
	}
	if got := refused(a.ValidateChange(SaleAccount{ID: 1, EntityID: 2})); got != "entity: não pode ser alterada" {
		t.Errorf("another entity: %q", got)
	}
}

func TestSaleRuleRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*SaleRule)
		want   string
	}{
		{"a plain one", func(*SaleRule) {}, ""},
		{"nothing", func(r *SaleRule) { *r = SaleRule{} }, "payment_method: não pode ser vazio\nbase: Precisa ter " +
			"pelo menos taxa percentual ou taxa fixa"},
		{"a minimum alone", func(r *SaleRule) { r.FeePercentage, r.MinimumFeeAmount = nil, ptr(Amount(1)) },
			"base: Precisa ter pelo menos taxa percentual ou taxa fixa"},
		{"a fixed fee of nothing", func(r *SaleRule) { r.FeePercentage, r.FixedFeeAmount = nil, ptr(Amount(0)) }, ""},
		{"all of it", func(r *SaleRule) { r.FeePercentage = ptr(Hundred) }, ""},
		{"more than all", func(r *SaleRule) { r.FeePercentage = ptr(Hundred + 1) },
			"fee_percentage: deve ser de 0 a 100"},
		{"negative fees", func(r *SaleRule) {
			r.FeePercentage, r.FixedFeeAmount, r.MinimumFeeAmount = ptr(Percentage(-1)), ptr(Amount(-1)),
				ptr(Amount(-1))
		}, "fee_percentage: deve ser de 0 a 100\nfixed_fee_amount: não pode ser negativo\nminimum_fee_amount: não " +
			"pode ser negativo"},
		{"days back", func(r *SaleRule) { r.DaysToLiquidation = -1 },
			"days_to_liquidation: está fora do intervalo permitido: de 0 a 3650"},
		{"more than ten years", func(r *SaleRule) { r.DaysToLiquidation = 3651 },
			"days_to_liquidation: está fora do intervalo permitido: de 0 a 3650"},
		{"no issuer of a card", func(r *SaleRule) { r.PaymentMethod = "credit" }, "issuer: não pode ser vazio"},
		{"the wrong one", func(r *SaleRule) { r.PaymentMethod, r.Issuer = "debit", ptr("VR") },
			"issuer: não está incluso na lista"},
	} {
		r := SaleRule{PaymentMethod: "pix", FeePercentage: ptr(Percentage(1))}
		c.change(&r)
		if got := refused(r.Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	r := SaleRule{PaymentMethod: "voucher", Issuer: ptr(" ben visa VALE"), FixedFeeAmount: ptr(Amount(1))}
	if err := r.Validate(); err != nil || *r.Issuer != "Ben Visa Vale" {
		t.Errorf("%q, %v", *r.Issuer, err)
	}
	r.PaymentMethod = "pix"
	if err := r.Validate(); err != nil || r.Issuer != nil {
		t.Errorf("a method without issuers has %v, %v", r.Issuer, err)
	}
}

func TestIssuersAreTwentyTwoNetworksAndFiveVouchers(t *testing.T) {
	t.Parallel()
	if len(CardNetworks) != 22 || len(VoucherProviders) != 5 || len(PaymentMethods) != 10 {
		t.Errorf("%d, %d, %d", len(CardNetworks), len(VoucherProviders), len(PaymentMethods))
	}
	for name, want := range map[string]string{"visa": "Visa", "MAIS!": "Mais!", "ticket": "Ticket",
		"DESCONHECIDA": UnknownNetwork} {
		if got, ok := Issuer(name); !ok || got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	if _, ok := Issuer("Vis"); ok {
		t.Error("Vis is an issuer")
	}
}

func TestWeekdays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1,3": "1,3", "3, 1,3": "1,3", "0,6": "0,6",
		"6,5,4,3,2,1,0": "0,1,2,3,4,5,6"} {
		var w, kept Weekdays
		if err := w.UnmarshalText([]byte(text)); err != nil || w.String() != want {
			t.Errorf("%q is %s, %v", text, w, err)
		}
		v, _ := w.Value()
		if err := kept.Scan(v); err != nil || kept != w {
			t.Errorf("%q is kept as %s, %v", text, kept, err)
		}
	}
	for _, text := range []string{"", "7", "1,", "1;2", "seg", "-1", "12"} {
		w := Weekdays(2)
		if err := w.UnmarshalText([]byte(text)); err == nil || w != 2 {
			t.Errorf("%q is %s, %v", text, w, err)
		}
	}
	var none Weekdays
	if v, err := none.Value(); v != nil || err != nil {
		t.Errorf("none is kept as %v, %v", v, err)
	}
	if w := Weekdays(1 << time.Monday); !w.Has(time.Monday) || w.Has(time.Sunday) {
		t.Error("Monday is another day")
	}
}
