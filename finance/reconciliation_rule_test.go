package finance

import (
	"strings"
	"testing"
)

func aRule() ReconciliationRule {
	return ReconciliationRule{Name: "Tarifas", TextContains: Texts{"Tarifa"}, NewAccount: true}
}

func TestReconciliationRules(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ç", 256)
	for _, c := range []struct {
		name   string
		change func(*ReconciliationRule)
		want   string
	}{
		{"a plain one", func(*ReconciliationRule) {}, ""},
		{"nothing", func(r *ReconciliationRule) { *r = ReconciliationRule{} },
			"name: não pode ser vazio\nbase: Precisa ter pelo menos uma condição\nbase: Deve ter new_account ou " +
				"match: um dos dois, e só um"},
		{"two actions", func(r *ReconciliationRule) { r.Match = true },
			"base: Deve ter new_account ou match: um dos dois, e só um"},
		{"any of the conditions", func(r *ReconciliationRule) { r.TextContains, r.AmountLte = nil, ptr(Amount(0)) },
			""},
		{"too many parts", func(r *ReconciliationRule) { r.TextContains = make(Texts, 11) },
			"text_contains: tem itens demais (máximo: 10)\ntext_contains: não pode ser vazio"},
		{"a part of accents alone", func(r *ReconciliationRule) { r.TextContains = Texts{"\u0301"} },
			"text_contains: não pode ser vazio"},
		{"a part that is long by its accents", func(r *ReconciliationRule) {
			r.TextContains = Texts{"a" + strings.Repeat("\u0301", 255)}
		}, "text_contains: é muito longo (máximo: 255 caracteres)"},
		{"long texts", func(r *ReconciliationRule) {
			r.TextContains, r.RuleAction = Texts{long}, RuleAction{Description: &long, Document: &long}
		}, "text_contains: é muito longo (máximo: 255 caracteres)\nnew_account.description: é muito longo (máximo: " +
			"255 caracteres)\n" +
			"new_account.document: é muito longo (máximo: 255 caracteres)"},
		{"negative amounts", func(r *ReconciliationRule) {
			r.AmountGte, r.AmountLte = ptr(Amount(-2)),
				ptr(Amount(-1))
		},
			"amount_gte: não pode ser negativo\namount_lte: não pode ser negativo"},
		{"amounts that exclude each other", func(r *ReconciliationRule) {
			r.AmountGte, r.AmountLte = ptr(Amount(2)),
				ptr(Amount(1))
		},
			"amount_lte: não pode ser menor que amount_gte"},
		{"another type", func(r *ReconciliationRule) { r.Type = ptr("debit") }, "type: não está incluso na lista"},
		{"no CPF", func(r *ReconciliationRule) { r.CounterpartDocument = ptr("529.982.247-26") },
			"counterpart_document: não é válido"},
		{"a position beyond", func(r *ReconciliationRule) { r.Position = -1 },
			"position: está fora do intervalo permitido: de 1 a 1000000"},
		{"days beyond", func(r *ReconciliationRule) { r.Days = 61 },
			"match.days: está fora do intervalo permitido: de 0 a 60"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := aRule()
			c.change(&r)
			if got := refused(r.Validate()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRulesFit(t *testing.T) {
	t.Parallel()
	fee := Movement{DepositAccountID: 7, Amount: -9_90, Text: "TAR. MANUTENÇÃO Conta E60746948202603051432iofC3d4E5f6",
		CounterpartDocument: "52998224725"}
	for _, c := range []struct {
		name string
		rule ReconciliationRule
		want bool
	}{
		{"all parts, whatever case and accents", ReconciliationRule{TextContains: Texts{"manutencao", "Tár. "}}, true},
		{"one part of two", ReconciliationRule{TextContains: Texts{"manutenção", "pix"}}, false},
		{"letters of the id of a Pix", ReconciliationRule{TextContains: Texts{"IOF"}}, false},
		{"no pattern", ReconciliationRule{TextContains: Texts{"manuten%"}}, false},
		{"its amount at least", ReconciliationRule{AmountGte: ptr(Amount(9_90))}, true},
		{"more", ReconciliationRule{AmountGte: ptr(Amount(9_91))}, false},
		{"its amount at most", ReconciliationRule{AmountLte: ptr(Amount(9_90))}, true},
		{"less", ReconciliationRule{AmountLte: ptr(Amount(9_89))}, false},
		{"its type", ReconciliationRule{Type: ptr(Debit)}, true},
		{"the other type", ReconciliationRule{Type: ptr(Credit)}, false},
		{"its deposit account", ReconciliationRule{DepositAccountID: ptr(int64(7))}, true},
		{"another deposit account", ReconciliationRule{DepositAccountID: ptr(int64(8))}, false},
		{"its counterpart", ReconciliationRule{CounterpartDocument: ptr("529.982.247-25")}, true},
		{"another counterpart", ReconciliationRule{CounterpartDocument: ptr("111.444.777-35")}, false},
		{"one condition of two", ReconciliationRule{Type: ptr(Debit), TextContains: Texts{"pix"}}, false},
	} {
		if got := c.rule.Fits(&fee); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	rules := []ReconciliationRule{{ID: 3, Type: ptr(Credit)}, {ID: 2, Type: ptr(Debit)}, {ID: 1, Type: ptr(Debit)}}
	if got := FirstFitting(rules, &fee); got != &rules[1] {
		t.Errorf("%+v", got)
	}
	if got := FirstFitting(rules[:1], &fee); got != nil {
		t.Errorf("%+v", got)
	}
}
