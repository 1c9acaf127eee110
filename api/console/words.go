package console

import (
	"strings"
	"time"

	"bordero/finance"
)

// money writes a decimal of the API as 1.234,50; nothing for none.
func money(decimal string) string {
	if decimal == "" {
		return ""
	}
	text, below := strings.CutPrefix(decimal, "-")
	whole, cents, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	whole += "," + (cents + "00")[:max(2, len(cents))]
	if below {
		return "-" + whole
	}
	return whole
}

// zero reports whether a decimal of the API is zero.
func zero(decimal string) bool { return strings.Trim(decimal, "-0.") == "" }

// day writes a day of the API as 31/08/2026; nothing for none.
func day(text string) string { return rewritten(text, time.DateOnly, "02/01/2006") }

// moment writes a moment of the API as 31/08/2026 14:05; nothing for none.
func moment(text string) string { return rewritten(text, time.RFC3339, "02/01/2006 15:04") }

func rewritten(text, from, to string) string {
	t, err := time.Parse(from, text)
	if err != nil {
		return text
	}
	return t.Format(to)
}

// amount writes a decimal of the API with its currency, unless that is the country's; nothing for none.
func amount(currencyID int64, decimal string) string {
	if code := currency(currencyID); code != "" && decimal != "" {
		return code + " " + money(decimal)
	}
	return money(decimal)
}

// currency returns the code of a currency, unless it is that of the country.
func currency(id int64) string {
	for _, c := range finance.Currencies {
		if c.ID == id && id != finance.BRL {
			return c.Code
		}
	}
	return ""
}
