package finance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/messages"
)

func TestStatementWarnings(t *testing.T) {
	t.Parallel()
	day, _ := NewDate(2026, time.March, 2)
	doubt := SuspectedDuplicate{Line: 12, Day: day, Amount: -500, Description: "PIX ANA", Known: "PIX"}
	var warnings StatementWarnings
	warnings.AddCounted(WarnSuspects, 0)
	warnings.AddDoubts(nil, 0)
	if warnings != nil {
		t.Errorf("of nothing: %v", warnings)
	}
	warnings.AddOtherAccount("99-9", "12345-6", 8)
	warnings.AddCounted(WarnSuspects, 1)
	warnings.AddCounted(WarnSuspects, 2)
	warnings.AddDoubts(slices.Repeat([]SuspectedDuplicate{doubt}, 100), 107)
	warnings.Add(WarnWideSpan, 9)
	b := BankStatement{ImportCounts: ImportCounts{DuplicateItemsIgnoredCount: 7}, EventWarnings: warnings}
	line := `linha 12, 02/03/2026, -5,00, "PIX ANA" (antes "PIX")`
	said := "Nenhuma transação nova foi importada. Itens ignorados: 7 já conhecidos."
	wanted := StatementWarnings{
		{WarnOtherAccount, "O arquivo é da conta 99-9, e o primeiro extrato desta conta bancária é da conta 12345-6.",
			8},
		{WarnSuspects, "Dos já conhecidos, 1 pode ser outro lançamento, com descrição e identificação novas: confira " +
			"os itens suspeitos (suspect).", 1},
		{WarnSuspects, "Dos já conhecidos, 2 podem ser outros lançamentos, com descrição e identificação novas: " +
			"confira os itens suspeitos (suspect).", 2},
		{WarnOtherDescription, "Confira os já conhecidos com outra descrição: " +
			strings.Join(slices.Repeat([]string{line}, 5), "; ") + ". E mais 102.", 107},
		{WarnWideSpan, "Os poucos lançamentos do arquivo estão espalhados por mais de cinco anos: confira as datas.",
			9},
	}
	for i, want := range wanted {
		if warnings[i] != want {
			t.Errorf("%+v, want %+v", warnings[i], want)
		}
		said += " " + want.Message
	}
	if got := b.Output(Period{}, nil); got != said {
		t.Errorf("the output: %s", got)
	}
	b.Preview = true
	if got := b.Output(Period{}, []string{WarnOtherAccount}); !strings.HasSuffix(got,
		" Para importar assim mesmo, confirme a prévia com accept: other_account.") {
		t.Errorf("the output of a preview: %s", got)
	}
	for _, code := range StatementWarningCodes[2:] {
		if text := messages.StatementWarnings[code]; code != WarnOtherDescription &&
			(text.One == "" || text.Many == "") {
			t.Errorf("%s has no words", code)
		}
	}
}

func TestWarningsOfOtherCurrencies(t *testing.T) {
	t.Parallel()
	usd, none := currencyOf("usd").ID, int64(0)
	for name, c := range map[string]struct {
		items  ItemCurrencies
		stated string
		want   string // the currencies and the count
	}{
		"none":                               {ItemCurrencies{none: 3}, "", ""},
		"the same":                           {ItemCurrencies{none: 3, BRL: 1}, "brl", ""},
		"one that we do not know":            {ItemCurrencies{none: 3}, "XXX", ""},
		"the statement":                      {ItemCurrencies{none: 3}, "USD", "USD 3"},
		"the statement, without items":       {ItemCurrencies{}, "Usd", "USD 0"},
		"items of a statement":               {ItemCurrencies{none: 3, usd: 2}, "BRL", "USD 2"},
		"items of a statement with another":  {ItemCurrencies{none: 3, usd: 2}, "EUR", "USD, EUR 5"},
		"items of a statement that has none": {ItemCurrencies{none: 3, usd: 2, BRL: 1}, "", "USD 2"},
	} {
		var warnings StatementWarnings
		warnings.AddOtherCurrency(c.items, c.stated, BRL)
		got := ""
		if len(warnings) == 1 {
			var of string
			_, of, _ = strings.Cut(warnings[0].Message, "valores em ")
			of, _, _ = strings.Cut(of, ", e a conta bancária é em BRL")
			got = fmt.Sprint(of, " ", warnings[0].Count)
		}
		if got != c.want {
			t.Errorf("%s: %q of %v, want %q", name, got, warnings, c.want)
		}
	}
}
