package statement

import (
	"errors"
	"strings"
	"testing"
)

// Each item is in one counter: that of its first matching outcome.
func TestOutcomesInTheirOrder(t *testing.T) {
	today := day(2026, 3, 2)
	good := Item{Account: "12345-6", Day: today, Amount: "-1,50", AmountLine: 9, Description: "Padaria"}
	with := func(change func(*Item)) Item {
		item := good
		change(&item)
		return item
	}
	for name, c := range map[string]struct {
		item    Item
		account string
		outcome Outcome
		amount  string
	}{
		"good":           {good, "", Imported, "-1.5"},
		"of the account": {good, "00123456", Imported, "-1.5"},
		"tomorrow":       {with(func(i *Item) { i.Day = today.AddDays(1) }), "", Future, "-1.5"},
		"balance tomorrow": {
			with(func(i *Item) { i.Day = today.AddDays(1); i.Description = "SALDO FINAL" }), "", Balance, "-1.5"},
		"balance of zero": {with(func(i *Item) { i.Amount = "0"; i.Description = "SALDO FINAL" }), "",
			Zero, "0.0"},
		"zero after rounding, tomorrow": {with(func(i *Item) { i.Amount = "0.004"; i.Day = today.AddDays(1) }), "",
			Zero, "0.0"},
		"no date, text for amount": {with(func(i *Item) { i.Day = day(0, 0, 0); i.Amount = "abc" }), "",
			InvalidDate, "0.0"},
		"other account, nothing right": {with(func(i *Item) { i.Day = day(0, 0, 0); i.Amount = "abc" }), "7",
			OtherAccount, "0.0"},
		"no account where one is asked": {with(func(i *Item) { i.Account = "" }), "12345-6", OtherAccount, "0.0"},
	} {
		outcome, amount, err := Classify(c.item, c.account, today)
		if err != nil || outcome != c.outcome || amount.String() != c.amount {
			t.Errorf("%s: %s of %v, error %v, want %s of %s", name, outcome, amount, err, c.outcome, c.amount)
		}
	}
	for amount, want := range map[string]string{
		"abc": `linha 9: o valor "abc" não é um número; esperado um valor como -1234.56`,
		"12345678901234": `linha 9: o valor "12345678901234" deve ter no máximo 13 dígitos inteiros;` +
			` esperado um valor como -1234.56`,
		strings.Repeat("ç", 5000): `linha 9: o valor "` + strings.Repeat("ç", 40) +
			`" não é um número; esperado um valor como -1234.56`,
	} {
		_, _, err := Classify(with(func(i *Item) { i.Amount = amount; i.Day = today.AddDays(9) }), "", today)
		var broken *Error
		if !errors.As(err, &broken) || err.Error() != want {
			t.Errorf("%.50q: error %v, want %s", amount, err, want)
		}
	}
}

func TestBalanceRows(t *testing.T) {
	for description, want := range map[string]bool{
		"SALDO ANTERIOR":                true,
		"Saldo Inicial":                 true,
		"saldo  final":                  true,
		"S A L D O DO DIA":              true,
		"SALDO DIA 31/03":               true,
		"SALDO TOTAL DISPONÍVEL DIA":    true,
		"SÁLDO PARCIÁL":                 true,
		" SALDO ANTERIOR":               true,
		"SALDO":                         true,
		"S A L D O":                     true,
		"S A L D O A N T E R I O R":     true,
		"SALDOANTERIOR":                 true,
		"SDO CTA/APL AUTOMATICAS":       true,
		"000000 SALDO DIA":              true,
		"SALDO EM C/C":                  true,
		"Saldo em conta corrente":       true,
		"SALDO EM 31/10/2026: 1.234,56": true,
		"SALDO DO DIA 31 OUT 2026":      true,
		"SALDO ANT EM 31/10":            true,
		"SALDO APLICAÇÃO AUTOMÁTICA":    true,
		"SALDO APLICAÇÕES":              true,
		"SALDO APLIC AUTOM":             true,
		"SDO APLIC AUT MAIS AP":         true,
		"SALDO MOVIMENTAÇÃO CONTA":      true,
		"SALDO BLOQ":                    true,
		"SALDO AP 302":                  false,
		"SALDO MAIS APTO":               false,
		"SALDO APLICADOR":               false,
		"SALDO OBRA RUA 12":             false,
		"SALDO RESCISAO JOAO":           false,
		"SALDO FINAL OBRA RUA 12":       false,
		"SALDO TOTAL RESCISAO JOAO":     false,
		"SALDO DIANA":                   false,
		"SALDO OUT":                     false,
		"SALDOS":                        false,
		"0 SALÁRIO":                     false,
		"SALDO DEVEDOR EMPRESTIMO":      false,
		"SALDO DE SALARIO":              false,
		"TED RECEBIDA SALDO FINAL":      false,
		"SALDANHA FINAL":                false,
		"":                              false,
	} {
		if got := isBalance(description); got != want {
			t.Errorf("%q: %v", description, got)
		}
	}
}

func TestSameAccount(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"12345-6", "12345-6", true},
		{"12345-6", "0000123456", true},
		{"12.345-x", "12345X", true},
		{"12345-6", "12345-7", false},
		{"12345-6", "12345", true},
		{"12345-6", "0123/12345-6", true},
		{"12345", "0123/12345-6", true},
		{"12345-6", "0123 12345-6", true},
		{"12345-6", "0123-12345-6", true},
		{"12345-6", "0123 / 012345", true},
		{"12345-6", "0123/123456", true},
		{"0123/12345-6", "123/12345", true},
		{"0123/12345-6", "0456/12345-6", false}, // of two branches
		{"0123/12345-6", "0123/12345-7", false},
		{"12345-6", "012312345-6", false}, // nothing separates the branch
		{"12345-6", "012345/12345-6", false},
		{"12345-6", "12/12345-6", false},
		{"12345-6", "12345-67", false},
		{"123-4", "123", false}, // too short
		{"0123/456", "456", false},
		{"****1111-1", "****1111", false}, // masked
		{"XXXXXXXX1111-1", "XXXXXXXX1111", false},
		{"1234567-X", "1234567", true},
		{"1234560", "123456", false},
		{"", "", true},
		{"", "0", false},
		{"0", "000", true},
		{"-", "", true},
		{"ção-1", "ÇÃO1", true},
	} {
		if got := SameAccount(c.a, c.b); got != c.want {
			t.Errorf("SameAccount(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
